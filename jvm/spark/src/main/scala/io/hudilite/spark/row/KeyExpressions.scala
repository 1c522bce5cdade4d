package io.hudilite.spark.row

import io.hudilite.error.{InvalidInput, Listed}
import io.hudilite.record.ReservedNames

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.hudilite.LastAttempts
import org.apache.spark.sql.types.{DataType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** A table's record key and partition path as expressions over their columns. Generated keys have none. */
final case class KeyExpressions(settings: KeySettings) {

  def recordKeyFields: Seq[String] = settings.recordKeyFields

  def partitionFields: Seq[String] = settings.partitionFields.map(_.name)

  /** @param column the value of a top-level column, `None` when it is not there */
  def recordKey(column: String => Option[Expression]): Option[Expression] =
    keyRoots(column).map { case (names, values) =>
      RecordKey(values, names, settings.copy(partitionFields = Nil))
    }

  /** The record key to look for; null where a part is missing. */
  def keyToFind(column: String => Option[Expression]): Option[Expression] =
    keyRoots(column).map { case (names, values) =>
      RecordKey(values, names, settings.copy(partitionFields = Nil), orNull = true)
    }

  /** Distinguishes rows with equal record keys whose values differ; `None` where one value is the whole key.
    *
    * @param key
    *   the record key of a row
    */
  def keyValues(key: Expression, column: String => Option[Expression]): Option[KeyValues] =
    if (recordKeyFields.size < 2) None
    else roots(recordKeyFields, column).map { case (names, values) =>
      KeyValues(key +: values, KeyValues.Key +: names, settings.copy(partitionFields = Nil))
    }

  /** @param toWrite
    *   true when rows are about to be written to the path, which must be legal then
    */
  def partitionPath(column: String => Option[Expression], toWrite: Boolean = false): Option[Expression] =
    roots(partitionFields, column).map { case (names, values) =>
      PartitionPath(values, names, settings.copy(recordKeyFields = Nil), toWrite)
    }

  private def keyRoots(column: String => Option[Expression]): Option[(Seq[String], Seq[Expression])] =
    if (recordKeyFields.isEmpty) None else roots(recordKeyFields, column)

  private def roots(fields: Seq[String], column: String => Option[Expression])
      : Option[(Seq[String], Seq[Expression])] = {
    val names = fields.map(_.takeWhile(_ != '.')).distinct
    val values = names.map(column)
    if (values.forall(_.isDefined)) Some(names -> values.flatten) else None
  }
}

/** The record key of a row; a missing key raises `NULL_RECORD_KEY`.
  *
  * @param orNull
  *   true to make a missing key null: one to look for, which no row has
  */
final case class RecordKey(children: Seq[Expression], names: Seq[String], settings: KeySettings,
    orNull: Boolean = false)
    extends KeyExpression {
  override def prettyName: String = "record_key"
  override def nullable: Boolean = orNull

  /** The column with the whole key, where a key is one text. */
  def column: Option[Expression] = children match {
    case Seq(value) if !settings.prefixed && settings.recordKeyFields == names && value.dataType == StringType =>
      Some(value)
    case _ => None
  }

  /** True where the key is spelled of whole numbers alone. */
  def ofWholeNumbers: Boolean =
    settings.recordKeyFields == names && children.forall(child => FieldText.isWholeNumber(child.dataType))

  override protected def text(row: InternalRow): UTF8String =
    if (orNull) keys.recordKeyOrNull(row) else keys.recordKey(row)
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): RecordKey =
    copy(children = newChildren)
}

/** See [[RowKeys.valuesOf]]; the first child is the record key. */
final case class KeyValues(children: Seq[Expression], names: Seq[String], settings: KeySettings)
    extends KeyExpression {
  override def prettyName: String = "key_values"
  override def nullable: Boolean = true
  override protected def text(row: InternalRow): UTF8String = keys.valuesOf(row, row.getUTF8String(0))
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): KeyValues =
    copy(children = newChildren)
}

object KeyValues {
  private[row] val Key = ReservedNames.InternalPrefix + "key"

  /** The error where two rows of one key have different values. */
  def alike(fields: Seq[String], one: UTF8String, other: UTF8String): Throwable = LastAttempts.failure(InvalidInput(
      "KEYS_SPELLED_ALIKE", "fields" -> Listed.of(fields), "one" -> told(one), "other" -> told(other)))

  private def told(values: UTF8String): String =
    if (values == null) "values without commas, colons and placeholders" else values.toString
}

/** The partition path of a row. One that must not be written raises `ILLEGAL_PARTITION_PATH`. */
final case class PartitionPath(
    children: Seq[Expression], names: Seq[String], settings: KeySettings, override val toWrite: Boolean)
    extends KeyExpression {
  override def prettyName: String = "partition_path"
  override protected def text(row: InternalRow): UTF8String = keys.partitionPath(row)
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): PartitionPath =
    copy(children = newChildren)
}

/** A string made from the values of some columns.
  *
  * Not in generated code. Spark 4.3's generated code of MERGE keeps values in arrays; behind it, Spark would make
  * methods of several such expressions that do not compile.
  */
sealed trait KeyExpression extends Expression with CodegenFallback {

  def names: Seq[String]
  def settings: KeySettings
  def toWrite: Boolean = false

  override def dataType: DataType = StringType
  override def nullable: Boolean = false
  override def stringArgs: Iterator[Any] = children.iterator

  protected def text(row: InternalRow): UTF8String

  @transient protected lazy val keys: RowKeys =
    new RowKeys(StructType(names.zip(children).map { case (n, c) => StructField(n, c.dataType) }), settings, toWrite)
  @transient private lazy val values = new GenericInternalRow(children.size)
  @transient private lazy val columns = children.toArray

  // hot path
  override def eval(input: InternalRow): Any = {
    var i = 0
    while (i < columns.length) {
      values.update(i, columns(i).eval(input))
      i += 1
    }
    text(values)
  }
}
