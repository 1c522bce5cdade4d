package io.hudilite.table

import io.hudilite.filegroup.{FileSlice, FolderContent, FolderSource, PartitionWalk, PathSelection}
import io.hudilite.storage.FileInfo

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicBoolean

/** The file slices of one state of a table, by partition: an index that is filled on demand and remembers only the
  * answers. No file is read twice, whichever way it was asked for. Safe for threads.
  *
  * @param folders
  *   contents of the table's folders
  * @param view
  *   the newest slices of the state, from the files of some partitions. Several partitions at once show strays that
  *   only the files of another partition give away
  * @param named
  *   partitions with files that writes have named; they are looked for even where no folder is found
  * @param known
  *   slices by partition, as far as they are known
  */
final class TableFiles private[table] (
    folders: FolderSource, view: Map[String, Seq[FileInfo]] => Map[String, Seq[FileSlice]],
    named: => Iterable[String] = Nil, known: KnownSlices = new KnownSlices) {

  /** The newest slice of each file group of a partition; none when there is no such partition. */
  def slices(partition: String): Seq[FileSlice] = slices(Seq(partition)).getOrElse(partition, Nil)

  /** The newest slice of each file group of these partitions. */
  def slices(partitions: Seq[String]): Map[String, Seq[FileSlice]] = {
    val unknown = partitions.filterNot(known.has).distinct
    if (unknown.nonEmpty) known.add(viewed(folders.read(unknown)))
    known.of(partitions)
  }

  /** The slices of the wanted partitions, by partition, each as it is reached. A caller that stops early has read
    * little.
    */
  def iterator(selection: PathSelection = PathSelection.All): Iterator[(String, Seq[FileSlice])] = {
    val paths = scala.collection.mutable.Set.empty[String]
    // Evaluated when all found slices have been taken.
    def atTheEnd: Iterator[Nothing] = {
      checkOthers(selection, paths)
      Iterator.empty
    }
    reached(PartitionWalk.of(folders, selection).map { found => paths += found._1; found }) ++ atTheEnd
  }

  /** The slices of the partitions that are found first: of `most` at most. No other partitions are read. */
  def first(most: Int): Iterator[(String, Seq[FileSlice])] =
    reached(new PartitionWalk(folders, PathSelection.All, most))

  private def reached(walk: Iterator[(String, FolderContent)]): Iterator[(String, Seq[FileSlice])] =
    walk.map { case (path, folder) =>
      if (!known.has(path)) known.add(viewed(Map(path -> folder)))
      path -> known.of(path)
    }

  /** Number of file groups in the wanted partitions, `enough` at most. More than `most` partitions count as `enough`.
    */
  def count(most: Int, enough: Int, selection: PathSelection = PathSelection.All): Int = selection.only match {
    case Some(paths) if paths.size > most => enough
    case Some(_) => iterator(selection).flatMap(_._2).take(enough).size
    case None =>
      val walk = new PartitionWalk(folders, selection, most, orNone = true)
      val groups = reached(walk).flatMap(_._2).take(enough).size
      if (walk.areMore) enough else groups
  }

  /** The slices of all partitions if there are at most `most`; else `None`, as soon as that is clear. */
  def few(most: Int): Option[Map[String, Seq[FileSlice]]] = {
    val walk = new PartitionWalk(folders, PathSelection.All, most, orNone = true)
    walk.foreach(_ => ())
    if (walk.areMore) None else Some(find(PathSelection.All))
  }

  /** The slices of the wanted partitions. */
  def find(selection: PathSelection): Map[String, Seq[FileSlice]] = {
    val found = PartitionWalk.of(folders, selection).toMap
    val areAll = selection eq PathSelection.All
    val areKnown = if (areAll) known.areTogether else found.keys.forall(known.has)
    if (!areKnown) known.add(viewed(found), areAll)
    checkOthers(selection, found.contains)
    known.of(found.keys)
  }

  /** Looks for partitions that were not found though writes have named files in them. The view says which of them are
    * missed.
    */
  private def checkOthers(selection: PathSelection, isFound: String => Boolean): Unit = {
    val others = named.filter(path => !isFound(path) && selection.wants(path))
    if (others.nonEmpty) {
      view(others.map(_ -> Nil).toMap)
      ()
    }
  }

  /** Paths of the wanted partitions, sorted; the unpartitioned table has the one empty path. */
  def partitions(selection: PathSelection = PathSelection.All): Seq[String] =
    PartitionWalk.of(folders, selection).map(_._1).toList.sorted

  private def viewed(found: Map[String, FolderContent]): Map[String, Seq[FileSlice]] = {
    val others = if (found.values.forall(_.isPartition)) Set.empty[String] else named.toSet
    val partitions =
      found.collect { case (path, folder) if folder.isPartition || others(path) => path -> folder.files }
    val slices = if (partitions.isEmpty) Map.empty[String, Seq[FileSlice]] else view(partitions)
    found.map { case (path, _) => path -> slices.getOrElse(path, Nil) }
  }
}

/** Slices by partition, as far as somebody asked. Two threads may compute one answer, which does no harm. */
private[table] final class KnownSlices {

  private val slices = new ConcurrentHashMap[String, Seq[FileSlice]]()
  private val together = new AtomicBoolean

  def has(partition: String): Boolean = slices.containsKey(partition)

  def of(partition: String): Seq[FileSlice] = slices.get(partition)

  def of(partitions: Iterable[String]): Map[String, Seq[FileSlice]] = partitions.iterator.map(p => p -> of(p)).toMap

  /** True when all partitions have been looked at as one. */
  def areTogether: Boolean = together.get

  /** @param areAll
    *   true when these are all partitions
    */
  def add(more: Map[String, Seq[FileSlice]], areAll: Boolean = false): Unit = {
    more.foreach { case (path, found) =>
      if (areAll || !together.get) slices.put(path, found) else slices.putIfAbsent(path, found)
    }
    if (areAll) together.set(true)
  }
}
