package io.hudilite.service.doctor

import io.hudilite.error.Listed
import io.hudilite.filegroup.{FileGroupId, FileNames, FileSystemView, NamedBases, NamedLogs, OtherFiles, ViewInstants}
import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{CommitMetadata, Instant, Timeline, TimelineStore}
import io.hudilite.timeline.plan.CompactionPlan

/** Files of a partition that no reader should meet: pure.
  *
  * A file certainly belongs to no write when the timeline says that its write was taken back. When the timeline just
  * does not have the write, its commit may have been lost.
  */
private[doctor] object FileFindings {

  private val Named = 5

  def of(facts: ExaminedFile, partition: String, files: Seq[FileInfo]): Seq[Finding] = {
    val strays = for {
      file <- files if !file.isDirectory
      instant <- writeOf(facts, file.name)
      path = below(partition, file.name)
      if isStray(facts, instant, path, file)
    } yield instant -> path
    strays.groupBy(_._1).toSeq.sortBy(_._1).map { case (instant, found) =>
      finding(facts, instant, partition, found.map(_._2).sorted)
    }
  }

  /** Files whose names no write gives. */
  def others(partition: String, files: Seq[FileInfo]): Seq[Finding] = {
    val found = files.filter(OtherFiles.isOther).map(file => below(partition, file.name)).sorted
    if (found.isEmpty) Nil
    else Seq(Finding(FindingKind.StrayFiles, if (found.size == 1) found.head else partition,
        s"${found.size} file(s) in the folder '$partition' (${Listed.of(found, Named)}): no write gives such names.",
        "No reader of the table shows them. Write their rows to the table if they belong to it, and move them elsewhere."))
  }

  private def below(partition: String, name: String): String = if (partition.isEmpty) name else s"$partition/$name"

  // Before version 8 a log file bears the instant of its slice and may hold records of any write.
  private def writeOf(facts: ExaminedFile, name: String): Option[String] =
    FileNames.parseBaseFile(name).map(_.instant).orElse(
      if (facts.namesWrites) FileNames.parseLogFile(name).map(_.time) else None)

  private def isStray(facts: ExaminedFile, instant: String, path: String, file: FileInfo): Boolean =
    if (facts.timeline.isCompleted(instant)) facts.paths.get(instant).exists(!_(path))
    else !facts.timeline.isLate(instant) && !facts.timeline.contains(instant) && !facts.timeline.beforeStart(instant) &&
    !facts.mayBeMade(instant, file)

  private def finding(facts: ExaminedFile, instant: String, partition: String, paths: Seq[String]): Finding = {
    val files = s"${paths.size} file(s) of $instant in the partition '$partition' (${Listed.of(paths, Named)})"
    val subject = if (paths.size == 1) paths.head else below(partition, s"*$instant*")
    if (facts.timeline.isCompleted(instant))
      Finding(FindingKind.StrayFiles, subject, s"$files: the write is completed and does not know them.",
        "A task that was tried again left them, or something else that goes by the names of files. Compare them with " +
          "what the write says of itself before you delete them: programs that list folders show their rows.")
    else if (facts.takenBack(instant))
      Finding(FindingKind.StrayFiles, subject, s"$files: the write was rolled back, and its files were left.",
        "Deletes them.", Some(Mend.DeleteFiles(paths)))
    else
      Finding(FindingKind.StrayFiles, subject, s"$files: the timeline does not know the write.",
        "No reader shows them. Delete them when you are sure that no file of the timeline was lost; hudilite cannot know.")
  }
}

/** Missing files of the newest state of a table, by the files that its writes name: pure
  * (docs/format.md#missing-files).
  *
  * @param logs
  *   log files that writes name; in version 6 these have no lengths
  */
private[doctor] final class MissingFiles(view: ViewInstants, bases: NamedBases, logs: NamedLogs) {

  import MissingFiles._

  /** Partitions in which writes have named files. */
  def partitions: Set[String] = bases.partitions.toSet ++ logs.partitions

  /** Missing files of a partition whose folder holds these files. */
  def in(partition: String, files: Seq[FileInfo]): Seq[Finding] = {
    val listing = Map(partition -> files)
    val slices = FileSystemView.slices(view, listing, logs)
    val gone = bases.missing(view, listing, slices).map(_.relativePath) ++
      slices.values.flatten.flatMap(_.logs).filter(NamedLogs.isMissing).map(_.relativePath)
    if (gone.isEmpty) Nil else Seq(finding(partition, gone.distinct.sorted))
  }

  private def finding(partition: String, paths: Seq[String]): Finding = Finding(FindingKind.MissingFiles,
    if (paths.size == 1) paths.head else partition,
    s"${paths.size} file(s) of the partition '$partition' are gone (${Listed.of(paths, Named)}), which completed writes " +
      "have made and no later one has replaced: reads of the partition fail.",
    "Bring them back from a copy of the table, or from a version that the store keeps; or go back to a state from before " +
      "their write with rollback or restore. To give their rows up, overwrite or drop the partition.")
}

private[doctor] object MissingFiles {

  private val Named = 5

  /** Missing files by the writes of a table.
    *
    * @param commits
    *   completed writes of the active timeline
    */
  def of(store: TimelineStore, timeline: Timeline, commits: Map[String, CommitMetadata],
      plans: Seq[(Instant, CompactionPlan)]): MissingFiles = {
    // Files of a write that a savepoint keeps in the active timeline may have been replaced by writes that left.
    val known = commits.filter { case (time, _) => !timeline.beforeStart(time) }.toSeq.sortBy(_._1)
    val replaced = for ((_, metadata) <- known; (partition, ids) <- metadata.replaced.toSeq; id <- ids)
      yield FileGroupId(partition, id)
    val pending = for ((instant, plan) <- plans; operation <- plan.operations)
      yield FileGroupId(operation.partition, operation.fileId) -> instant.time
    val view = ViewInstants(timeline.isCommitted, timeline.completionTime, replaced.toSet, pending.toMap,
      store.config.version)
    new MissingFiles(view, NamedBases.of(store.basePath, known, plans.map { case (i, plan) => i.time -> plan }),
      NamedLogs.of(store.basePath, known, known.flatMap(_._2.allStats).map(_.partitionPath).toSet))
  }
}
