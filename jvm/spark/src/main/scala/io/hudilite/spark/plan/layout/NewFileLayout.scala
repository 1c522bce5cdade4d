package io.hudilite.spark.plan.layout

import io.hudilite.record.ReservedNames
import io.hudilite.spark.row.RecordKey
import io.hudilite.spark.write.table.WriteTarget

import org.apache.spark.sql.catalyst.expressions.{Alias, Ascending, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical._

/** The order in which rows that begin new files reach the writers. */
private[plan] object NewFileLayout {

  import WriteLayout.{KeyColumn, PartitionColumn, column, dealt, valueOf}

  private val LeadColumn = ReservedNames.InternalPrefix + "lead"

  /** Keyed rows as a bulk insert asks for them: dealt to tasks as they come or by ranges of partition and key, and in each
    * task the rows of a partition together, in the order of their keys. Generated keys are in order as they come.
    */
  def sorted(rows: LogicalPlan, target: WriteTarget, whole: Boolean, tasks: Option[Int]): LogicalPlan =
    if (whole && target.generatesKeys && target.config.partitionFields.nonEmpty) newFiles(rows, target, tasks)
    else sortedInTasks(
      if (whole && !target.generatesKeys)
        RepartitionByExpression(ordered(rows, PartitionColumn, KeyColumn), rows, tasks, None)
      else tasks.fold(rows)(Repartition(_, shuffle = false, rows)),
      target)

  private def ordered(rows: LogicalPlan, names: String*): Seq[SortOrder] =
    names.map(name => SortOrder(column(rows, name), Ascending))

  /** Rows of a partition together and in the order of their keys, in each task. */
  private def sortedInTasks(keyed: LogicalPlan, target: WriteTarget): LogicalPlan =
    if (!target.generatesKeys) led(keyed, Seq(KeyColumn))
    else if (target.config.partitionFields.isEmpty) keyed
    else led(keyed, Nil)

  private def led(keyed: LogicalPlan, key: Seq[String]): LogicalPlan = {
    val led = keyed match {
      case Project(columns, child) => // the projection that computes the keys: rows are copied once
        def value(name: String): Expression = columns.collectFirst { case c if c.name == name => valueOf(c) }.get
        val of = key.map(value).headOption
        val numbers = of.exists { case key: RecordKey => key.ofWholeNumbers; case _ => false }
        Project(columns :+ Alias(SortLead(value(PartitionColumn), of, numbers), LeadColumn)(), child)
      case rows =>
        val lead = SortLead(column(rows, PartitionColumn), key.map(column(rows, _)).headOption)
        Project(rows.output :+ Alias(lead, LeadColumn)(), rows)
    }
    Sort(ordered(led, Seq(LeadColumn, PartitionColumn) ++ key: _*), global = false, led)
  }

  /** Keyed rows that begin new files, clustered by partition; adaptive execution splits the large partitions and puts
    * the small ones together, by the true sizes.
    */
  def newFiles(rows: LogicalPlan, target: WriteTarget, tasks: Option[Int]): LogicalPlan = {
    def by(keyed: LogicalPlan, names: String*): Seq[Expression] = names.map(column(keyed, _))
    sortedInTasks(
      if (tasks.isEmpty) RebalancePartitions(by(rows, PartitionColumn), rows, None, None)
      else {
        val shared = dealt(rows, target)
        RepartitionByExpression(by(shared, PartitionColumn, KeyColumn), shared, tasks, None)
      },
      target)
  }
}
