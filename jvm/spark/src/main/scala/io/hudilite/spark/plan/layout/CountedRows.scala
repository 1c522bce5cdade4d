package io.hudilite.spark.plan.layout

import io.hudilite.filegroup.FileSlice
import io.hudilite.index.BucketIndex
import io.hudilite.spark.bucket.SampledKeys
import io.hudilite.spark.stage.SharedRows
import io.hudilite.spark.write.attempt.LateGroups
import io.hudilite.spark.write.job.WriteGroups
import io.hudilite.table.{Buckets, Table}

import org.apache.spark.sql.catalyst.expressions.Attribute
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

  /** @param partition
    *   column with the partition path of a row, `key` that with its record key
    * @param tasks
    *   of the write, which are planned before
    * @param groups
    *   made of what was counted, before any task of the write is sent out
    */
  def apply(rows: LogicalPlan, partition: Attribute, key: Attribute, tasks: Int)(groups: SharedShuffle => WriteGroups)
      : LaidOutRows = {
    val shared = SharedRows(Seq(key), rows, countedBy = Some(partition))
    LaidOutRows(shared, new LateGroups(tasks, () => groups(shared.shared)))
  }

  /** Rows that go to the file groups of their buckets; `None` when there are none yet. Raises `InvalidInput` or
    * `UnsupportedTable` when the partitions that are looked at now are not as the index says; those that are looked at
    * later end the write before it begins.
    */
  def inBuckets(rows: LogicalPlan, partition: Attribute, key: Attribute, table: Table, index: BucketIndex,
      parallelism: Int, most: Int): Option[LaidOutRows] = {
    def groups(found: Iterable[FileSlice], counted: Option[Set[String]]): WriteGroups =
      WriteLayout.bucketGroups(found.toSeq, index, table, parallelism, most, counted)
    table.files.few(MostPlanned) match {
      case Some(all) =>
        val found = all.values.flatten
        if (found.isEmpty) None else Some(LaidOutRows(rows, LateGroups.of(groups(found, None))))
      case None =>
        val planned = groups(table.files.first(MostPlanned).flatMap(_._2).toList, None)
        Some(apply(rows, partition, key, planned.tasks) { shared =>
          val paths = shared.countedByPartition.keySet
          groups(slices(table, paths), Some(paths))
        })
    }
  }

  /** Raises the same errors as [[inBuckets]] now. */
  def checkBuckets(table: Table, index: BucketIndex): Unit = {
    Buckets(table).slots(table.files.first(MostPlanned).flatMap(_._2).toArray, index, new SampledKeys(table))
    ()
  }

  /** Of these partitions, some of which may not be there yet. */
  def slices(table: Table, partitions: Iterable[String]): Seq[FileSlice] =
    table.files.slices(partitions.toSeq).values.flatten.toSeq
}
