package io.hudilite.spark.plan.layout

import io.hudilite.filegroup.FileSlice
import io.hudilite.index.BucketIndex
import io.hudilite.spark.write.AppendWrite
import io.hudilite.spark.write.attempt.{LateGroups, Replaces, WriteIntent}
import io.hudilite.spark.write.job.WriteGroups
import io.hudilite.spark.write.table.{WriteOperation, WriteTarget}
import io.hudilite.table.Buckets

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** An append with its rows laid out for it. */
final case class AppendPlan(write: AppendWrite, rows: LogicalPlan)

object AppendPlan {

  /** @param overwritten
    *   part of the table that the write replaces; `None` = that of its operation
    * @param keyed
    *   rows of the table with their key and partition path behind, see `WriteLayout.keyed`
    */
  def of(target: WriteTarget, operation: WriteOperation, overwritten: Option[Replaces], keyed: LogicalPlan,
      session: SparkSession): AppendPlan = {
    val write = AppendWrite(WriteIntent(target, operation, replaces(target, operation, overwritten)), None)
    val tasks = operation.tasks(target.conf.parallelism)
    operation match {
      case WriteOperation.BulkInsert if target.conf.packing.gathersPartitions =>
        AppendPlan(write, NewFileLayout.newFiles(keyed, target, tasks))
      case WriteOperation.BulkInsert =>
        AppendPlan(write, NewFileLayout.sorted(keyed, target, target.conf.packing.sortsWhole, tasks))
      case WriteOperation.DeletePartition =>
        for (table <- target.existing; index <- target.buckets) Buckets(table).checkStated(index)
        AppendPlan(write, keyed)
      case _ =>
        // Writers of merge-on-read tables ask a base file for the keys that it stores.
        val packed =
          if (write.intent.replaces != Replaces.Nothing || target.logsLackKeys) None
          else packing(target, WriteLayout.dealt(keyed, target), tasks, session)
        packed match {
          case Some(LaidOutRows(rows, groups)) =>
            AppendPlan(write.copy(groups = Some(groups)), WriteLayout.grouped(rows, groups))
          case None => AppendPlan(write, NewFileLayout.newFiles(keyed, target, tasks))
        }
    }
  }

  /** A write with a bucket index.
    *
    * @param latest
    *   leaves one row of each key; `None` = all rows stay
    */
  def intoBuckets(target: WriteTarget, index: BucketIndex, operation: WriteOperation, overwritten: Option[Replaces],
      keyed: LogicalPlan, latest: Option[KeepsLatest], session: SparkSession): AppendPlan = {
    val replaced = replaces(target, operation, overwritten)
    // Where some partitions are replaced, the others keep their number of buckets.
    if (replaced != Replaces.Nothing && replaced != Replaces.WholeTable)
      target.existing.foreach(CountedRows.checkBuckets(_, index, session))
    val there = target.existing.filter(_ => replaced == Replaces.Nothing)
    val grouped = CountedRows.inBuckets(keyed, there, index, target, operation, session)
    AppendPlan(AppendWrite(WriteIntent(target, operation, replaced), Some(grouped.groups)),
      WriteLayout.grouped(grouped.rows, grouped.groups, latest))
  }

  private def replaces(target: WriteTarget, operation: WriteOperation, overwritten: Option[Replaces]): Replaces = {
    val asked = overwritten.getOrElse(operation match {
      case WriteOperation.InsertOverwriteTable => Replaces.WholeTable
      case WriteOperation.InsertOverwrite => Replaces.WrittenPartitions
      case WriteOperation.DeletePartition =>
        target.conf.partitionsToDelete.map(names => Replaces.Matching(names.map(spelt(_, target))))
          .getOrElse(Replaces.WrittenPartitions)
      case _ => Replaces.Nothing
    })
    if (asked != Replaces.Nothing) target.existing.foreach(Buckets(_).checkReplaced())
    asked
  }

  private def spelt(partition: String, target: WriteTarget): String =
    target.config.spelt(partition)(name =>
      target.existing.exists(_.files.partitions(Replaces.Matching(Seq(name)).selection).nonEmpty))

  /** The groups of an insert, when the table has small files that take rows. Where a partition would get rows in more
    * files than one, the rows are written to an exchange and counted first: estimates may be off by any factor. So they are
    * where the table has too many partitions to look for small files in all of them.
    */
  private def packing(target: WriteTarget, rows: LogicalPlan, asked: Option[Int], session: SparkSession)
      : Option[LaidOutRows] =
    target.existing.flatMap { table =>
      val takers = InsertTakers.of(target)
      val cores = session.sparkContext.defaultParallelism
      lazy val incoming = IncomingSize(InputEstimate.of(rows, session).flatMap(RecordSize.estimate(_, target)))
      def groups(slices: Seq[FileSlice], incoming: IncomingSize): WriteGroups =
        WriteLayout.groups(slices, target.conf, incoming, asked, cores, takers).ofInserts
      def counted(tasks: Int)(slices: Map[String, Long] => Seq[FileSlice]): LaidOutRows =
        CountedRows(rows, tasks) { shared =>
          val byPartition = shared.countedByPartition
          groups(slices(byPartition), shared.counted.fold(incoming)(IncomingSize.counted(_, target, byPartition)))
        }
      val takes = target.conf.packing.smallFileBytes > 0 && takers.most > 0
      if (!takes) None
      else table.files.few(CountedRows.MostPlanned).map(_.values.flatten.toSeq) match {
        case Some(all) if !all.exists(WriteLayout.takesInserts(_, target.conf, takers)) => None
        case Some(all) =>
          val planned = groups(all, incoming)
          if (incoming.all.isDefined && planned.isNarrow) Some(LaidOutRows(rows, LateGroups.of(planned)))
          else Some(counted(planned.tasks)(byPartition => all.filter(s => byPartition.contains(s.partition))))
        case None =>
          Some(counted(asked.getOrElse(takers.mostTasks(cores)))(byPartition =>
              CountedRows.slices(table, byPartition.keys)))
      }
    }
}
