package io.hudilite.metadata.write

import io.hudilite.metadata.{MetadataChanges, MetadataKeys, MetadataPartition, MetadataPayload, MetadataRecord, NamedFile}
import io.hudilite.timeline.{CleanMetadata, CommitMetadata, WriteStat}
import io.hudilite.timeline.plan.RolledBackPartition

/** Changes that an action of a table makes to the partition `files` of its metadata table: pure
  * (docs/format.md#metadata-table).
  */
private[hudilite] object NameChanges {

  /** Of a write, of whatever kind. File groups that it replaces keep their files until a cleaning. */
  def ofCommit(metadata: CommitMetadata): MetadataChanges = {
    val touched = metadata.stats.filter(_._2.nonEmpty)
    changes(touched.map { case (partition, stats) => partition -> files(stats) }, present(touched.keys))
  }

  private def files(stats: Seq[WriteStat]): Map[String, NamedFile] = {
    val lengths = stats.map(s => s.fileName -> s.fileSizeInBytes.max(s.totalWriteBytes)) ++
      stats.flatMap(_.cdcStats).map { case (path, bytes) => path.substring(path.lastIndexOf('/') + 1) -> bytes }
    named(lengths)
  }

  /** Of a cleaning. */
  def ofClean(metadata: CleanMetadata): MetadataChanges = changes(
    metadata.partitions.filter(_.deleted.nonEmpty).map(p => p.partition -> p.deleted.map(_ -> Gone).toMap).toMap,
    metadata.partitions.filter(_.partitionDeleted).map(_.partition -> Gone).toMap)

  /** Of a rollback that appends to logs, as before version 8. `None` where it has appended to none. */
  def ofRollback(partitions: Seq[RolledBackPartition]): Option[MetadataChanges] = {
    val appended = partitions.filter(_.rollbackLogFiles.nonEmpty).map { p =>
      p.partition -> named(p.rollbackLogFiles.toSeq.map { case (path, bytes) =>
        path.substring(path.lastIndexOf('/') + 1) -> bytes
      })
    }.toMap
    if (appended.isEmpty) None else Some(changes(appended, present(appended.keys)))
  }

  /** All that is there when a metadata table is made.
    *
    * @param lengths
    *   of the files by their names, by partition
    */
  def everything(lengths: Map[String, Map[String, Long]]): MetadataChanges =
    changes(lengths.map { case (partition, files) => partition -> named(files.toSeq) }, present(lengths.keys))

  private val Gone = NamedFile(0, isDeleted = true)
  private val Present = NamedFile(0, isDeleted = false)

  private def present(partitions: Iterable[String]): Map[String, NamedFile] = partitions.map(_ -> Present).toMap

  // Hudi's merge fails on a file without content, which says nothing to any reader.
  private def named(lengths: Seq[(String, Long)]): Map[String, NamedFile] =
    lengths.filter(_._2 > 0).groupBy(_._1).map { case (name, all) =>
      name -> NamedFile(all.map(_._2).max, isDeleted = false)
    }

  private def changes(files: Map[String, Map[String, NamedFile]], partitions: Map[String, NamedFile])
      : MetadataChanges = {
    val ofPartitions = MetadataRecord(MetadataKeys.AllPartitions, MetadataPayload.Names(keyed(partitions), true))
    val ofFiles = files.toSeq.map { case (path, entries) =>
      MetadataRecord(MetadataKeys.ofPartition(path), MetadataPayload.Names(entries, ofPartitions = false))
    }
    MetadataChanges(Map(MetadataPartition.Files -> (ofPartitions +: ofFiles)))
  }

  private def keyed(partitions: Map[String, NamedFile]): Map[String, NamedFile] =
    partitions.map { case (path, entry) => MetadataKeys.ofPartition(path) -> entry }
}
