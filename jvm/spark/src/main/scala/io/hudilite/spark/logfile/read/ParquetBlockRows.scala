package io.hudilite.spark.logfile.read

import io.hudilite.spark.basefile.read.{Conversion, FileColumns}

import java.io.Closeable

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.ParquetReadOptions
import org.apache.parquet.hadoop.{ParquetFileReader, ParquetReader}
import org.apache.parquet.hadoop.api.ReadSupport
import org.apache.parquet.io.InputFile
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Cast, UnsafeProjection}
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetToSparkSchemaConverter}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** Rows of a Parquet data block, by Parquet's own record assembly; only the wanted columns are decoded.
  *
  * @param bytes
  *   content of the block: a whole Parquet file
  */
private[read] final class ParquetBlockRows(
    bytes: Array[Byte], name: String, wanted: StructType, conf: Configuration, timeZone: String) extends Closeable {

  private val image = new ParquetImage(bytes, name)
  private val settings = ParquetBlockRows.settings(conf)
  private val footer = {
    val opened = ParquetFileReader.open(image, ParquetReadOptions.builder().build())
    try opened.getFooter
    finally opened.close()
  }
  private val metadata = footer.getFileMetaData
  private val columns = FileColumns.plan(
    new ParquetToSparkSchemaConverter(settings).convert(metadata.getSchema), wanted, caseSensitive = false)
  private val reader = open()
  private val toWanted = UnsafeProjection.create(wanted.fields.indices.map { i =>
    val column = BoundReference(i, columns.requested(i).dataType, nullable = true)
    if (columns.conversions(i) == Conversion.AsIs) column else Cast(column, wanted(i).dataType, Some(timeZone))
  })

  private def open(): ParquetReader[InternalRow] = {
    def value(key: String): String = metadata.getKeyValueMetaData.get(key)
    val support = new ParquetReadSupport(None, false, DataSourceUtils.datetimeRebaseSpec(value(_), "CORRECTED"),
      DataSourceUtils.int96RebaseSpec(value(_), "CORRECTED"))
    settings.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, columns.requested.json)
    new ParquetBlockRows.Builder(image, support).withConf(settings).build()
  }

  /** Rows of the block. */
  val rows: Int = footer.getBlocks.asScala.map(_.getRowCount).sum.toInt

  /** The next row, which is reused, or null behind the last one. */
  def next(): InternalRow = {
    // hot path
    val row = reader.read()
    if (row == null) null else toWanted(row)
  }

  override def close(): Unit = reader.close()
}

private object ParquetBlockRows {

  private final class Builder(file: InputFile, support: ReadSupport[InternalRow])
      extends ParquetReader.Builder[InternalRow](file) {
    override protected def getReadSupport: ReadSupport[InternalRow] = support
  }

  // Spark's reader looks its settings up by name and has no defaults for them.
  private def settings(conf: Configuration): Configuration = {
    val own = new Configuration(conf)
    val sql = SQLConf.get
    Seq(SQLConf.PARQUET_BINARY_AS_STRING, SQLConf.PARQUET_INT96_AS_TIMESTAMP,
      SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED, SQLConf.LEGACY_PARQUET_NANOS_AS_LONG,
      SQLConf.NESTED_SCHEMA_PRUNING_ENABLED, SQLConf.SESSION_LOCAL_TIMEZONE)
      .foreach(entry => if (own.get(entry.key) == null) own.set(entry.key, sql.getConfString(entry.key)))
    own.set(SQLConf.CASE_SENSITIVE.key, "false")
    own
  }
}
