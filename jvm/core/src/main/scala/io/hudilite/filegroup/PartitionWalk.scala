package io.hudilite.filegroup

import io.hudilite.storage.FileInfo

import scala.collection.mutable

/** Finds partitions by going through the folders of a table. Reads only folders that can lead to wanted ones. Links in
  * these that lead to common files raise `UnsupportedTable`. Where the source knows all partitions no other folders are
  * read, and all wanted ones at once.
  *
  * It goes into the depth, with one folder in its first step and twice as many in each one after that. A caller that
  * needs a single partition reads few folders, one that needs all waits for few steps.
  *
  * @param most
  *   greatest number of partitions to find; no more than these are read
  * @param orNone
  *   true to end as soon as there are clearly more than `most`
  */
private[hudilite] final class PartitionWalk(source: FolderSource, selection: PathSelection, most: Int = Int.MaxValue,
    orNone: Boolean = false)
    extends Iterator[(String, FolderContent)] {

  private val known = source.partitions.map(_.filter(selection.wants))
  private val ahead = mutable.Stack(known.getOrElse(Seq("")): _*)
  private val found = mutable.Queue.empty[(String, FolderContent)]
  private val links = mutable.ArrayBuffer.empty[FileInfo]
  private var width = known.fold(1)(_.size)
  private var seen = 0

  override def hasNext: Boolean = {
    while (found.isEmpty && ahead.nonEmpty && seen < most && !(orNone && areMore)) step()
    found.nonEmpty
  }

  /** True when there are more partitions than it finds. Each folder ahead leads to one, so all of them count. */
  def areMore: Boolean = seen.toLong + ahead.size > most

  override def next(): (String, FolderContent) =
    if (hasNext) found.dequeue() else throw new NoSuchElementException("no more partitions")

  private def step(): Unit = {
    val paths = Seq.fill(width.min(ahead.size).min(most - seen))(ahead.pop())
    width = (width * 2).min(PartitionWalk.MostAtOnce).max(known.fold(1)(_.size))
    val folders = source.read(paths)
    checkLinks(paths.flatMap(folders(_).links))
    paths.foreach { path =>
      val folder = folders(path)
      if (folder.isPartition) seen += 1
      if (folder.isPartition && selection.wants(path)) found += path -> folder
    }
    if (known.isEmpty)
      paths.reverse.foreach(path => folders(path).folders.reverse.filter(selection.mayLead).foreach(ahead.push(_)))
  }

  private def checkLinks(found: Seq[FileInfo]): Unit = if (found.nonEmpty) {
    links ++= found
    Partitions.checkLinks(source.basePath, links.toList)
  }
}

private[hudilite] object PartitionWalk {

  /** Number of folders that are read in parallel. */
  val MostAtOnce: Int = 256

  /** The wanted partitions with their contents. */
  def of(source: FolderSource, selection: PathSelection): Iterator[(String, FolderContent)] = selection.only match {
    case Some(paths) if !paths.exists(Partitions.isDoubtful) =>
      val found = source.read(paths.distinct).filter { case (path, folder) =>
        folder.isPartition && selection.wants(path)
      }
      Partitions.checkPlaces(source.basePath, found)
      found.iterator
    case _ => new PartitionWalk(source, selection)
  }
}
