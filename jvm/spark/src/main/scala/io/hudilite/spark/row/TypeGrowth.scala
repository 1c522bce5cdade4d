package io.hudilite.spark.row

import org.apache.spark.sql.types._

/** Types of a table's columns after rows of other types were written to it: pure. Structs meet field by field, by their
  * names, wherever they lie; what is in no struct is widened, or stays.
  *
  * @param rule
  *   what rows may lack or bring
  */
private[row] final class TypeGrowth(rule: ColumnsRule) {

  import SchemaAlignment.{find, incompatible, missing}

  /** The fields of a struct, or the columns of the table, those that only the rows have last. Columns that the rows lack
    * are as they were.
    *
    * @param path
    *   names of the columns around the struct, the innermost first; a list's elements are `element`, a map's values are
    *   `value`
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
    case (one, other) => widest(one, other).getOrElse(
        throw incompatible(named(path), one, other, "neither holds the other without loss"))
  }

  private def absent(field: StructField, rows: StructType, path: List[String]): Unit = {
    if (!rule.fillNull) throw missing(named(field.name :: path), rows)
    if (!field.nullable) throw NullValues.inRequiredColumn(named(field.name :: path))
  }

  private def named(path: List[String]): String = path.reverse.mkString(".")

  /** The type that holds both without loss, if it is one of the two; otherwise the types do not go together. */
  private def widest(a: DataType, b: DataType): Option[DataType] =
    if (widens(a, b)) Some(b) else if (widens(b, a)) Some(a) else None

  private def widens(from: DataType, to: DataType): Boolean = (from, to) match {
    case (ByteType | ShortType, ShortType | IntegerType | LongType) => true
    case (ByteType | ShortType | IntegerType, LongType | DoubleType) => true
    case (FloatType, DoubleType) => true
    case (a: DecimalType, b: DecimalType) => a.scale == b.scale && a.precision <= b.precision
    case (NullType, _) => true
    case _ => false
  }
}
