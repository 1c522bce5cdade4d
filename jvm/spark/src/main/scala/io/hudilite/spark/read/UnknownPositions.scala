package io.hudilite.spark.read

import io.hudilite.record.RowPlace
import io.hudilite.spark.basefile.read.FileRead

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal, UnsafeProjection}
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Fills the column of row positions with nulls: only lookups of keys count the rows of base files. */
private[read] object UnknownPositions {

  /** The job without that column, which no reader of files has. */
  def without(job: FileRead): FileRead =
    if (!isWanted(job)) job
    else job.copy(columns = StructType(job.columns.fields.filter(_.name != RowPlace.Position)))

  def isWanted(job: FileRead): Boolean = job.columns.fieldNames.contains(RowPlace.Position)

  /** @param batches
    *   of the job without the column
    */
  def inBatches(job: FileRead, batches: PartitionReader[ColumnarBatch]): PartitionReader[ColumnarBatch] =
    if (isWanted(job)) new BatchesWithNulls(job.columns, batches) else batches

  def inRows(job: FileRead, rows: PartitionReader[InternalRow]): PartitionReader[InternalRow] =
    if (isWanted(job)) new RowsWithNulls(job.columns, rows) else rows

  /** Where each column stands in what the readers deliver, -1 for the positions. */
  private def ordinals(columns: StructType): Array[Int] = {
    val read = columns.fieldNames.filter(_ != RowPlace.Position)
    columns.fieldNames.map(read.indexOf(_))
  }

  private abstract class Wrapped[T](inner: PartitionReader[T]) extends PartitionReader[T] {
    override def next(): Boolean = inner.next()
    override def currentMetricsValues(): Array[CustomTaskMetric] = inner.currentMetricsValues()
    override def close(): Unit = inner.close()
  }

  private final class BatchesWithNulls(columns: StructType, inner: PartitionReader[ColumnarBatch])
      extends Wrapped[ColumnarBatch](inner) {
    private val from = ordinals(columns)
    override def get(): ColumnarBatch = {
      val batch = inner.get()
      val nulls = new ConstantColumnVector(batch.numRows, LongType)
      nulls.setNull()
      new ColumnarBatch(from.map(i => if (i < 0) nulls else batch.column(i): ColumnVector), batch.numRows)
    }
  }

  private final class RowsWithNulls(columns: StructType, inner: PartitionReader[InternalRow])
      extends Wrapped[InternalRow](inner) {
    private val project = UnsafeProjection.create(ordinals(columns).toSeq.zip(columns.fields).map { case (i, f) =>
      if (i < 0) Literal(null, LongType) else BoundReference(i, f.dataType, f.nullable)
    })
    override def get(): InternalRow = project(inner.get())
  }
}
