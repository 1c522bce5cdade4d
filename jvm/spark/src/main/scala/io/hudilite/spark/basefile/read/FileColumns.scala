package io.hudilite.spark.basefile.read

import io.hudilite.schema.ColumnNames

import org.apache.spark.sql.types._

/** How the wanted columns come out of one file.
  *
  * @param requested
  *   what Spark's parquet reader is asked for: the wanted columns with the names and the types that the file has
  * @param conversions
  *   by position what turns a requested column into the wanted one
  */
final case class FileColumns(requested: StructType, conversions: IndexedSeq[Conversion])

/** What turns a column as read into the wanted column. */
sealed trait Conversion extends Serializable {

  /** A value that is there may become null. */
  def losesValues: Boolean = this match {
    case Conversion.AsIs | _: Conversion.Widen => false
    case _: Conversion.Change => true
    case Conversion.InStruct(_, fields) => fields.exists(_.losesValues)
    case Conversion.InArray(_, element) => element.losesValues
    case Conversion.InMap(_, key, value) => key.losesValues || value.losesValues
  }
}

object Conversion {

  /** The column is as wanted. */
  case object AsIs extends Conversion

  /** Values of one atomic type become values of a wider one. */
  final case class Widen(from: DataType, to: DataType) extends Conversion

  /** Values of one atomic type become values of another, or null; see [[TypeChange]]. */
  final case class Change(from: DataType, to: DataType) extends Conversion

  /** Some field below needs converting. */
  final case class InStruct(to: StructType, fields: IndexedSeq[Conversion]) extends Conversion
  final case class InArray(to: ArrayType, element: Conversion) extends Conversion
  final case class InMap(to: MapType, key: Conversion, value: Conversion) extends Conversion
}

/** Matches wanted columns with those of a file: pure.
  *
  * Columns that the file lacks stay in the request and are read as nulls. Types that are narrower in the file are read
  * as they are and converted, since Spark's own reader cannot do that on every version.
  */
object FileColumns {

  import Conversion._

  /** @param file
    *   columns of the file as Spark types
    * @param names
    *   under which names the wanted columns are there
    */
  def plan(file: StructType, wanted: StructType, caseSensitive: Boolean, names: ColumnNames = ColumnNames.Same)
      : FileColumns = {
    val (fields, conversions) = new Matching(caseSensitive).struct(file, wanted, names)
    FileColumns(fields, conversions)
  }

  private final class Matching(caseSensitive: Boolean) {

    def struct(file: StructType, wanted: StructType, names: ColumnNames): (StructType, IndexedSeq[Conversion]) = {
      val matched = wanted.fields.toIndexedSeq.map { field =>
        names.of(field.name).flatMap(n => find(file, n.name).map(n -> _)) match {
          case Some((named, found)) =>
            val (dataType, conversion) = column(found.dataType, field.dataType, named.inside)
            (StructField(named.name, dataType), conversion)
          case None => (StructField(absent(file, field.name), nullable(field.dataType)), AsIs)
        }
      }
      (StructType(matched.map(_._1)), matched.map(_._2))
    }

    private def find(file: StructType, name: String): Option[StructField] =
      file.fields.find(_.name == name).orElse(
        if (caseSensitive) None else file.fields.find(_.name.equalsIgnoreCase(name)))

    /** A name that the file does not have: its own column of the wanted name is another one. */
    private def absent(file: StructType, name: String): String =
      if (file.fields.exists(_.name.equalsIgnoreCase(name))) absent(file, s"_no_$name") else name

    private def column(file: DataType, wanted: DataType, names: ColumnNames): (DataType, Conversion) =
      (file, wanted) match {
        case (f: StructType, w: StructType) =>
          val (fields, conversions) = struct(f, w, names)
          (fields, if (conversions.forall(_ == AsIs)) AsIs else InStruct(w, conversions))
        case (f: ArrayType, w: ArrayType) =>
          val (element, conversion) = column(f.elementType, w.elementType, names.inElement)
          (ArrayType(element), if (conversion == AsIs) AsIs else InArray(w, conversion))
        case (f: MapType, w: MapType) =>
          val (key, ofKey) = column(f.keyType, w.keyType, names.inKey)
          val (value, ofValue) = column(f.valueType, w.valueType, names.inValue)
          (MapType(key, value), if (ofKey == AsIs && ofValue == AsIs) AsIs else InMap(w, ofKey, ofValue))
        case (f, w) if f != w && isWider(f, w) => (f, Widen(f, w))
        case (f, w) if f != w && TypeChange.isAllowed(f, w) => (f, Change(f, w))
        case (_, w) =>
          (nullable(w), AsIs) // the same, or another reading of the same bytes, or an error that Spark raises
      }
  }

  /** Whether every value of `from` has an equal one in `to`, by the rules for changing a column's type. */
  private[spark] def isWider(from: DataType, to: DataType): Boolean = (from, to) match {
    case (ByteType | ShortType | IntegerType, LongType | FloatType | DoubleType | StringType) => true
    case (LongType, FloatType | DoubleType | StringType) => true
    case (FloatType, DoubleType | StringType) => true
    case (DoubleType | DateType | BooleanType, StringType) => true
    case (f: DecimalType, t: DecimalType) => t.scale >= f.scale && t.precision - t.scale >= f.precision - f.scale
    case (_: DecimalType, StringType) => true
    case (ByteType | ShortType | IntegerType, t: DecimalType) => t.precision - t.scale >= 10
    case (LongType, t: DecimalType) => t.precision - t.scale >= 19
    case _ => false
  }

  // A column that the file lacks is null even where the table's schema promises a value.
  private def nullable(dataType: DataType): DataType = dataType match {
    case s: StructType => StructType(s.fields.map(f => StructField(f.name, nullable(f.dataType))))
    case a: ArrayType => ArrayType(nullable(a.elementType))
    case m: MapType => MapType(nullable(m.keyType), nullable(m.valueType))
    case other => other
  }
}
