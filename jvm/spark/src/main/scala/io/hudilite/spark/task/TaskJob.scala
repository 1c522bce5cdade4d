package io.hudilite.spark.task

import io.hudilite.spark.shim.Sessions

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession

import scala.reflect.ClassTag

/** Work of tasks. Each takes an item of a plan and returns its result. A task that Spark runs again does its item
  * again.
  */
private[spark] trait TaskWork[I, O] extends Serializable {
  def apply(item: I): Seq[O]
}

/** Work of a service on the items of its plan, as one job of Spark's with a task for each item. So it has Spark's
  * scheduling, retries and cancelling. It is no query, since planning one takes longer than many a small job.
  */
private[spark] object TaskJob {

  /** Does the work on all items and returns the results in the order of the items.
    *
    * @param label
    *   label of the job, where Spark shows it
    */
  def run[I <: java.io.Serializable, O: ClassTag](session: SparkSession, label: String, work: TaskWork[I, O],
      items: Seq[I]): Seq[O] = {
    val context = session.sparkContext
    labelled(context, label) {
      Sessions.withSettings(session)(context.runJob(new TaskRDD(context, work, items), new AllOf[O])).toSeq.flatten
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

private final class TaskRDD[I, O: ClassTag](context: SparkContext, work: TaskWork[I, O],
    @transient private val items: Seq[I]) extends RDD[O](context, Nil) {

  override protected def getPartitions: Array[Partition] =
    items.zipWithIndex.map { case (item, i) => new TaskItemPartition(i, item): Partition }.toArray

  override def compute(split: Partition, task: TaskContext): Iterator[O] =
    work(split.asInstanceOf[TaskItemPartition[I]].item).iterator
}

private final class TaskItemPartition[I](override val index: Int, val item: I) extends Partition

/** A class instead of a lambda, since Spark searches the bytecode of lambdas for references to drop. */
private final class AllOf[O] extends (Iterator[O] => Seq[O]) with Serializable {
  override def apply(answers: Iterator[O]): Seq[O] = answers.toList
}
