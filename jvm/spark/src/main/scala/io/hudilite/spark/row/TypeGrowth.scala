package io.hudilite.spark.row

import org.apache.spark.sql.types._

/** Types of a table's columns after a write of rows of other types: pure. Structs meet field by field, by name,
  * wherever they lie. Other types are widened, or stay.
  *
  * @param rule
  *   differences that rows may have
  */
private[row] final class TypeGrowth(rule: ColumnsRule) {

  import SchemaAlignment.{find, incompatible, missing}

  /** The fields of a struct, or the columns of the table. Those that only the rows have come last. Columns that the
    * rows lack stay as they were.
    *
    * @param path
    *   names of the columns around the struct, the innermost first; the elements of a list are `element`, the values of
    *   a map `value`
    */
  def struct(table: StructType, rows: StructType, path: List[String]): StructType = {
    val kept = table.fields.map(f =>
      find(rows, f.name).fold(f)(i => f.copy(dataType = grown(f.dataType, i.dataType, f.name :: path))))
    StructType(kept ++ rows.fields.filter(i => rule.takesNew && find(table, i.name).isEmpty))
  }

  private def grown(table: DataType, rows: DataType, path: List[String]): DataType = (table, rows) match {
    case (one, other) if Nullability.sameType(one, other) => one
    case (into: StructType, from: StructType) =>
      into.fields.filter(f => find(from, f.name).isEmpty).foreach(absent(_, from, path))
      struct(into, from, path)
    case (into: ArrayType, from: ArrayType) =>
      into.copy(elementType = grown(into.elementType, from.elementType, "element" :: path))
    case (into: MapType, from: MapType) if Nullability.sameType(into.keyType, from.keyType) =>
      into.copy(valueType = grown(into.valueType, from.valueType, "value" :: path))
    case (one, other) if TypeGrowth.holds(one, other) => one
    case (one, other) if TypeGrowth.growsTo(one, other) => other
    case (one, other) => throw incompatible(named(path), one, other, TypeGrowth.reason(one, other))
  }

  private def absent(field: StructField, rows: StructType, path: List[String]): Unit = {
    if (!rule.fillNull) throw missing(named(field.name :: path), rows)
    if (!field.nullable) throw Nullability.nullInRequired(named(field.name :: path))
  }

  private def named(path: List[String]): String = path.reverse.mkString(".")
}

/** Pairs of types that go together, as the columns of Apache Hudi's tables grow, and without loss of values. */
private[row] object TypeGrowth {

  /** True when every value of the type `rows` is one of the type `table`, or has exactly one text there. */
  def holds(table: DataType, rows: DataType): Boolean = (rows, table) match {
    case (NullType, _) => true
    case (from: DecimalType, to: DecimalType) => contains(to, from)
    case (from, to: DecimalType) => digits(from).exists(_ <= to.precision - to.scale)
    case (ByteType | ShortType, FloatType) => true
    case (from: DecimalType, DoubleType) => from.scale == 0 && from.precision <= DigitsOfDouble
    case (from: DecimalType, StringType) => from.scale >= 0
    case (ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType, StringType) => true
    case (BooleanType | DateType | TimestampNTZType, StringType) => true
    case (DateType, TimestampNTZType) => true
    case (StringType, BinaryType) => true
    case (from, to) => growsTo(from, to)
  }

  /** True when a column of the one type becomes one of the other, in Apache Hudi, too. */
  def growsTo(table: DataType, rows: DataType): Boolean = (table, rows) match {
    case (ByteType | ShortType, ShortType | IntegerType | LongType) => true
    case (ByteType | ShortType | IntegerType, LongType | DoubleType) => true
    case (FloatType, DoubleType) => true
    case (from: DecimalType, to: DecimalType) => contains(to, from)
    case (NullType, _) => true
    case _ => false
  }

  /** Reason why rows of the one type are not written to a column of the other. */
  def reason(table: DataType, rows: DataType): String =
    if (table == StringType && rows == BinaryType) "not all bytes are text"
    else if (Seq(table, rows).contains(TimestampType) && Seq(table, rows).exists(OfOneZone))
      "the time zone of the session would change the values"
    else if (rows == StringType && holds(rows, table)) s"not every text is a value of the type ${table.simpleString}"
    else if (holds(rows, table))
      s"a column of ${table.simpleString} cannot become one of ${rows.simpleString}, in Apache Hudi neither"
    else "neither type holds every value of the other"

  private def contains(wide: DecimalType, narrow: DecimalType): Boolean =
    wide.scale >= narrow.scale && wide.precision - wide.scale >= narrow.precision - narrow.scale

  /** Digits of the greatest whole number of a type. */
  private def digits(dataType: DataType): Option[Int] = dataType match {
    case ByteType => Some(3)
    case ShortType => Some(5)
    case IntegerType => Some(10)
    case LongType => Some(19)
    case _ => None
  }

  private val OfOneZone = Set[DataType](StringType, DateType, TimestampNTZType)

  // Every whole number below 2^53 is a double.
  private val DigitsOfDouble = 15
}
