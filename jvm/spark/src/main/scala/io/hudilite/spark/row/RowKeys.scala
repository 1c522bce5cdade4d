package io.hudilite.spark.row

import io.hudilite.error.{InvalidInput, Listed}
import io.hudilite.record.{KeyEncoding, LegalPath, TimestampPartitions}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.hudilite.LastAttempts
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A field of the partition path. `format` makes path text of its values where the key generator is timestamp-based. */
final case class PathField(name: String, format: Option[TimestampPartitions] = None)

/** Record keys and partition paths as they are made of a row's columns. Names may be dotted paths into structs.
  *
  * @param recordKeyFields
  *   none where keys are generated
  * @param prefixed
  *   true when record keys are spelled `field:value,…`
  * @param timesAsNumbers
  *   true when timestamps are spelled as microseconds since 1970, as those without a zone always are
  * @param mostNameBytes
  *   greatest length of a partition's folder name, where the table's file system has a limit
  * @param onlyInPaths
  *   no file holds the partition columns
  */
final case class KeySettings(
    recordKeyFields: Seq[String],
    prefixed: Boolean,
    partitionFields: Seq[PathField],
    hiveStyle: Boolean,
    urlEncode: Boolean,
    timesAsNumbers: Boolean = false,
    mostNameBytes: Option[Int] = None,
    onlyInPaths: Boolean = false) {

  /** The writer of a new row generates its key, and no column tells the key of an old one. */
  def generated: Boolean = recordKeyFields.isEmpty
}

/** Record key and partition path of rows of `schema`, in Hudi's spelling. Not for use by several threads.
  *
  * @param toWrite
  *   true when the rows are about to be written: an illegal partition path raises `ILLEGAL_PARTITION_PATH`
  */
final class RowKeys(schema: StructType, settings: KeySettings, toWrite: Boolean) extends Serializable {

  import RowKeys.SpelledPath

  private val keyFields = settings.recordKeyFields.toIndexedSeq
  private val keys = keyFields.map(FieldText.of(schema, _, None, settings.timesAsNumbers)).toArray
  private val keyValues = new Array[String](keys.length)

  private val partitionFields = settings.partitionFields.map(_.name).toIndexedSeq
  private val partitions = settings.partitionFields.map(f =>
    FieldText.of(schema, f.name, f.format, settings.timesAsNumbers)).toArray
  private val partitionValues = new Array[String](partitions.length)
  private val partitionPaths = new java.util.HashMap[UTF8String, SpelledPath]
  private var last: SpelledPath = _ // rows of a partition often come together

  // Marks of `a:…,b:…`; names of fields have neither.
  private val fieldMarks = 2 * keys.length - 1

  private val plainKey: Boolean = keys.length == 1 && !settings.prefixed && keys(0).isText
  private val wholeNumbers: WholeNumberKeys =
    if (keys.nonEmpty && keys.forall(_.isWholeNumber)) new WholeNumberKeys(keyFields, keys, settings.prefixed) else null

  /** The row's record key; a row without one raises `NULL_RECORD_KEY`. Valid as long as the row is. */
  def recordKey(row: InternalRow): UTF8String = {
    val key = recordKeyOrNull(row)
    if (key == null) throw nullKey
    key
  }

  /** The row's record key, null when it has none. */
  def recordKeyOrNull(row: InternalRow): UTF8String =
    if (plainKey) {
      val key = keys(0).utf8(row)
      if (key == null || key.numBytes == 0) null else key
    } else if (wholeNumbers != null) wholeNumbers.of(row)
    else UTF8String.fromString(KeyEncoding.recordKeyOrNull(keyFields, texts(keys, keyValues, row), settings.prefixed))

  /** The values behind a composite key, spelled so that other values give another text. Null where the key alone does
    * that.
    *
    * @param key
    *   the record key of the row
    */
  def valuesOf(row: InternalRow, key: UTF8String): UTF8String =
    if (keys.length < 2 || isPlain(key)) null
    else UTF8String.fromString(KeyEncoding.distinct(texts(keys, keyValues, row)))

  // hot path: a comma or colon beyond those between the fields, or a placeholder, may belong to a value
  private def isPlain(key: UTF8String): Boolean = {
    val (bytes, from) = (Binaries.bytes(key), Binaries.offset(key))
    var (marks, i) = (0, from)
    while (i < from + key.numBytes) {
      if (bytes(i) == ',' || bytes(i) == ':') marks += 1
      i += 1
    }
    marks == fieldMarks && !key.contains(RowKeys.Null) && !key.contains(RowKeys.Empty)
  }

  private def nullKey: Throwable =
    LastAttempts.failure(InvalidInput("NULL_RECORD_KEY", "fields" -> Listed.of(keyFields)))

  /** The row's partition path; empty in an unpartitioned table. */
  def partitionPath(row: InternalRow): UTF8String =
    if (partitions.length == 0) UTF8String.EMPTY_UTF8
    else if (partitions.length == 1 && partitions(0).isText) {
      val value = partitions(0).utf8(row)
      if (value == null) spell(row) else cached(value, row)
    } else spell(row)

  // Tables have few partitions compared with rows, and escaping is slow.
  private def cached(value: UTF8String, row: InternalRow): UTF8String = {
    if (last == null || value != last.value) {
      val known = partitionPaths.get(value)
      last = if (known != null) known else spelled(value.copy(), row)
    }
    last.path
  }

  private def spelled(value: UTF8String, row: InternalRow): SpelledPath = {
    val path = SpelledPath(value, spell(row))
    if (partitionPaths.size < RowKeys.CachedPaths) partitionPaths.put(value, path)
    path
  }

  private def spell(row: InternalRow): UTF8String =
    try {
      val values = texts(partitions, partitionValues, row)
      val path = KeyEncoding.partitionPath(partitionFields, values, settings.hiveStyle, settings.urlEncode)
      if (toWrite) {
        LegalPath.check(path, settings.mostNameBytes, partitionFields, values.toSeq)
        if (settings.onlyInPaths) LegalPath.checkTold(path, partitionFields, values.toSeq)
      }
      UTF8String.fromString(path)
    } catch { case e: InvalidInput => throw LastAttempts.failure(e) }

  private def texts(fields: Array[FieldText], values: Array[String], row: InternalRow): Array[String] = {
    var i = 0
    while (i < fields.length) { // hot path
      values(i) = fields(i).text(row)
      i += 1
    }
    values
  }
}

private object RowKeys {
  val Null: UTF8String = UTF8String.fromString(KeyEncoding.NullPlaceholder)
  val Empty: UTF8String = UTF8String.fromString(KeyEncoding.EmptyPlaceholder)
  val CachedPaths = 10000

  final case class SpelledPath(value: UTF8String, path: UTF8String)
}

/** Text of one field of a row. `path` holds the ordinals and widths of the structs around it. */
private[row] final class FieldText(
    path: Array[(Int, Int)], ordinal: Int, dataType: DataType, format: Option[TimestampPartitions],
    timesAsNumbers: Boolean)
    extends Serializable {

  private val isNumber: Boolean = dataType == TimestampNTZType || timesAsNumbers && FieldText.hasTwoSpellings(dataType)

  /** True when the value is its own text. */
  val isText: Boolean = dataType.isInstanceOf[StringType] && format.isEmpty

  /** True for a number that is spelled by its digits. */
  val isWholeNumber: Boolean = format.isEmpty && FieldText.isWholeNumber(dataType)

  def isMissing(row: InternalRow): Boolean = {
    val owner = parent(row)
    owner == null || owner.isNullAt(ordinal)
  }

  /** Value of a whole number that is not missing. */
  def wholeNumber(row: InternalRow): Long = dataType match {
    case IntegerType => parent(row).getInt(ordinal).toLong
    case LongType => parent(row).getLong(ordinal)
    case ShortType => parent(row).getShort(ordinal).toLong
    case _ => parent(row).getByte(ordinal).toLong
  }

  /** Text of a string field, null when absent. */
  def utf8(row: InternalRow): UTF8String = {
    val owner = parent(row)
    if (owner == null || owner.isNullAt(ordinal)) null else owner.getUTF8String(ordinal)
  }

  /** Text as Hudi spells the value, null when absent. */
  def text(row: InternalRow): String = {
    val owner = parent(row)
    if (owner == null || owner.isNullAt(ordinal)) format.map(_.format(null)).orNull
    else format match {
      case Some(times) => times.format(FieldText.timed(owner.get(ordinal, dataType), dataType))
      case None if isNumber => java.lang.Long.toString(owner.getLong(ordinal))
      case None => FieldText.spell(owner, ordinal, dataType)
    }
  }

  private def parent(row: InternalRow): InternalRow = {
    var owner = row
    var i = 0
    while (i < path.length && owner != null) {
      owner = if (owner.isNullAt(path(i)._1)) null else owner.getStruct(path(i)._1, path(i)._2)
      i += 1
    }
    owner
  }
}

private[spark] object FieldText {

  /** The field that a dotted name means. Raises when there is none or when its type has no text form in Hudi. */
  private[row] def of(schema: StructType, name: String, format: Option[TimestampPartitions], timesAsNumbers: Boolean)
      : FieldText = {
    val parts = name.split('.')
    def descend(struct: StructType, i: Int, path: Vector[(Int, Int)]): FieldText = {
      val ordinal = struct.fields.indexWhere(_.name == parts(i))
      if (ordinal < 0)
        throw InvalidInput("MISSING_COLUMN", "column" -> name, "columns" -> Listed.of(schema.fieldNames.toSeq))
      struct.fields(ordinal).dataType match {
        case inner: StructType if i + 1 < parts.length => descend(inner, i + 1, path :+ (ordinal -> inner.length))
        case leaf if i + 1 == parts.length && hasText(leaf) =>
          new FieldText(path.toArray, ordinal, leaf, format, timesAsNumbers)
        case other => throw noText(name, other)
      }
    }
    descend(schema, 0, Vector.empty)
  }

  /** True for a timestamp, which Hudi's writers spell in two ways. One without a zone is a number to all of them. */
  def hasTwoSpellings(dataType: DataType): Boolean = dataType == TimestampType

  /** True for numbers that any writer spells by their digits alone. */
  def isWholeNumber(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  private[row] def noText(name: String, dataType: DataType): InvalidInput =
    InvalidInput("UNSUPPORTED_COLUMN_TYPE", "column" -> name, "type" -> dataType.catalogString,
      "reason" -> "record keys and partition paths have no text for it")

  private[row] def notTold(name: String, dataType: DataType): InvalidInput =
    InvalidInput("UNSUPPORTED_COLUMN_TYPE", "column" -> name, "type" -> dataType.catalogString,
      "reason" -> "files of the table leave its partition columns out, and no path of a partition tells such a value")

  private[row] def hasText(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DateType |
        TimestampType | TimestampNTZType | _: DecimalType | _: StringType => true
    case _ => false
  }

  // docs/format.md, record keys: Java's own spelling of each value.
  private[row] def spell(row: InternalRow, ordinal: Int, dataType: DataType): String = dataType match {
    case _: StringType => row.getUTF8String(ordinal).toString
    case IntegerType => Integer.toString(row.getInt(ordinal))
    case LongType => java.lang.Long.toString(row.getLong(ordinal))
    case ShortType => row.getShort(ordinal).toString
    case ByteType => row.getByte(ordinal).toString
    case BooleanType => row.getBoolean(ordinal).toString
    case FloatType => java.lang.Float.toString(row.getFloat(ordinal))
    case DoubleType => java.lang.Double.toString(row.getDouble(ordinal))
    case other => external(row.get(ordinal, other), other).toString
  }

  /** The value as `TimestampPartitions.format` takes it. */
  private[row] def timed(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (micros: Long, TimestampType | TimestampNTZType) => DateTimeUtils.microsToInstant(micros)
    case _ => external(value, dataType)
  }

  /** The value as an object of Java's. */
  private[row] def external(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (days: Int, DateType) => java.time.LocalDate.ofEpochDay(days.toLong)
    case (micros: Long, TimestampType) => new java.sql.Timestamp(micros / 1000) // as Hudi, also before 1970
    case (decimal: Decimal, _) => decimal.toJavaBigDecimal
    case (text: UTF8String, _) => text.toString
    case (other, _) => other
  }
}
