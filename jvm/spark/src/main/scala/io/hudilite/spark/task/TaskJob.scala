package io.hudilite.spark.task

import io.hudilite.spark.shim.Sessions

import org.apache.spark.{Partition, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.StructType

import scala.reflect.ClassTag

/** Work of tasks. Each takes an item of a plan and returns its result. A task that Spark runs again does its item
  * again.
  */
private[spark] trait TaskWork[I, O] extends Serializable {
  def apply(item: I): Seq[O]

  /** The result of a query, of which not all may be asked for. */
  def rows(item: I): Iterator[O] = apply(item).iterator
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
      Sessions.withSettings(session)(context.runJob(new ItemRDD(context, work, items), new AllOf[O])).toSeq.flatten
    }
  }

  private def labelled[T](context: SparkContext, label: String)(run: => T): T = {
    val before = context.getLocalProperty(Description)
    context.setLocalProperty(Description, label)
    try run
    finally context.setLocalProperty(Description, before)
  }

  private val Description = "spark.job.description"

  private final class ItemRDD[I, O: ClassTag](context: SparkContext, work: TaskWork[I, O],
      @transient private val items: Seq[I]) extends RDD[O](context, Nil) {

    override protected def getPartitions: Array[Partition] =
      items.zipWithIndex.map { case (item, i) => new ItemPartition(i, item): Partition }.toArray

    override def compute(split: Partition, task: TaskContext): Iterator[O] =
      work(split.asInstanceOf[ItemPartition[I]].item).iterator
  }

  private final class ItemPartition[I](override val index: Int, val item: I) extends Partition

  /** No lambda, whose bytecode Spark would look at for what need not go along. */
  private final class AllOf[O] extends (Iterator[O] => Seq[O]) with Serializable {
    override def apply(answers: Iterator[O]): Seq[O] = answers.toList
  }
}

/** Work on items as rows of a query, with a task for each item. */
private[spark] final class TaskScan[I <: Serializable](label: String, schema: StructType,
    work: TaskWork[I, InternalRow], items: Seq[I]) extends Scan with Batch {
  override def readSchema(): StructType = schema
  override def description(): String = label
  override def toBatch: Batch = this
  override def planInputPartitions(): Array[InputPartition] = items.map(TaskScan.Item(_): InputPartition).toArray
  override def createReaderFactory(): PartitionReaderFactory = TaskScan.ReaderFactory(work)
}

private object TaskScan {

  private final case class Item[I](item: I) extends InputPartition

  private final case class ReaderFactory[I](work: TaskWork[I, InternalRow]) extends PartitionReaderFactory {
    override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
      new ItemReader(work, partition.asInstanceOf[Item[I]].item)
  }

  /** Reader of one task, which does its item when the first row is asked for. */
  private final class ItemReader[I](work: TaskWork[I, InternalRow], item: I) extends PartitionReader[InternalRow] {

    private lazy val rows: Iterator[InternalRow] = work.rows(item)
    private var row: Option[InternalRow] = None

    override def next(): Boolean = {
      row = if (rows.hasNext) Some(rows.next()) else None
      row.isDefined
    }

    override def get(): InternalRow = row.getOrElse(throw new IllegalStateException("a row is read before next()"))

    override def close(): Unit = ()
  }
}
