package io.hudilite.spark.read

import io.hudilite.filegroup.BaseFile
import io.hudilite.table.Table
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types.StructType

/** The files that a scan reads, and how many each pruning step left out.
  *
  * @param keys
  *   record keys outside of which no row passes the filters
  * @param keysToCheck
  *   there were too many files to look at their key ranges and bloom filters on the driver
  */
final case class FilePlan(
    files: Seq[BaseFile],
    total: Int,
    byPartition: Int,
    byRange: Int,
    byBloom: Int,
    keys: Option[RecordKeys],
    keysToCheck: Boolean) {

  lazy val bytes: Long = files.map(_.length).sum

  def describe: String = {
    val afterPartition = total - byPartition
    val byKey = if (keys.isEmpty) ""
    else if (keysToCheck) ", keys are checked in tasks"
    else s" -> ${afterPartition - byRange} by key range -> ${files.size} by bloom filter"
    s"$total -> $afterPartition by partition$byKey, $bytes bytes"
  }
}

/** Prunes the files of a query by its filters. */
final class FilePlanner(source: SnapshotSource, schema: StructType, conf: => Configuration) {

  private val table: Table = source.table
  private val partitions = new PartitionPruning(table.config, schema)
  private val keyFilter = new KeyFilter(table.config, schema)

  /** Columns, as paths of names, on which filters can leave out files. */
  val pruningColumns: Set[Seq[String]] = partitions.columnPaths ++ keyFilter.singleColumn

  def plan(filters: Seq[ScanFilter]): FilePlan = {
    val all = source.files.files
    val kept = all.groupBy(_.partition).filter { case (partition, _) => partitions.mayHold(partition, filters) }.keySet
    val inPartitions = all.filter(f => kept(f.partition))
    val keys = keyFilter.keys(filters)
    val onDriver = inPartitions.size <= KeyPruning.MaxFilesOnDriver
    val pruned = keys.filter(_ => onDriver).fold(KeyPruned(inPartitions, 0, 0))(
      KeyPruning.prune(conf, table.basePath, inPartitions, _))
    FilePlan(pruned.files, all.size, all.size - inPartitions.size, pruned.byRange, pruned.byBloom, keys,
      keysToCheck = keys.isDefined && !onDriver)
  }
}
