package io.hudilite.spark.scan.plan

import io.hudilite.spark.basefile.read.ReaderSettings
import io.hudilite.spark.scan.task.{FileFacts, TaskSizes}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.WholeStageCodegenExec
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Settings of the active session that a scan goes by. */
object ScanSettings {

  /** @param columns
    *   columns that the scan delivers
    * @param known
    *   columns of the table
    */
  def reader(columns: StructType, known: StructType): ReaderSettings = {
    val sql = SQLConf.get
    val ofFiles = FileFacts.asked(columns, known).fold(columns)(_ => FileFacts.without(columns))
    val vectorized = ParquetUtils.isBatchReadSupportedForSchema(sql, ofFiles)
    ReaderSettings(
      vectorized = vectorized,
      columnar = vectorized && sql.wholeStageEnabled && !WholeStageCodegenExec.isTooManyFields(sql, columns),
      batchSize = sql.parquetVectorizedReaderBatchSize,
      offHeap = sql.offHeapColumnVectorEnabled,
      caseSensitive = sql.caseSensitiveAnalysis,
      pushFilters = sql.parquetFilterPushDown,
      datetimeRebaseMode = sql.getConfString(SQLConf.PARQUET_REBASE_MODE_IN_READ.key),
      int96RebaseMode = sql.getConfString(SQLConf.PARQUET_INT96_REBASE_MODE_IN_READ.key),
      int96Conversion = sql.isParquetINT96TimestampConversion,
      timeZone = sql.sessionLocalTimeZone)
  }

  /** Sizes of tasks, as Spark has them for files of its own sources. */
  def taskSizes(session: SparkSession): TaskSizes = {
    val sql = SQLConf.get
    TaskSizes(sql.filesMaxPartitionBytes, sql.filesOpenCostInBytes,
      sql.filesMinPartitionNum.getOrElse(session.sparkContext.defaultParallelism).max(1))
  }
}
