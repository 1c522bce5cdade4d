package io.hudilite.spark.task

import java.util.{Collections, Set => JSet}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.catalog.{SupportsRead, Table, TableCapability}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.Datasets
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/** What the tasks of a service do: each takes an item of its plan and answers with rows that tell what it did. A task that
  * Spark runs again does its item again.
  */
private[spark] trait TaskWork[I] extends Serializable {
  def schema: StructType
  def apply(item: I): Seq[InternalRow]
}

/** The plan of a service as a table for Spark to scan: each item is an input partition. So whatever a service does has
  * Spark's scheduling, retries, metrics and cancelling.
  */
private[spark] final class TaskTable[I <: Serializable](label: String, work: TaskWork[I], items: Seq[I]) extends Table
    with SupportsRead {

  override def name(): String = label

  override def schema(): StructType = work.schema

  override def capabilities(): JSet[TableCapability] = Collections.singleton(TableCapability.BATCH_READ)

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new ScanBuilder {
    override def build(): Scan = new TaskScan(label, work, items)
  }
}

private[spark] object TaskTable {

  /** Does the work on all items and answers with the rows. */
  def run[I <: Serializable](session: SparkSession, label: String, work: TaskWork[I], items: Seq[I]): Seq[Row] =
    Datasets.ofRows(session, DataSourceV2Relation.create(new TaskTable(label, work, items), None, None)).collect().toSeq
}

private[spark] final class TaskScan[I <: Serializable](label: String, work: TaskWork[I], items: Seq[I]) extends Scan
    with Batch {
  override def readSchema(): StructType = work.schema
  override def description(): String = label
  override def toBatch: Batch = this
  override def planInputPartitions(): Array[InputPartition] = items.map(TaskItem(_): InputPartition).toArray
  override def createReaderFactory(): PartitionReaderFactory = TaskReaderFactory(work)
}

private final case class TaskItem[I](item: I) extends InputPartition

private final case class TaskReaderFactory[I](work: TaskWork[I]) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new TaskReader(work, partition.asInstanceOf[TaskItem[I]].item)
}

/** Does its item when the first row is asked for. */
private final class TaskReader[I](work: TaskWork[I], item: I) extends PartitionReader[InternalRow] {

  private lazy val rows: Iterator[InternalRow] = work(item).iterator
  private var row: Option[InternalRow] = None

  override def next(): Boolean = {
    row = if (rows.hasNext) Some(rows.next()) else None
    row.isDefined
  }

  override def get(): InternalRow = row.getOrElse(throw new IllegalStateException("a row is read before next()"))

  override def close(): Unit = ()
}
