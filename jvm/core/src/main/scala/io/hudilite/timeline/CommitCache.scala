package io.hudilite.timeline

import io.hudilite.storage.WeightedCache

/** Parsed metadata of completed commits, shared by all tables of the process: completed files never change, so planning
  * a query need not read them again. Bounded by the bytes of the files; a file above the bound is not kept.
  */
private[timeline] final class CommitCache(maxBytes: Long) {

  private val entries = new WeightedCache[(AnyRef, String), CommitMetadata](maxBytes)

  def get(scope: AnyRef, path: String): Option[CommitMetadata] = entries.get((scope, path))

  def put(scope: AnyRef, path: String, metadata: CommitMetadata, bytes: Long): Unit =
    if (bytes <= maxBytes) entries.put((scope, path), metadata, bytes)
}

private[timeline] object CommitCache {
  val shared = new CommitCache(32L << 20)
}
