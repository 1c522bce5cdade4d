package io.hudilite.timeline

import io.hudilite.storage.WeightedCache

/** Parsed metadata of completed commits, shared by all tables of the process: completed files never change, so planning
  * a query need not read them again, nor those that this process wrote. A file of another size than the one that is known
  * was damaged since. Bounded by the bytes of the files; a file above the bound is not kept.
  */
private[timeline] final class CommitCache(maxBytes: Long) {

  private val entries = new WeightedCache[(AnyRef, String), (CommitMetadata, Long)](maxBytes)

  /** @param bytes
    *   size of the file, as far as known
    */
  def get(scope: AnyRef, path: String, bytes: Long = Instant.UnknownBytes): Option[CommitMetadata] =
    entries.get((scope, path)).collect {
      case (metadata, size) if bytes == Instant.UnknownBytes || bytes == size => metadata
    }

  def put(scope: AnyRef, path: String, metadata: CommitMetadata, bytes: Long): Unit =
    if (bytes <= maxBytes) entries.put((scope, path), (metadata, bytes), bytes)
}

private[timeline] object CommitCache {
  val shared = new CommitCache(32L << 20)
}
