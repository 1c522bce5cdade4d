package io.hudilite.filegroup

import io.hudilite.error.CorruptTable
import io.hudilite.storage.FileInfo
import io.hudilite.timeline.CommitMetadata
import io.hudilite.timeline.plan.CompactionPlan

/** A base file that must exist, as a write or a plan says.
  *
  * @param instant
  *   instant of the write that made it
  * @param by
  *   instant of the write or plan that names it
  */
final case class NamedBase(group: FileGroupId, name: String, instant: String, by: String) {

  def relativePath: String = FileSlice.join(group.partition, name)
}

/** Base files that completed writes say they made. A listing alone does not show that the newest base file of a file
  * group is gone: it shows an older one, or none (docs/format.md#missing-files).
  *
  * @param byGroup
  *   known base files of each file group, the newest first
  */
final case class NamedBases(basePath: String, byGroup: Map[FileGroupId, Seq[NamedBase]]) {

  private lazy val byPartition: Map[String, Seq[FileGroupId]] = byGroup.keys.toSeq.groupBy(_.partition)

  /** Partitions that the files lie in. */
  def partitions: Iterable[String] = byPartition.keys

  /** The newest base file of each file group in these partitions that the view sees, where the listing has neither it
    * nor one of a later write.
    *
    * @param slices
    *   slices as the view sees them in the listing
    */
  def missing(instants: ViewInstants, listing: Map[String, Seq[FileInfo]], slices: Map[String, Seq[FileSlice]])
      : Seq[NamedBase] = for {
    (partition, files) <- listing.toSeq
    groups = byPartition.getOrElse(partition, Nil) if groups.nonEmpty
    listed = files.iterator.map(_.name).toSet
    newest = slices.getOrElse(partition, Nil).iterator.map(s => s.groupId -> s).toMap
    group <- groups if !instants.replaced(group)
    named <- byGroup(group).find(n => instants.isCommitted(n.instant)).toList
    if !listed(named.name) && !newest.get(group).flatMap(_.base).exists(_.instant > named.instant)
  } yield named

  /** The error for a missing base file.
    *
    * @param folder
    *   known files of the folder that it should lie in; empty for one that is not marked as a partition
    */
  def damage(missing: NamedBase, folder: Seq[FileInfo]): CorruptTable = CorruptTable("CORRUPT_FILE",
    "path" -> FileSlice.join(basePath.stripSuffix("/"), missing.relativePath),
    "reason" ->
      (s"the write ${missing.instant} made it, but it is gone" +
        (if (folder.isEmpty) s", or no ${FileNames.PartitionMetadata} says that its folder is a partition" else "")))
}

object NamedBases {

  /** @param commits
    *   instants of completed writes with their metadata
    * @param plans
    *   pending compactions, which name the files that they are to read
    */
  def of(basePath: String, commits: Seq[(String, CommitMetadata)], plans: Seq[(String, CompactionPlan)] = Nil)
      : NamedBases = {
    val written = for {
      (instant, metadata) <- commits
      (partition, stats) <- metadata.stats.toSeq
      stat <- stats
      named <- if (stat.isLog) stat.baseFile.flatMap(below(partition, stat.fileId, _, instant))
      else base(stat.path, instant)
    } yield named
    val planned = for {
      (instant, plan) <- plans
      operation <- plan.operations
      named <- operation.baseFile.flatMap(below(operation.partition, operation.fileId, _, instant))
    } yield named
    NamedBases(basePath,
      (written ++ planned).groupBy(_.group).map { case (group, all) =>
        group -> all.sortBy(n => (n.instant, n.by)).reverse
      })
  }

  private def base(path: String, by: String): Option[NamedBase] = {
    val slash = path.lastIndexOf('/')
    val (partition, name) = (path.substring(0, math.max(slash, 0)), path.substring(slash + 1))
    FileNames.parseBaseFile(name).map(n => NamedBase(FileGroupId(partition, n.fileId), name, n.instant, by))
  }

  // Before version 8 a log file's write names the base file below it.
  private def below(partition: String, fileId: String, name: String, by: String): Option[NamedBase] =
    FileNames.parseBaseFile(name).filter(_.fileId == fileId)
      .map(n => NamedBase(FileGroupId(partition, fileId), name, n.instant, by))
}
