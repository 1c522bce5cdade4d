package io.hudilite.spark.task

import io.hudilite.spark.shim.Sessions

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow

/** What a service does on the items of its plan, as one job of Spark's with a task for each of them. So it has Spark's
  * scheduling, retries and cancelling. It is no query, since to plan one takes longer than many a small job.
  */
private[spark] object TaskJob {

  /** Does the work on all items and answers with the rows.
    *
    * @param label
    *   of the job, where Spark shows it
    */
  def run[I <: java.io.Serializable](session: SparkSession, label: String, work: TaskWork[I], items: Seq[I])
      : Seq[InternalRow] = {
    val context = session.sparkContext
    labelled(context, label) {
      Sessions.withSettings(session)(context.runJob(new TaskRDD(context, work, items), new AllRows)).toSeq.flatten
    }
  }

  private def labelled[T](context: SparkContext, label: String)(run: => T): T = {
    val before = context.getLocalProperty(Description)
    context.setLocalProperty(Description, label)
    try run
    finally context.setLocalProperty(Description, before)
  }

  private val Description = "spark.job.description"
}

private final class TaskRDD[I](context: SparkContext, work: TaskWork[I], @transient private val items: Seq[I])
    extends RDD[InternalRow](context, Nil) {

  override protected def getPartitions: Array[Partition] =
    items.zipWithIndex.map { case (item, i) => new TaskItemPartition(i, item): Partition }.toArray

  override def compute(split: Partition, task: TaskContext): Iterator[InternalRow] =
    work(split.asInstanceOf[TaskItemPartition[I]].item).iterator
}

private final class TaskItemPartition[I](override val index: Int, val item: I) extends Partition

/** No lambda, whose bytecode Spark would look at for what need not go along. */
private final class AllRows extends (Iterator[InternalRow] => Array[InternalRow]) with Serializable {
  override def apply(rows: Iterator[InternalRow]): Array[InternalRow] = rows.toArray
}
