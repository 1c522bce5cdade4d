package io.hudilite.timeline

/** Parsed metadata of completed commits, shared by all tables of the process: completed files never change, so planning
  * a query need not read them again. Bounded by the bytes of the files; the least recently used go first.
  */
private[timeline] final class CommitCache(maxBytes: Long) {

  private val entries = new java.util.LinkedHashMap[(AnyRef, String), CachedCommit](64, 0.75f, true)
  private var totalBytes = 0L

  def get(scope: AnyRef, path: String): Option[CommitMetadata] = synchronized {
    Option(entries.get((scope, path))).map(_.metadata)
  }

  def put(scope: AnyRef, path: String, metadata: CommitMetadata, bytes: Long): Unit = synchronized {
    if (bytes <= maxBytes) {
      val before = Option(entries.put((scope, path), CachedCommit(metadata, bytes)))
      totalBytes += bytes - before.map(_.bytes).getOrElse(0L)
      evict()
    }
  }

  private def evict(): Unit = {
    val oldest = entries.values.iterator
    while (totalBytes > maxBytes && oldest.hasNext) {
      totalBytes -= oldest.next().bytes
      oldest.remove()
    }
  }
}

private final case class CachedCommit(metadata: CommitMetadata, bytes: Long)

private[timeline] object CommitCache {
  val shared = new CommitCache(32L << 20)
}
