package io.hudilite.metadata.check

import io.hudilite.filegroup.{FileNames, ListedFolders, PartitionWalk, PathSelection}
import io.hudilite.metadata.{
  KnownFile,
  MetadataAction,
  MetadataPartition,
  MetadataRecords,
  MetadataShape,
  MetadataState
}
import io.hudilite.metadata.stored.{MetadataTable, NamedContent}
import io.hudilite.storage.FileInfo
import io.hudilite.table.Table
import io.hudilite.timeline.Action

/** The files that a metadata table names, beside those in the folders of its table. */
private[check] final class NamedFiles(table: Table, metadata: MetadataTable) {

  import DifferenceKind._

  /** Files of each partition by their names, as folders list them: those that are named by committed writes. */
  lazy val committed: Map[String, Map[String, FileInfo]] = {
    val listing = listed.map { case (path, files) => path -> files.filterNot(_.isDirectory) }
    table.committedFiles(listing).map { case (path, files) =>
      path -> files.filter(isCommitted(path, _)).map(f => f.name -> f).toMap
    }
  }

  private lazy val listed: Map[String, Seq[FileInfo]] =
    PartitionWalk.of(new ListedFolders(table.storage, table.basePath), PathSelection.All)
      .map { case (path, folder) => path -> folder.files }.toMap

  // Before version 8 a log file bears the instant of its slice, so that only the commits tell who wrote it.
  private def isCommitted(partition: String, file: FileInfo): Boolean = writeOf(file.name) match {
    case Some(instant) => table.timeline.isCommitted(instant)
    case None => FileNames.parseLogFile(file.name).isDefined &&
      namedLogs(if (partition.isEmpty) file.name else s"$partition/${file.name}")
  }

  private def writeOf(name: String): Option[String] = FileNames.parseBaseFile(name).map(_.instant).orElse(
    if (table.config.layout == 1) None else FileNames.parseLogFile(name).map(_.time))

  /** A file of a write that does not count, such as one that was rolled back: nobody reads it, and Apache Hudi leaves it in
    * the metadata table where that was made before the rollback.
    */
  def isOfNobody(name: String): Boolean = writeOf(name).exists(!table.timeline.isCommitted(_))

  /** Such files that the metadata table names, by partition. */
  lazy val ofNobody: Seq[(String, String)] =
    for ((partition, files) <- content.files.toSeq; name <- files.keys if isOfNobody(name)) yield partition -> name

  private lazy val namedLogs: Set[String] =
    table.store.readCommits(table.timeline.writes.filter(_.action == Action.DeltaCommit)).flatMap(_._2.allPaths).toSet

  def differences(): Seq[MetadataDifference] = {
    // It is read first: whatever completes meanwhile shows up in the folders.
    val NamedContent(partitions, files) = content
    val NamedContent(paths, there) = expected
    // A write that was rolled back leaves a folder without files, which nobody misses.
    (paths.filter(there(_).nonEmpty) ++ partitions).toSeq.sorted.filterNot(p => paths(p) && partitions(p)).map(p =>
      MetadataDifference(Partition, p, "", "", if (paths(p)) p else "", if (partitions(p)) p else "")) ++
      (there.keySet ++ files.keySet).toSeq.sorted.flatMap(p =>
        compared(p, there.getOrElse(p, Map.empty), files.getOrElse(p, Map.empty)))
  }

  /** Files that either side has, but for those that nobody reads. */
  def all(): Seq[ComparedFile] = {
    val (named, there) = (content.files, expected.files)
    for {
      partition <- (there.keySet ++ named.keySet).toSeq.sorted
      (ofFolder, ofTable) = (there.getOrElse(partition, Map.empty), named.getOrElse(partition, Map.empty))
      name <- (ofFolder.keySet ++ ofTable.keySet).toSeq.sorted
      if ofFolder.contains(name) || !isUnread(partition, name)
    } yield ComparedFile(partition, name, ofFolder.get(name), ofTable.get(name))
  }

  private def isUnread(partition: String, name: String): Boolean = isOfNobody(name) || isUnknownLog(partition, name)

  /** All that is there, as a metadata table that is made now would name it. */
  private def expected: NamedContent = {
    val there = committed.map { case (path, files) =>
      path -> files.map { case (name, f) => name -> KnownFile(f.length) }
    }
    NamedContent.of(MetadataRecords.of(MetadataAction.Everything("", there),
        MetadataState(MetadataShape(Set(MetadataPartition.Files), table.config.version))).records(
        MetadataPartition.Files))
  }

  private lazy val content: NamedContent = metadata.named()

  private def compared(partition: String, there: Map[String, Long], named: Map[String, Long])
      : Seq[MetadataDifference] = (there.keySet ++ named.keySet).toSeq.sorted.flatMap { name =>
    def different(kind: DifferenceKind): Some[MetadataDifference] = Some(MetadataDifference(kind, partition, name, "",
        there.get(name).fold("")(_.toString), named.get(name).fold("")(_.toString)))
    (there.get(name), named.get(name)) match {
      case (Some(length), Some(bytes)) => if (length == bytes) None else different(FileSize)
      case (None, Some(_)) if isUnread(partition, name) => None
      case _ => different(File)
    }
  }

  // Of a log file of version 6 that is there, nobody may know any more who wrote it.
  private def isUnknownLog(partition: String, name: String): Boolean =
    writeOf(name).isEmpty && listed.getOrElse(partition, Nil).exists(_.name == name)
}
