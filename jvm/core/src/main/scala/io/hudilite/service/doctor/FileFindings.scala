package io.hudilite.service.doctor

import io.hudilite.error.Listed
import io.hudilite.filegroup.FileNames
import io.hudilite.storage.FileInfo

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
