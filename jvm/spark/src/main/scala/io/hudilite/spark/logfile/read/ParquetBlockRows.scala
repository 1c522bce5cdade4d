package io.hudilite.spark.logfile.read

import io.hudilite.codec.parquet.{ParquetImage, ParquetRecords}
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.read.{Conversion, ConvertedRow, FileCalendar, FileColumns}
import io.hudilite.spark.basefile.stored.{FileType, StoredReadSupport}

import java.io.Closeable

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection}
import org.apache.spark.sql.execution.datasources.parquet.{ParquetReadSupport, ParquetToSparkSchemaConverter}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** Rows of a Parquet data block, by Parquet's own record assembly; only the wanted columns are decoded.
  *
  * @param bytes
  *   content of the block: a whole Parquet file
  * @param names
  *   under which names the wanted columns are in the block
  */
private[logfile] final class ParquetBlockRows(
    bytes: Array[Byte], name: String, wanted: StructType, names: ColumnNames, conf: Configuration,
    timeZone: String = SQLConf.get.sessionLocalTimeZone)
    extends Closeable {

  private val settings = ParquetBlockRows.settings(conf)
  private val file = new ParquetRecords(new ParquetImage(bytes, name), settings)
  private val metadata = file.footer.getFileMetaData
  private val inFile = FileType.of(metadata.getSchema, new ParquetToSparkSchemaConverter(settings))
  private val columns = FileColumns.plan(inFile, wanted, caseSensitive = false, s"the log file $name", names)
  private val records = open()
  private val converted = new ConvertedRow(columns, timeZone)
  private val toWanted = UnsafeProjection.create(wanted.fields.indices.map { i =>
    val dataType = if (columns.conversions(i) == Conversion.AsIs) columns.requested(i).dataType else wanted(i).dataType
    BoundReference(i, dataType, nullable = true)
  })

  /** By the position of a wanted column whether the block has it. */
  val present: Array[Boolean] = {
    val there = inFile.fields.map(_._1).toSet
    columns.requested.fieldNames.map(name => there(name) || there.exists(_.equalsIgnoreCase(name)))
  }

  private def open(): Iterator[InternalRow] = {
    val calendar = FileCalendar.of(file.footer)
    val support = new StoredReadSupport(None, calendar.dates, calendar.int96)
    settings.set(ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA, columns.requested.json)
    file.of(support)
  }

  /** Rows of the block. */
  val rows: Int = file.footer.getBlocks.asScala.map(_.getRowCount).sum.toInt

  /** The next row, which is reused, or null behind the last one. */
  def next(): InternalRow = {
    // hot path
    if (records.hasNext) toWanted(converted.of(records.next())) else null
  }

  override def close(): Unit = file.close()
}

private object ParquetBlockRows {

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
