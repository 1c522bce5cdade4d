package io.hudilite.spark.read

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.record.MetaFields
import io.hudilite.spark.basefile.read.{RecordKeys, ScanFilter}
import io.hudilite.spark.row.SessionConf
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types.StructType

/** The files that a scan reads, and how many slices each pruning step left out. Partitions that the filters of the query
  * exclude are not even listed, so nothing is known of their files.
  *
  * @param files
  *   base files without log files on top
  * @param merged
  *   slices with log files: what their base files say about keys does not hold for their logs
  * @param listed
  *   slices of the partitions that were listed
  * @param partitions
  *   partitions whose files are read
  * @param byPartition
  *   slices in partitions that were excluded after they had been listed, by filters that came up while the query ran
  * @param keys
  *   record keys outside of which no row passes the filters
  * @param keysToCheck
  *   there were too many files to look at their key ranges and bloom filters on the driver
  */
final case class PrunedFiles(
    files: Seq[BaseFile],
    merged: Seq[FileSlice],
    listed: Int,
    partitions: Int,
    byPartition: Int,
    byRange: Int,
    byBloom: Int,
    keys: Option[RecordKeys],
    keysToCheck: Boolean) {

  lazy val bytes: Long = files.map(_.length).sum + merged.map(_.totalLength).sum

  def baseFiles: Seq[BaseFile] = files ++ merged.flatMap(_.base)

  def describe: String = {
    val inPartitions = listed - byPartition
    val byKey = if (keys.isEmpty) ""
    else if (keysToCheck) ", keys are checked in tasks"
    else s" -> ${inPartitions - byRange} by key range -> ${files.size + merged.size} by bloom filter"
    val late = if (byPartition > 0) s"$listed -> " else ""
    val logs = if (merged.isEmpty) "" else s" with ${merged.map(_.logs.size).sum} log files"
    s"$late$inPartitions in ${counted(partitions, "partition")}$byKey$logs, $bytes bytes"
  }

  private def counted(number: Int, what: String): String = if (number == 1) s"1 $what" else s"$number ${what}s"
}

/** Prunes the files of a query by its filters.
  *
  * @param filters
  *   those that are known when the query is planned
  */
final class FilePlanner(source: TableState, schema: StructType, filters: Seq[ScanFilter], conf: => Configuration) {

  private val table: Table = source.table
  // Partition paths and keys keep the spelling that they got when they were written.
  private val partitions = PartitionPruning.of(table.config, schema, source.evolved)
  private val keyFilter =
    new KeyFilter(table.config, schema, source.evolved.forall(_.keepsTypes(table.config.recordKeyFields)))

  private lazy val listed: StateSlices = source.files(partitions.selection(filters))

  /** Columns, as paths of names, on which filters can leave out files. */
  val pruningColumns: Set[Seq[String]] = partitions.columnPaths ++ keyFilter.singleColumn

  /** Those of them on which a filter can leave out some files of the plan and keep others: keys say nothing of log files. */
  def pruningColumns(plan: PrunedFiles): Set[Seq[String]] =
    if (plan.files.size + plan.merged.size < 2) Set.empty
    else partitions.columnPaths ++ keyFilter.singleColumn.filter(_ => plan.files.nonEmpty)

  /** The filters that say something of a file beyond its partition, of which the folder has said it. */
  def withinPartitions(filters: Seq[ScanFilter]): Seq[ScanFilter] = ScanFilter.conjuncts(filters).filterNot(
    _.columns.exists(column => column.size == 1 && partitions.folderColumns(column.head)))

  /** What the folders of these partitions say of columns. */
  def valuesOf(found: Seq[String], columns: StructType): Map[String, Map[String, Any]] =
    if (!columns.fieldNames.exists(partitions.folderColumns)) Map.empty
    else found.distinct.map(partition =>
      partition -> partitions.valuesOf(partition).filter { case (name, _) => columns.fieldNames.contains(name) }).toMap

  /** @param late
    *   filters that came up while the query runs
    */
  def plan(late: Seq[ScanFilter] = Nil): PrunedFiles = {
    val inPartitions = listed.in(partitions.selection(late))
    val keys = keyFilter.keys(filters ++ late)
    val onDriver = inPartitions.files.size <= KeyPruning.MaxFilesOnDriver
    val pruned = keys.filter(_ => onDriver).fold(KeyPruned(inPartitions.files, 0, 0))(
      KeyPruning.prune(conf, table.basePath, inPartitions.files, _))
    PrunedFiles(pruned.files, inPartitions.merged, listed.size, inPartitions.partitions,
      listed.size - inPartitions.size,
      pruned.byRange, pruned.byBloom, keys, keysToCheck = keys.isDefined && !onDriver)
  }

  /** Columns in which all versions of a record agree, so that a filter on them hides all or none. */
  def keyColumns: Set[Seq[String]] = keyFilter.singleColumn.toSet + Seq(MetaFields.RecordKey)
}

/** The files of one scan, planned when they are first asked for. */
private[read] final class ScanFiles(
    source: TableState, known: StructType, filters: Seq[ScanFilter], options: Map[String, String]) {
  lazy val conf: Configuration = SessionConf.parquet(options)
  lazy val planner: FilePlanner = new FilePlanner(source, known, filters, conf)
  lazy val plan: PrunedFiles = planner.plan()
}
