package io.hudilite.spark.cluster

import io.hudilite.config.service.{ClusteringConf, ClusteringOptions, PlannedLayout}
import io.hudilite.filegroup.{FileNames, FileSlice, Lots}
import io.hudilite.index.BucketIndex
import io.hudilite.record.{MetaFields, ReservedNames}
import io.hudilite.service.cluster.{ClusteringGroup, ClusteringPlanner, PendingClustering}
import io.hudilite.spark.read.{Query, TableState}
import io.hudilite.spark.row.CarriedSchema
import io.hudilite.spark.task.TaskJob
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.table.Table
import io.hudilite.timeline.WriteStat

import java.util.Collections

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.functions.{col, hash, udf}
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.LongAccumulator

/** How a clustering lays rows out.
  *
  * @param sortColumns
  *   none: as they are, or in the order of the record keys
  */
private[spark] final case class ClusteringOrder(sortColumns: Seq[String], layout: String) {

  /** How to order these rows, and to cut them into so many files, by the paths of their partitions. */
  def of(rows: DataFrame, files: Map[String, Int] = Map.empty): LaidOut =
    if (sortColumns.isEmpty) LaidOut(Nil, None)
    else SortLayout.of(ClusteringOrder.layouts(layout), sortColumns, rows, files)

  /** Raises `InvalidInput` when rows with these data columns cannot be laid out so. */
  def check(session: SparkSession, columns: StructType): Unit = {
    of(session.createDataFrame(Collections.emptyList[Row](), CarriedSchema.schema(columns)))
    ()
  }
}

private[spark] object ClusteringOrder {

  private val layouts = Map(ClusteringOptions.Linear -> SortLayout.Linear,
    ClusteringOptions.ZOrder -> SortLayout.ZOrder, ClusteringOptions.Hilbert -> SortLayout.Hilbert)

  /** What the plan says; what it leaves open is as the options of the run say. */
  def of(plan: PlannedLayout, conf: ClusteringConf): ClusteringOrder =
    ClusteringOrder(plan.sortColumns, plan.layout.getOrElse(conf.layout))
}

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
    val bucket = udf((recordKey: String) => index.bucketOf(recordKey)).apply(key)
    val sorted = rows.repartition(partition, bucket).sortWithinPartitions(partition, bucket, key)
    new ClusteredFiles(write, pending.slices.map(_.partition).toSet, done, Some(index)).write(sorted)
  }

  private def laidOut(pending: PendingClustering): Seq[WriteStat] = {
    val (copied, merged) =
      pending.groups.partition(group => order.sortColumns.isEmpty && group.slices.forall(_.logs.isEmpty))
    copy(copied) ++ sort(pending.instant.time, merged.flatMap(_.slices).groupBy(_.partition))
  }

  private def copy(groups: Seq[ClusteringGroup]): Seq[WriteStat] = {
    val lots = groups.flatMap(group => Lots.deal(group.slices, outputs(group.slices))(_.totalLength))
    // Tasks that begin file groups by themselves count from 0.
    val items = lots.filter(_.nonEmpty).zipWithIndex.map { case (slices, i) =>
      CopiedFile(slices, FileNames.newFileId(write.instant, -1, i))
    }
    if (items.isEmpty) Nil
    else TaskJob.run(session, s"hudilite clustering ${write.instant} of ${table.basePath}",
      CopyWork(write, done), items)
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
    val rows = PlannedSliceScan.of(session, new TableState(table, Query.Planned(instant, slices)))
    val (partition, key) = (col(MetaFields.PartitionPath), col(MetaFields.RecordKey))
    val laid = order.of(rows, if (isCut) files else Map.empty)
    laid.files match {
      case Some(along) => alongCurve(rows.withColumn(ClusteringJob.Place, laid.keys.head), along)
      case None =>
        // The record key divides rows that are alike in all else.
        val by = (partition +: laid.keys) :+ key
        val tasks = files.values.sum
        val dealt = if (isCut) rows.repartitionByRange(tasks, by: _*) else rows.repartition(tasks, partition)
        dealt.sortWithinPartitions(by: _*)
    }
  }

  // Each task has the rows of one file.
  private def alongCurve(placed: DataFrame, files: FilesAlongCurve): DataFrame = {
    val (partition, place, key) = (col(MetaFields.PartitionPath), col(ClusteringJob.Place), col(MetaFields.RecordKey))
    val task = udf((path: String, number: Long, hashed: Int) => files.taskValue(path, number, hashed))
    placed.repartition(files.tasks, task(partition, place, hash(key))).sortWithinPartitions(partition, place, key)
      .drop(ClusteringJob.Place)
  }
}

private object ClusteringJob {
  val Place: String = ReservedNames.InternalPrefix + "place"
}
