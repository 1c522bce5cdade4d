package io.hudilite.spark.service.cluster.rewrite

import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.{FileSlice, Lots}
import io.hudilite.index.BucketIndex
import io.hudilite.record.{MetaFields, ReservedNames, RowPlace}
import io.hudilite.service.cluster.{ClusteringGroup, ClusteringPlanner, PendingClustering}
import io.hudilite.spark.row.{CarriedSchema, StoredColumns}
import io.hudilite.spark.scan.plan.{HudiliteScanBuilder, Query, TableState}
import io.hudilite.spark.service.cluster.layout.{ClusteringOrder, FilesAlongCurve}
import io.hudilite.spark.service.slice.CopyWork
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.table.Table
import io.hudilite.timeline.WriteStat

import java.util.{Collections, Set => JSet}

import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table => SparkTable, TableCapability}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.functions.{col, hash, udf, xxhash64}
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.util.LongAccumulator

/** Writes the slices of a plan again.
  *
  * Base files that nothing has to be done to but to put them together are copied. All else is sorted within its partition
  * as one job of Spark's: a partition that makes one file goes to one task as a whole; those that make more are cut where
  * the order says. So rows are shuffled once either way.
  */
private[spark] final class ClusteringJob(session: SparkSession, table: Table, order: ClusteringOrder, write: WriteJob,
    done: LongAccumulator) {

  def run(pending: PendingClustering): Seq[WriteStat] = pending.buckets match {
    case Some(index) => dealt(pending, index)
    case None => laidOut(pending)
  }

  /** Each bucket's rows come to one task, in the order of their keys. */
  private def dealt(pending: PendingClustering, index: BucketIndex): Seq[WriteStat] = {
    val rows = PlannedSliceScan.of(session, new TableState(table, Query.Planned(pending.instant.time, pending.slices)))
    val (partition, key) = (col(MetaFields.PartitionPath), col(MetaFields.RecordKey))
    val bucket = udf((in: String, recordKey: String) => index.in(in).bucketOf(recordKey)).apply(partition, key)
    val sorted = rows.repartition(partition, bucket).sortWithinPartitions(partition, bucket, key)
    new ClusteredFiles(write, pending.slices.map(_.partition).toSet, done).write(sorted)
  }

  private def laidOut(pending: PendingClustering): Seq[WriteStat] = {
    val (copied, merged) =
      pending.groups.partition(group =>
        order.sortColumns.isEmpty && write.metaFields && group.slices.forall(_.logs.isEmpty))
    copy(copied) ++ sort(pending.instant.time, merged.flatMap(_.slices).groupBy(_.partition))
  }

  private def copy(groups: Seq[ClusteringGroup]): Seq[WriteStat] = {
    val lots = groups.flatMap(group => Lots.deal(group.slices, outputs(group.slices))(_.totalLength))
    CopyWork.run(session, write, lots.filter(_.nonEmpty), done)
  }

  private def sort(instant: String, byPartition: Map[String, Seq[FileSlice]]): Seq[WriteStat] = {
    val (large, whole) = byPartition.toSeq.sortBy(_._1).map(_._2).partition(outputs(_) > 1)
    val parts = Seq(whole -> false, large -> true).collect {
      case (found, isCut) if found.nonEmpty =>
        sorted(instant, found.flatten, found.map(slices => slices.head.partition -> outputs(slices)).toMap, isCut)
    }
    if (parts.isEmpty) Nil
    else new ClusteredFiles(write, byPartition.keySet, done).write(parts.reduce(_ union _))
  }

  private def outputs(slices: Seq[FileSlice]): Int =
    ClusteringPlanner.outputs(slices.map(_.totalLength).sum, write.files.maxFileBytes)

  /** @param files
    *   that the rows of each partition make, by its path
    */
  private def sorted(instant: String, slices: Seq[FileSlice], files: Map[String, Int], isCut: Boolean): DataFrame = {
    val rows = PlannedSliceScan.ofPartitions(session, new TableState(table, Query.Planned(instant, slices)), slices)
    val partition = col(MetaFields.PartitionPath)
    val laid = order.of(rows, if (isCut) files else Map.empty)
    laid.files match {
      case Some(along) => alongCurve(rows.withColumn(ClusteringJob.Place, laid.keys.head), along)
      case None =>
        val by = (partition +: laid.keys) :+ key
        val tasks = files.values.sum
        val dealt = if (isCut) rows.repartitionByRange(tasks, by: _*) else rows.repartition(tasks, partition)
        dealt.sortWithinPartitions(by: _*)
    }
  }

  // The record key divides rows that are alike in all else, or where rows do not store it, what it is made of.
  private def key: Column = if (write.metaFields) col(MetaFields.RecordKey)
  else xxhash64(table.config.recordKeyFields.map(col): _*)

  // Each task has the rows of one file.
  private def alongCurve(placed: DataFrame, files: FilesAlongCurve): DataFrame = {
    val (partition, place) = (col(MetaFields.PartitionPath), col(ClusteringJob.Place))
    val task = udf((path: String, number: Long, hashed: Int) => files.taskValue(path, number, hashed))
    placed.repartition(files.tasks, task(partition, place, hash(key))).sortWithinPartitions(partition, place, key)
      .drop(ClusteringJob.Place)
  }
}

private object ClusteringJob {
  val Place: String = ReservedNames.InternalPrefix + "place"
}

/** The rows of the slices of a plan, in the columns of `CarriedSchema`, as a table for Spark to scan: base files in batches,
  * merged with their log files.
  */
private[spark] final class PlannedSliceScan(session: SparkSession, source: TableState) extends SparkTable
    with SupportsRead {

  override def name(): String = s"${source.describe} of ${source.table.basePath}"

  // Rows without meta columns tell of their partition by their file.
  override def schema(): StructType = {
    val carried = CarriedSchema.schema(StoredColumns.of(source.dataSchema, source.table.config.droppedColumns))
    if (source.table.config.populateMetaFields) carried else carried.add(RowPlace.FileId, StringType, nullable = false)
  }

  override def capabilities(): JSet[TableCapability] = Collections.singleton(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder =
    new HudiliteScanBuilder(session, source, schema(), Map.empty)
}

private[spark] object PlannedSliceScan {

  def of(session: SparkSession, source: TableState): DataFrame =
    Datasets.ofRows(session, DataSourceV2Relation.create(new PlannedSliceScan(session, source), None, None))

  /** Likewise; each row has the path of its partition, which it need not store. */
  def ofPartitions(session: SparkSession, source: TableState, slices: Seq[FileSlice]): DataFrame =
    if (source.table.config.populateMetaFields) of(session, source)
    else {
      val partitions = slices.map(s => s.fileId -> s.partition).distinct
      val path = partitions.toMap
      if (path.size < partitions.size) throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE",
        "path" -> source.table.basePath, "feature" -> "file groups with one id in several partitions",
        "reason" -> "rows without meta columns do not tell theirs", "way" -> UnsupportedTable.WrittenByHudi)
      val partition = udf((file: String) => path(file)).apply(col(RowPlace.FileId))
      of(session, source).withColumn(MetaFields.PartitionPath, partition).drop(RowPlace.FileId)
    }
}
