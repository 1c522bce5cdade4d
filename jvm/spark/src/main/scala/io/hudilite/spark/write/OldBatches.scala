package io.hudilite.spark.write

import java.io.Closeable

import io.hudilite.spark.row.ColumnView
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.mapred.FileSplit
import org.apache.hadoop.mapreduce.{JobID, TaskAttemptID, TaskID, TaskType}
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, VectorizedParquetRecordReader}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.vectorized.ColumnVector

/** Old rows in batches, by Spark's vectorized parquet reader; the vectors are reused from batch to batch.
  *
  * @param start
  *   first byte of the row groups to read
  */
private[write] final class OldBatches(old: OldBaseFile, start: Long, length: Long) extends Closeable {

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
      val attempt = new TaskAttemptID(new TaskID(new JobID(), TaskType.MAP, 0), 0)
      created.initialize(new FileSplit(old.path, start, length, Array.empty[String]),
        new TaskAttemptContextImpl(OldBatches.settings(old), attempt))
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

private[write] object OldBatches {

  private val Rows = 4096

  def of(old: OldBaseFile, block: BlockMetaData): OldBatches =
    new OldBatches(old, block.getStartingPos, block.getCompressedSize)

  def all(old: OldBaseFile): OldBatches = new OldBatches(old, 0, old.file.length)

  // Spark's reader looks its settings up by name and has no defaults for most of them; newer versions have more of them.
  private def settings(old: OldBaseFile): Configuration = {
    val conf = new Configuration(old.job.conf.value)
    val sql = SQLConf.get
    sql.getAllDefinedConfs.foreach { case (key, value, _, _) =>
      if (key.startsWith("spark.sql.parquet.") || key.startsWith("spark.sql.variant."))
        Option(value).foreach(conf.set(key, _))
    }
    Seq(SQLConf.PARQUET_BINARY_AS_STRING, SQLConf.PARQUET_INT96_AS_TIMESTAMP,
      SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED,
      SQLConf.LEGACY_PARQUET_NANOS_AS_LONG, SQLConf.NESTED_SCHEMA_PRUNING_ENABLED)
      .foreach(entry => conf.set(entry.key, sql.getConfString(entry.key)))
    conf.set(SQLConf.SESSION_LOCAL_TIMEZONE.key, sql.sessionLocalTimeZone)
    conf.set(SQLConf.CASE_SENSITIVE.key, "false")
    conf.set(ParquetInputFormat.READ_SUPPORT_CLASS, classOf[ParquetReadSupport].getName)
    conf.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, old.columns.requested.json)
    conf
  }
}
