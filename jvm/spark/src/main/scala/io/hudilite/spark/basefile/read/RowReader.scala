package io.hudilite.spark.basefile.read

import io.hudilite.spark.basefile.stored.StoredReadSupport

import org.apache.parquet.hadoop.ParquetRecordReader
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, UnsafeProjection}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.types.{LongType, StructField}
import org.apache.spark.unsafe.types.UTF8String

/** Rows of one split by parquet's own record assembly, for types that Spark's vectorized reader lacks, and for sessions
  * that switch that off.
  */
private[spark] final class RowReader(job: FileRead, file: BaseFileReader)
    extends SplitReader[InternalRow] {

  private val commitTimes: Set[UTF8String] = job.commitTimes.getOrElse(Set.empty).map(UTF8String.fromString)
  private val rowIndex: Int = file.columns.requested.fieldNames.indexOf(RowReader.RowIndex.name)
  private val reader = open()
  private val converted = new ConvertedRow(file.columns, job.settings.timeZone)
  private val projection = UnsafeProjection.create(job.columns.indices.map(delivered))

  private def open(): ParquetRecordReader[InternalRow] = {
    val support = new StoredReadSupport(file.calendar.int96Zone, file.calendar.dates, file.calendar.int96)
    val created = new ParquetRecordReader[InternalRow](support)
    try {
      created.initialize(file.hadoopSplit, file.context(file.columns.requested))
      created
    } catch {
      case e: Throwable =>
        created.close()
        throw e
    }
  }

  private def delivered(at: Int): Expression = {
    val dataType =
      if (file.columns.conversions(at) == Conversion.AsIs) file.columns.requested(at).dataType
      else job.columns(at).dataType
    BoundReference(at, dataType, nullable = true)
  }

  override def next(): Boolean = {
    // hot path
    var found = false
    var more = true
    while (!found && more) {
      more = reader.nextKeyValue()
      if (more && rowIndex >= 0) reader.getCurrentValue.setLong(rowIndex, reader.getCurrentRowIndex)
      found = more && counts(reader.getCurrentValue)
    }
    found
  }

  private def counts(row: InternalRow): Boolean =
    job.commitTimes.isEmpty ||
      (!row.isNullAt(file.commitTimeColumn) && commitTimes(row.getUTF8String(file.commitTimeColumn)))

  override def get(): InternalRow = projection(converted.of(reader.getCurrentValue))

  override def size: Int = 1

  override def close(): Unit = reader.close()
}

private[spark] object RowReader {

  /** Column in which this reader and Spark's vectorized reader deliver the position of a row in its file. */
  val RowIndex: StructField = StructField(ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME, LongType)
}
