package io.hudilite.spark.shim

import org.apache.hadoop.mapred.FileSplit
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader

/** Starts Spark's vectorized parquet reader on a footer that was read already. */
object VectorizedReaders {
  def initialize(
      reader: VectorizedParquetRecordReader, split: FileSplit, context: TaskAttemptContext, footer: ParquetMetadata)
      : Unit =
    reader.initialize(split, context, Option(footer))
}
