package io.hudilite.spark.task

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.types.StructType

/** Work on items as rows of a query, with a task for each item. */
private[spark] final class TaskScan[I <: Serializable](label: String, schema: StructType,
    work: TaskWork[I, InternalRow], items: Seq[I]) extends Scan with Batch {
  override def readSchema(): StructType = schema
  override def description(): String = label
  override def toBatch: Batch = this
  override def planInputPartitions(): Array[InputPartition] = items.map(TaskItem(_): InputPartition).toArray
  override def createReaderFactory(): PartitionReaderFactory = TaskReaderFactory(work)
}

private final case class TaskItem[I](item: I) extends InputPartition

private final case class TaskReaderFactory[I](work: TaskWork[I, InternalRow]) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new TaskItemReader(work, partition.asInstanceOf[TaskItem[I]].item)
}

/** Reader of one task, which does its item when the first row is asked for. */
private final class TaskItemReader[I](work: TaskWork[I, InternalRow], item: I) extends PartitionReader[InternalRow] {

  private lazy val rows: Iterator[InternalRow] = work(item).iterator
  private var row: Option[InternalRow] = None

  override def next(): Boolean = {
    row = if (rows.hasNext) Some(rows.next()) else None
    row.isDefined
  }

  override def get(): InternalRow = row.getOrElse(throw new IllegalStateException("a row is read before next()"))

  override def close(): Unit = ()
}
