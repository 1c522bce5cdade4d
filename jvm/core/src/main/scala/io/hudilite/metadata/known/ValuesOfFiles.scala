package io.hudilite.metadata.known

import io.hudilite.codec.parquet.ParquetRecords
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFileFooter, StoredFile}
import io.hudilite.metadata.{SecondaryIndex, SecondaryKey, StatType, StatValue}
import io.hudilite.storage.Storage

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.Group
import org.apache.parquet.hadoop.api.{InitContext, ReadSupport}
import org.apache.parquet.hadoop.example.GroupReadSupport
import org.apache.parquet.schema.{MessageType, PrimitiveType, Type}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

import scala.collection.JavaConverters._

/** The record keys of the rows of base files with the values of a column, as a secondary index has them. No other columns
  * are read.
  *
  * @param kind
  *   of the column's type in the table, as [[StatType]] numbers it; values of files with others are not told
  */
final class ValuesOfFiles(storage: Storage, column: String, kind: Option[Int]) {

  /** The rows of a file, which the caller closes. A file whose values cannot be told raises `CORRUPT_FILE`. */
  def open(path: String, length: Long): ValuesOfFile = {
    val records = new ParquetRecords(new StoredFile(storage, path, length), new Configuration(false))
    try new ValuesOfFile(records, path, column, kind)
    catch {
      case e: Throwable =>
        records.close()
        throw e
    }
  }
}

/** The rows of one base file. */
final class ValuesOfFile private[known] (records: ParquetRecords, path: String, column: String, kind: Option[Int])
    extends Iterator[SecondaryKey] with AutoCloseable {

  import ValuesOfFile._

  /** The rows come in the order of the UTF-8 bytes of their keys. */
  val isSorted: Boolean = records.footer.getFileMetaData.getKeyValueMetaData.asScala
    .get(BaseFileFooter.SortedByKey).contains("true")

  private val file = records.footer.getFileMetaData.getSchema
  private val isThere = file.containsField(column)
  private val hasRows = records.footer.getBlocks.asScala.exists(_.getRowCount > 0)

  check()

  private val value: Group => StatValue =
    if (isThere) reader(file.getType(file.getFieldIndex(column)), path, column, kind) else _ => StatValue.Text("")

  private val rows: Iterator[Group] = records.of(new ColumnsOf(new MessageType(file.getName,
        (Seq(KeyColumn) ++ Some(column).filter(c => isThere && c != KeyColumn))
          .map(name => file.getType(file.getFieldIndex(name))).asJava)))

  private def check(): Unit = {
    if (!file.containsField(KeyColumn)) throw strange(path, s"it has no column $KeyColumn")
    // The columns of a skeleton are in another file.
    if (hasRows && file.getFields.asScala.forall(_.getName.startsWith(MetaPrefix)))
      throw strange(path, s"its column $column lies in another file")
    // Readers that tell no case apart take it for the column.
    if (!isThere) file.getFields.asScala.map(_.getName).find(_.equalsIgnoreCase(column)).foreach(other =>
      throw strange(path, s"its column $other differs from $column by case"))
  }

  override def hasNext: Boolean = rows.hasNext

  override def next(): SecondaryKey = { // hot path
    val row = rows.next()
    if (row.getFieldRepetitionCount(0) == 0) throw strange(path, "a row has no record key")
    val isNull = !isThere || row.getFieldRepetitionCount(column) == 0
    SecondaryKey(if (isNull) None else Some(SecondaryIndex.text(value(row))), row.getString(0, 0))
  }

  override def close(): Unit = records.close()
}

private object ValuesOfFile {

  val KeyColumn = "_hoodie_record_key"
  val MetaPrefix = "_hoodie_"

  private val MicrosOfMilli = 1000L

  def strange(path: String, reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> reason)

  /** Takes the value of the column out of a row that has one. */
  def reader(of: Type, path: String, column: String, kind: Option[Int]): Group => StatValue = {
    val found =
      if (of.isPrimitive && !of.isRepetition(Type.Repetition.REPEATED)) read(of.asPrimitiveType, column) else None
    val (stored, value) =
      found.getOrElse(throw strange(path, s"a secondary index has no values of the type that $column has there: $of"))
    if (!kind.exists(SecondaryIndex.isReadAs(stored, _)))
      throw strange(path, s"$column has another type there than in the table: $of")
    value
  }

  private def read(of: PrimitiveType, column: String): Option[(Int, Group => StatValue)] =
    (of.getPrimitiveTypeName, Option(of.getLogicalTypeAnnotation)) match {
      case (BINARY, Some(_: StringLogicalTypeAnnotation)) =>
        Some(StatType.Text -> (row => StatValue.Text(row.getBinary(column, 0).toStringUsingUTF8)))
      case (INT32, None) => Some(StatType.Int -> (row => StatValue.Int32(row.getInteger(column, 0))))
      case (INT32, Some(_: DateLogicalTypeAnnotation)) =>
        Some(StatType.Date -> (row => StatValue.Int32(row.getInteger(column, 0))))
      case (INT32, Some(i: IntLogicalTypeAnnotation)) if i.isSigned =>
        Some(StatType.Int -> (row => StatValue.Int32(row.getInteger(column, 0))))
      case (INT64, None) => Some(StatType.Long -> (row => StatValue.Int64(row.getLong(column, 0))))
      case (INT64, Some(i: IntLogicalTypeAnnotation)) if i.isSigned =>
        Some(StatType.Long -> (row => StatValue.Int64(row.getLong(column, 0))))
      case (INT64, Some(t: TimestampLogicalTypeAnnotation)) if isInstant(t, TimeUnit.MICROS) =>
        Some(StatType.TimestampMicros -> (row => StatValue.Int64(row.getLong(column, 0))))
      case (INT64, Some(t: TimestampLogicalTypeAnnotation)) if isInstant(t, TimeUnit.MILLIS) =>
        // Spelled in microseconds, as readers of a table of such have it.
        Some(StatType.TimestampMicros -> (row => StatValue.Int64(row.getLong(column, 0) * MicrosOfMilli)))
      case _ => None
    }

  private def isInstant(of: TimestampLogicalTypeAnnotation, unit: TimeUnit): Boolean =
    of.isAdjustedToUTC && of.getUnit == unit

  final class ColumnsOf(columns: MessageType) extends GroupReadSupport {
    override def init(context: InitContext): ReadSupport.ReadContext = new ReadSupport.ReadContext(columns)
  }
}
