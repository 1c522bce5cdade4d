package io.hudilite.spark.basefile.read

import io.hudilite.error.UnsupportedTable
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.stored.FileType
import io.hudilite.spark.shim.TimesOfDay

import org.apache.parquet.schema.PrimitiveType
import org.apache.spark.sql.types._

/** Wanted columns as they come out of one file.
  *
  * @param requested
  *   request to Spark's parquet reader: the wanted columns with the names and types of the file
  * @param conversions
  *   conversions of requested columns into the wanted ones, by position
  */
final case class FileColumns(requested: StructType, conversions: IndexedSeq[Conversion])

/** A conversion of a column as it is read into the wanted column. */
sealed trait Conversion extends Serializable {

  /** True when a value may become null. */
  def losesValues: Boolean = this match {
    case Conversion.AsIs | _: Conversion.Widen | _: Conversion.Relabel | _: Conversion.TimeOfDay => false
    case _: Conversion.Change => true
    case Conversion.Unscaled(_, next) => next.losesValues
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

  /** Bytes, the highest first, become the unscaled value of a decimal of up to 18 digits, which is converted further.
    */
  final case class Unscaled(own: DecimalType, next: Conversion) extends Conversion

  /** Numbers of one type are taken for those of another. */
  final case class Relabel(from: DataType, to: DataType) extends Conversion

  /** Times of day become nanoseconds.
    *
    * @param nanos
    *   nanoseconds in one stored unit
    */
  final case class TimeOfDay(from: DataType, to: DataType, nanos: Long) extends Conversion

  /** Fields of a struct are converted. */
  final case class InStruct(to: StructType, fields: IndexedSeq[Conversion]) extends Conversion
  final case class InArray(to: ArrayType, element: Conversion) extends Conversion
  final case class InMap(to: MapType, key: Conversion, value: Conversion) extends Conversion
}

/** Matches wanted columns with those of a file: pure.
  *
  * Columns that the file lacks stay in the request and are read as nulls. Types that are narrower in the file, or
  * stored in a way that not every version of Spark's reader takes, are read as they are and converted. A column that
  * cannot be read as the wanted type is refused by name.
  */
object FileColumns {

  import Conversion._

  /** The columns of one file.
    *
    * @param place
    *   the file, as errors name it
    * @param names
    *   names of the wanted columns in the file
    */
  private[spark] def plan(file: FileType.Group, wanted: StructType, caseSensitive: Boolean, place: => String,
      names: ColumnNames = ColumnNames.Same): FileColumns = {
    val (fields, conversions) = new Matching(caseSensitive, place).struct(file, wanted, names, Nil)
    FileColumns(fields, conversions)
  }

  private final class Matching(caseSensitive: Boolean, place: => String) {

    /** The columns of one struct.
      *
      * @param path
      *   names of the columns around the struct, the innermost first
      */
    def struct(file: FileType.Group, wanted: StructType, names: ColumnNames, path: List[String])
        : (StructType, IndexedSeq[Conversion]) = {
      val matched = wanted.fields.toIndexedSeq.map { field =>
        // A column of no type is null in every row, whatever the file has.
        names.of(field.name).filter(_ => field.dataType != NullType).flatMap(n =>
          find(file, n.name).map(n -> _)) match {
          case Some((named, found)) =>
            val (dataType, conversion) = column(found, field.dataType, named.inside, field.name :: path)
            (StructField(named.name, dataType), conversion)
          case None => (StructField(absent(file, field.name), nullable(field.dataType)), AsIs)
        }
      }
      (StructType(matched.map(_._1)), matched.map(_._2))
    }

    private def find(file: FileType.Group, name: String): Option[FileType] =
      file.fields.find(_._1 == name).orElse(
        if (caseSensitive) None else file.fields.find(_._1.equalsIgnoreCase(name))).map(_._2)

    /** A name that no column of the file has, since one of the wanted name is another column. */
    private def absent(file: FileType.Group, name: String): String =
      if (file.fields.exists(_._1.equalsIgnoreCase(name))) absent(file, s"_no_$name") else name

    private def column(file: FileType, wanted: DataType, names: ColumnNames, path: List[String])
        : (DataType, Conversion) =
      (file, wanted) match {
        case (f: FileType.Group, w: StructType) =>
          val (fields, conversions) = struct(f, w, names, path)
          (fields, if (conversions.forall(_ == AsIs)) AsIs else InStruct(w, conversions))
        case (FileType.Items(f), w: ArrayType) =>
          val (element, conversion) = column(f, w.elementType, names.inElement, "element" :: path)
          (ArrayType(element), if (conversion == AsIs) AsIs else InArray(w, conversion))
        case (FileType.Entries(fk, fv), w: MapType) =>
          val (key, ofKey) = column(fk, w.keyType, names.inKey, "key" :: path)
          val (value, ofValue) = column(fv, w.valueType, names.inValue, "value" :: path)
          (MapType(key, value), if (ofKey == AsIs && ofValue == AsIs) AsIs else InMap(w, ofKey, ofValue))
        case (f, w) => leaf(f, w).getOrElse(throw unreadable(f, w, path))
      }

    private def leaf(file: FileType, wanted: DataType): Option[(DataType, Conversion)] = file match {
      case FileType.Leaf(_, stored) if TimesOfDay.isOne(wanted) => LeafColumns.timeOfDay(stored, wanted)
      case FileType.Unknown(stored: PrimitiveType) if TimesOfDay.isOne(wanted) =>
        LeafColumns.timeOfDay(stored, wanted)
      case found: FileType.Leaf => LeafColumns.of(found, wanted)
      case _ => None
    }

    private def unreadable(file: FileType, wanted: DataType, path: List[String]): UnsupportedTable =
      UnsupportedTable("UNSUPPORTED_SCHEMA", "column" -> s"${path.reverse.mkString(".")} in $place",
        "type" -> FileType.text(file),
        "reason" -> s"it cannot be read as ${wanted.catalogString}, its type in the table")
  }

  /** True when every value of `from` has an equal one in `to`, by the rules for changes of a column's type. */
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
