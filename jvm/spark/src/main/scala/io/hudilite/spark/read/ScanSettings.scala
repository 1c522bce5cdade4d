package io.hudilite.spark.read

import io.hudilite.spark.basefile.read.ReaderSettings

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.WholeStageCodegenExec
import org.apache.spark.sql.execution.datasources.parquet.ParquetUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** What a scan takes from the active session. */
object ScanSettings {

  /** @param columns
    *   columns that the scan delivers
    * @param ofFiles
    *   those of them that are read from files
    */
  def reader(columns: StructType, ofFiles: StructType): ReaderSettings = {
    val sql = SQLConf.get
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

  /** Tasks that a scan is dealt out to at least, if it has so many bytes. */
  def parallelism: Int =
    SQLConf.get.filesMinPartitionNum.getOrElse(SparkSession.active.sparkContext.defaultParallelism).max(1)

  /** Bytes that one task may be given. */
  def maxSplitBytes(totalBytes: Long): Long = {
    val sql = SQLConf.get
    ScanPartition.maxSplitBytes(totalBytes, sql.filesMaxPartitionBytes, sql.filesOpenCostInBytes, parallelism)
  }

  def openCostBytes: Long = SQLConf.get.filesOpenCostInBytes
}
