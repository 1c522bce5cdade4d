package io.hudilite.spark.read

import io.hudilite.record.RowPlace
import io.hudilite.spark.basefile.read.{FileRead, RowReader, SplitReader}

import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{LongType, StructType}
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** The numbers of rows in their base files, by which the statements that change rows address them. What a slice with log
  * files shows has none: a row of its log is in no base file, and its others are found by their keys.
  */
private[read] object RowPositions {

  def areWanted(job: FileRead): Boolean = job.columns.fieldNames.contains(RowPlace.Position)

  /** The job with that column under the name by which the readers of base files number rows. */
  def inBaseFiles(job: FileRead): FileRead =
    if (!areWanted(job)) job
    else job.copy(columns = StructType(job.columns.fields.map(f =>
        if (f.name == RowPlace.Position) RowReader.RowIndex else f)))

  /** The job without that column, for slices with log files. */
  def without(job: FileRead): FileRead =
    if (!areWanted(job)) job
    else job.copy(columns = StructType(job.columns.fields.filter(_.name != RowPlace.Position)))

  /** What slices with log files deliver, with nulls for the positions.
    *
    * @param merged
    *   of the job without the column
    */
  def unknown(job: FileRead, merged: SplitReader[ColumnarBatch]): SplitReader[ColumnarBatch] =
    if (areWanted(job)) new BatchesWithNulls(job.columns, merged) else merged

  private final class BatchesWithNulls(columns: StructType, inner: SplitReader[ColumnarBatch])
      extends SplitReader[ColumnarBatch] {

    // Where each column stands in what the readers deliver, -1 for the positions.
    private val from: Array[Int] = {
      val read = columns.fieldNames.filter(_ != RowPlace.Position)
      columns.fieldNames.map(read.indexOf(_))
    }

    override def next(): Boolean = inner.next()
    override def get(): ColumnarBatch = {
      val batch = inner.get()
      val nulls = new ConstantColumnVector(batch.numRows, LongType)
      nulls.setNull()
      new ColumnarBatch(from.map(i => if (i < 0) nulls else batch.column(i): ColumnVector), batch.numRows)
    }
    override def size: Int = inner.size
    override def close(): Unit = inner.close()
  }
}
