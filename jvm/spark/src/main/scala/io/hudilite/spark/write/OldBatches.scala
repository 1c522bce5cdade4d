package io.hudilite.spark.write

import java.io.Closeable

import io.hudilite.spark.row.{ColumnView, ReaderContexts}
import org.apache.hadoop.mapred.FileSplit
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader
import org.apache.spark.sql.vectorized.ColumnVector

/** Old rows in batches, by Spark's vectorized parquet reader; the vectors are reused from batch to batch.
  *
  * @param start
  *   first byte of the row groups to read
  */
private[write] final class OldBatches(old: OldBaseFile, readers: ReaderContexts, start: Long, length: Long)
    extends Closeable {

  private val reader = open()

  /** The columns of `OldBaseFile.schema`, in the types of the table. */
  val vectors: Array[ColumnVector] = {
    val batch = reader.resultBatch()
    Array.tabulate(batch.numCols)(i => ColumnView.of(batch.column(i), old.columns.conversions(i)))
  }

  /** Rows of the current batch. */
  def rows: Int = reader.resultBatch().numRows

  /** Moves on to the next batch; false when there is none. */
  def next(): Boolean = reader.nextKeyValue()

  override def close(): Unit = reader.close()

  private def open(): VectorizedParquetRecordReader = {
    val dates = DataSourceUtils.datetimeRebaseSpec(key => old.footer(key).orNull, "CORRECTED")
    val times = DataSourceUtils.int96RebaseSpec(key => old.footer(key).orNull, "CORRECTED")
    val created = new VectorizedParquetRecordReader(null, dates.mode.toString, dates.timeZone, times.mode.toString,
      times.timeZone, false, OldBatches.Rows)
    try {
      created.initialize(new FileSplit(old.path, start, length, Array.empty[String]),
        readers.of(old.columns.requested, filter = None))
      created.enableReturningBatches()
      created.resultBatch()
      created
    } catch {
      case e: Throwable =>
        created.close()
        throw e
    }
  }
}

private object OldBatches {
  val Rows = 4096
}
