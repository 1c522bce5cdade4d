package io.hudilite.spark.read

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.record.MetaFields
import io.hudilite.spark.basefile.read.{RecordKeys, ScanFilter}
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types.StructType

/** The files that a scan reads, and how many slices each pruning step left out.
  *
  * @param files
  *   base files without log files on top
  * @param merged
  *   slices with log files: what their base files say about keys does not hold for their logs
  * @param keys
  *   record keys outside of which no row passes the filters
  * @param keysToCheck
  *   there were too many files to look at their key ranges and bloom filters on the driver
  */
final case class FilePlan(
    files: Seq[BaseFile],
    merged: Seq[FileSlice],
    total: Int,
    byPartition: Int,
    byRange: Int,
    byBloom: Int,
    keys: Option[RecordKeys],
    keysToCheck: Boolean) {

  lazy val bytes: Long = files.map(_.length).sum + merged.map(_.totalLength).sum

  def baseFiles: Seq[BaseFile] = files ++ merged.flatMap(_.base)

  def describe: String = {
    val afterPartition = total - byPartition
    val byKey = if (keys.isEmpty) ""
    else if (keysToCheck) ", keys are checked in tasks"
    else s" -> ${afterPartition - byRange} by key range -> ${files.size + merged.size} by bloom filter"
    val logs = if (merged.isEmpty) "" else s" with ${merged.map(_.logs.size).sum} log files"
    s"$total -> $afterPartition by partition$byKey$logs, $bytes bytes"
  }
}

/** Prunes the files of a query by its filters. */
final class FilePlanner(source: SnapshotSource, schema: StructType, conf: => Configuration) {

  private val table: Table = source.table
  // Partition paths and keys keep the spelling that they got when they were written.
  private def keepTypes(fields: Seq[String]): Boolean =
    source.evolved.forall(e => fields.forall(f => e.typesOf(f.takeWhile(_ != '.')).size <= 1))
  private val partitions = new PartitionPruning(table.config, schema, keepTypes(table.config.partitionFields))
  private val keyFilter = new KeyFilter(table.config, schema, keepTypes(table.config.recordKeyFields))

  /** Columns, as paths of names, on which filters can leave out files. */
  val pruningColumns: Set[Seq[String]] = partitions.columnPaths ++ keyFilter.singleColumn

  def plan(filters: Seq[ScanFilter]): FilePlan = {
    val all = source.files
    val kept = (all.files.map(_.partition) ++ all.merged.map(_.partition)).toSet.filter(partitions.mayHold(_, filters))
    val inPartitions = all.files.filter(f => kept(f.partition))
    val merged = all.merged.filter(s => kept(s.partition))
    val keys = keyFilter.keys(filters)
    val onDriver = inPartitions.size <= KeyPruning.MaxFilesOnDriver
    val pruned = keys.filter(_ => onDriver).fold(KeyPruned(inPartitions, 0, 0))(
      KeyPruning.prune(conf, table.basePath, inPartitions, _))
    FilePlan(pruned.files, merged, all.size, all.size - inPartitions.size - merged.size, pruned.byRange, pruned.byBloom,
      keys, keysToCheck = keys.isDefined && !onDriver)
  }

  /** Columns in which all versions of a record agree, so that a filter on them hides all or none. */
  def keyColumns: Set[Seq[String]] = keyFilter.singleColumn.toSet + Seq(MetaFields.RecordKey)
}
