package io.hudilite.spark.plan.layout

import io.hudilite.filegroup.FileSlice
import io.hudilite.index.{BucketIndex, HashRings}
import io.hudilite.spark.bucket.SampledKeys
import io.hudilite.spark.stage.SharedRows
import io.hudilite.spark.write.attempt.LateGroups
import io.hudilite.spark.write.job.WriteGroups
import io.hudilite.spark.write.table.{WriteOperation, WriteTarget}
import io.hudilite.table.{Buckets, RingFiles, Table}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.hudilite.SharedShuffle

/** Keyed rows and the groups that they go to. */
private[plan] final case class LaidOutRows(rows: LogicalPlan, groups: LateGroups)

/** A write looks at few partitions while it is planned. Where a table has more of them, its rows are written to an exchange
  * and counted by partition, and then it looks at those that they are in.
  */
private[plan] object CountedRows {

  /** Partitions that are looked at while a write is planned, so that it spends few requests on those that it has no rows
    * for. To count the rows takes a fifth of a second of CPU time and more with their number, see decision 12.
    */
  val MostPlanned = 8

  /** @param rows
    *   with their key and partition path behind, see `WriteLayout.keyed`
    * @param tasks
    *   of the write, which are planned before
    * @param groups
    *   made of what was counted, before any task of the write is sent out
    */
  def apply(rows: LogicalPlan, tasks: Int)(groups: SharedShuffle => WriteGroups): LaidOutRows = {
    val (key, partition) =
      (WriteLayout.column(rows, WriteLayout.KeyColumn), WriteLayout.column(rows, WriteLayout.PartitionColumn))
    val shared = SharedRows(Seq(key), rows, countedBy = Some(partition))
    LaidOutRows(shared, new LateGroups(tasks, () => groups(shared.shared)))
  }

  /** Keyed rows that go to the file groups of their buckets. Raises `InvalidInput` or `UnsupportedTable` when the
    * partitions that are looked at now are not as the index says; those that are looked at later end the write before it
    * begins.
    *
    * @param table
    *   has the file groups; `None` = all are begun anew
    */
  def inBuckets(rows: LogicalPlan, table: Option[Table], index: BucketIndex, target: WriteTarget,
      operation: WriteOperation, session: SparkSession): LaidOutRows = {
    def tasks(takers: InsertTakers): Int =
      operation.tasks(target.conf.parallelism).getOrElse(takers.mostTasks(session.sparkContext.defaultParallelism))
    def planned(groups: WriteGroups): LaidOutRows = LaidOutRows(rows, LateGroups.of(groups))
    def ofTable(table: Table): LaidOutRows = {
      val count = tasks(InsertTakers.of(target))
      table.files.few(MostPlanned).map(_.values.flatten) match {
        case Some(all) if all.isEmpty => anew
        case Some(all) => planned(
            WriteLayout.bucketGroups(all.toSeq, index, SampledKeys(table, session), table, count, None))
        case None =>
          checkBuckets(table, index, session)
          ofCounted(rows, table, count, session)(_ => index)
      }
    }
    def anew: LaidOutRows = planned(WriteLayout.newBuckets(index, tasks(InsertTakers.Rewritten())))
    if (index.rings.isDefined) onRings(rows, index, target, tasks(InsertTakers.of(target)), session)
    else table.fold(anew)(ofTable)
  }

  /** Rings are read of the partitions that there are rows for, once these are counted. */
  private def onRings(rows: LogicalPlan, index: BucketIndex, target: WriteTarget, tasks: Int, session: SparkSession)
      : LaidOutRows = {
    def dealt(rings: HashRings): BucketIndex = index.copy(rings = Some(rings))
    target.existing match {
      case table if table.exists(_.timeline.writes.isEmpty) || !RingFiles.areIn(target.storage, target.basePath) =>
        LaidOutRows(rows, LateGroups.of(WriteLayout.newBuckets(dealt(HashRings.New), tasks)))
      case None => throw RingFiles.unsupported(target.basePath,
          s"the rings in .hoodie/.bucket_index/${RingFiles.Folder} are of a table that is not there; remove them")
      case Some(table) => ofCounted(rows, table, tasks, session)(paths =>
          dealt(RingFiles(table).toDeal(paths.toSeq, index.count)))
    }
  }

  /** @param by
    *   the index of the partitions that there are rows for
    */
  private def ofCounted(rows: LogicalPlan, table: Table, tasks: Int, session: SparkSession)(
      by: Set[String] => BucketIndex): LaidOutRows = apply(rows, tasks) { shared =>
    val paths = shared.countedByPartition.keySet
    val index = by(paths)
    WriteLayout.bucketGroups(slices(table, paths), index, SampledKeys(table, session), table, tasks, Some(paths))
  }

  /** Raises the same errors as [[inBuckets]] now. */
  def checkBuckets(table: Table, index: BucketIndex, session: SparkSession): Unit = {
    Buckets(table).slots(table.files.first(MostPlanned).flatMap(_._2).toArray, index, SampledKeys(table, session))
    ()
  }

  /** Of these partitions, some of which may not be there yet. */
  def slices(table: Table, partitions: Iterable[String]): Seq[FileSlice] =
    table.files.slices(partitions.toSeq).values.flatten.toSeq
}
