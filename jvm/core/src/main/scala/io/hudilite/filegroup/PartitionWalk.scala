package io.hudilite.filegroup

import io.hudilite.storage.FileInfo

import scala.collection.mutable

/** Finds partitions by going through the folders of a table, and reads only folders that can lead to wanted ones. Links
  * in these that lead to the same files raise `UnsupportedTable`.
  *
  * It goes into the depth, with one folder in its first step and twice as many in each one after that: who needs a single
  * partition reads few folders, and who needs all waits for few steps.
  *
  * @param most
  *   partitions that it finds before it ends; it reads no more than these of all that there are
  * @param orNone
  *   it ends as soon as it is clear that there are more than `most`
  */
private[hudilite] final class PartitionWalk(source: FolderSource, selection: PathSelection, most: Int = Int.MaxValue,
    orNone: Boolean = false)
    extends Iterator[(String, FolderContent)] {

  private val ahead = mutable.Stack[String]("")
  private val found = mutable.Queue.empty[(String, FolderContent)]
  private val links = mutable.ArrayBuffer.empty[FileInfo]
  private var width = 1
  private var seen = 0

  override def hasNext: Boolean = {
    while (found.isEmpty && ahead.nonEmpty && seen < most && !(orNone && areMore)) step()
    found.nonEmpty
  }

  /** There are more partitions than it finds, as far as folders tell: each of them leads to a partition. */
  def areMore: Boolean = seen.toLong + ahead.size > most

  override def next(): (String, FolderContent) =
    if (hasNext) found.dequeue() else throw new NoSuchElementException("no more partitions")

  private def step(): Unit = {
    val paths = Seq.fill(width.min(ahead.size).min(most - seen))(ahead.pop())
    width = (width * 2).min(PartitionWalk.MostAtOnce)
    val folders = source.read(paths)
    checkLinks(paths.flatMap(folders(_).links))
    paths.foreach { path =>
      val folder = folders(path)
      if (folder.isPartition) seen += 1
      if (folder.isPartition && selection.wants(path)) found += path -> folder
    }
    paths.reverse.foreach(path => folders(path).folders.reverse.filter(selection.mayLead).foreach(ahead.push(_)))
  }

  private def checkLinks(found: Seq[FileInfo]): Unit = if (found.nonEmpty) {
    links ++= found
    Partitions.checkLinks(source.basePath, links.toList)
  }
}

private[hudilite] object PartitionWalk {

  /** Folders that are read beside each other. */
  val MostAtOnce: Int = 256

  /** The wanted partitions with what is in them. */
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
