package io.hudilite.timeline

import io.hudilite.error.CorruptTable
import io.hudilite.storage.{Cached, FileInfo, WeightedCache}

/** Metadata of completed writes. Their files never change, and a process reads each once. */
private[timeline] final class CommitFiles(store: TimelineStore) {

  private val storage = store.storage
  private val cache = CommitCache.ofProcess.of(storage)

  /** As [[TimelineStore.readCommits]]. */
  def read(instants: Seq[Instant]): Seq[(Instant, CommitMetadata)] = {
    val known = cached(instants)
    val found = contents(instants.filterNot(known.contains))
    val gone = instants.filter(i => i.isCompleted && !known.contains(i) && !found.contains(pathOf(i)))
    val archived =
      if (gone.isEmpty) Map.empty[String, CommitMetadata] else store.archive.commits(gone.map(_.time).toSet)
    instants.map(i => i -> known.get(i).orElse(archived.get(i.time)).getOrElse(parse(i, found)))
  }

  /** As [[TimelineStore.readableCommits]]. */
  def readable(instants: Seq[Instant]): Seq[(Instant, CommitMetadata)] = {
    val known = cached(instants)
    val found = contents(instants.filterNot(known.contains))
    instants.flatMap { i =>
      known.get(i).orElse(if (found.contains(pathOf(i))) whole(parse(i, found)) else None).map(i -> _)
    }
  }

  private def whole[T](read: => T): Option[T] =
    try Some(read)
    catch { case _: CorruptTable => None }

  /** Contents by path. Completed instants stay as they were listed. */
  def contents(instants: Seq[Instant]): Map[String, Array[Byte]] = {
    val (listed, others) = instants.partition(i => i.isCompleted && i.fileBytes != Instant.UnknownBytes)
    storage.readListed(listed.map(i => FileInfo(pathOf(i), i.fileBytes, 0L, isDirectory = false))) ++
      storage.readAll(others.map(pathOf))
  }

  private def pathOf(instant: Instant): String = store.pathOf(instant.fileName)

  private def cached(instants: Seq[Instant]): Map[Instant, CommitMetadata] = instants.filter(_.isCompleted).flatMap(i =>
    cache.get(pathOf(i), i.fileBytes).map(i -> _)).toMap

  private def parse(instant: Instant, contents: Map[String, Array[Byte]]): CommitMetadata = {
    val path = pathOf(instant)
    val bytes = contents.getOrElse(path, throw store.removed(instant.time))
    val metadata = CommitCodec.read(bytes, path)
    if (instant.isCompleted) keep(instant, metadata, bytes.length)
    metadata
  }

  def keep(completed: Instant, metadata: CommitMetadata, bytes: Int): Unit =
    cache.put(pathOf(completed), metadata, bytes.toLong)
}

/** Parsed metadata of completed commits, shared by all tables of the process. Completed files never change, so planning
  * a query need not read them again, nor those that this process wrote. A file of another size than the known one was
  * damaged since. Bounded by the bytes of the files; a file above the bound is not kept.
  */
private[timeline] final class CommitCache(maxBytes: Long) {

  private val entries = new WeightedCache[String, (CommitMetadata, Long)](maxBytes)

  /** @param bytes
    *   size of the file, as far as known
    */
  def get(path: String, bytes: Long = Instant.UnknownBytes): Option[CommitMetadata] =
    entries.get(path).collect {
      case (metadata, size) if bytes == Instant.UnknownBytes || bytes == size => metadata
    }

  def put(path: String, metadata: CommitMetadata, bytes: Long): Unit =
    if (bytes <= maxBytes) entries.put(path, (metadata, bytes), bytes)
}

private[timeline] object CommitCache {
  val ofProcess = new Cached(new CommitCache(32L << 20))
}
