package io.hudilite.spark.shim

import java.lang.reflect.{InvocationTargetException, Method}

import org.apache.hadoop.mapred.FileSplit
import org.apache.hadoop.mapreduce.TaskAttemptContext
import org.apache.parquet.hadoop.metadata.ParquetMetadata
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader

/** Starts Spark's vectorized parquet reader on a footer that was read already.
  *
  * Spark 4.0 takes the footer alone. Later Sparks take it together with the open file, by a method that 4.0 lacks.
  */
object VectorizedReaders {

  private val withOpenFile: Option[Method] =
    classOf[VectorizedParquetRecordReader].getMethods.find(m => m.getName == "initialize" && m.getParameterCount == 5)

  def initialize(
      reader: VectorizedParquetRecordReader, split: FileSplit, context: TaskAttemptContext, footer: ParquetMetadata)
      : Unit =
    withOpenFile match {
      case Some(method) =>
        val file = HadoopInputFile.fromPath(split.getPath, context.getConfiguration)
        try method.invoke(reader, split, context, Some(file), Some(file.newStream()), Some(footer))
        catch { case e: InvocationTargetException => throw e.getCause }
        ()
      case None =>
        try reader.initialize(split, context, Option(footer))
        catch { case _: NoSuchMethodError => reader.initialize(split, context) }
    }
}
