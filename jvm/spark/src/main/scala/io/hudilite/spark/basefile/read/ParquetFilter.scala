package io.hudilite.spark.basefile.read

import io.hudilite.schema.{ColumnNames, NamedColumn}
import io.hudilite.spark.basefile.read.ScanFilter._

import org.apache.parquet.filter2.predicate.FilterApi._
import org.apache.parquet.filter2.predicate.FilterPredicate
import org.apache.parquet.filter2.predicate.Operators.{Column, SupportsEqNotEq, SupportsLtGt}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.{MessageType, PrimitiveType, Type}
import org.apache.spark.sql.types.Decimal
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Translates filters into parquet's own, which prune row groups and pages by their statistics.
  *
  * A filter is translated as a whole and exactly, or not at all. Parquet takes a column that is not read for one of
  * nulls, so only columns that are read may be filtered on.
  *
  * @param schema
  *   schema of the file
  * @param isRead
  *   true for the paths of columns that are read
  * @param byParquetMr
  *   true when parquet-mr wrote the file, which leaves out statistics that a NaN would make wrong, and orders decimals
  *   by value
  * @param rebasesDates
  *   true when days and times of the file are in the old hybrid calendar
  * @param names
  *   names of columns in the file
  */
final class ParquetFilter(
    schema: MessageType, caseSensitive: Boolean, isRead: Seq[String] => Boolean, byParquetMr: Boolean,
    rebasesDates: Boolean, names: ColumnNames = ColumnNames.Same) {

  import ParquetFilter._

  /** Conjunction of all filters that parquet can evaluate. */
  def of(filters: Seq[ScanFilter]): Option[FilterPredicate] =
    ScanFilter.conjuncts(filters).flatMap(convert).reduceOption((a, b) => and(a, b))

  private def convert(filter: ScanFilter): Option[FilterPredicate] = filter match {
    case Comparison(path, operator, value) => columnAt(path).flatMap(compare(_, operator, value))
    case OneOf(path, values) => columnAt(path).flatMap(oneOf(_, values))
    case StartsWith(path, prefix) => columnAt(path).flatMap(startsWith(_, prefix))
    case IsNull(path) => columnAt(path).flatMap(isNull)
    case Negation(part) => convert(part).map(not)
    case AllOf(parts) => all(parts).map(_.reduce((a, b) => and(a, b)))
    case AnyOf(parts) => all(parts).map(_.reduce((a, b) => or(a, b)))
  }

  private def all(parts: Seq[ScanFilter]): Option[Seq[FilterPredicate]] = {
    val converted = parts.map(convert)
    if (converted.forall(_.isDefined)) Some(converted.flatten) else None
  }

  private def columnAt(path: Seq[String]): Option[FileColumn] =
    if (!isRead(path)) None else resolve(schema.getFields.asScala.toSeq, path.toList, Nil, names)

  private def resolve(fields: Seq[Type], path: List[String], parents: List[String], names: ColumnNames)
      : Option[FileColumn] = path match {
    case asked :: rest =>
      names.of(asked).flatMap { case NamedColumn(name, inside) =>
        fields.find(f => if (caseSensitive) f.getName == name else f.getName.equalsIgnoreCase(name))
          .filterNot(_.isRepetition(Type.Repetition.REPEATED)).flatMap { field =>
            val above = field.getName :: parents
            if (field.isPrimitive && rest.isEmpty)
              Some(FileColumn(above.reverse.mkString("."), field.asPrimitiveType))
            else if (field.isPrimitive || field.getLogicalTypeAnnotation != null) None
            else resolve(field.asGroupType.getFields.asScala.toSeq, rest, above, inside)
          }
      }
    case Nil => None
  }

  private def oneOf(column: FileColumn, values: Seq[Any]): Option[FilterPredicate] = {
    val each = if (values.size > MaxListed) Nil else values.map(compare(column, Equal, _))
    if (each.nonEmpty && each.forall(_.isDefined)) Some(each.flatten.reduce((a, b) => or(a, b))) else None
  }

  private def compare(column: FileColumn, operator: Operator, value: Any): Option[FilterPredicate] =
    column.kind.getPrimitiveTypeName match {
      case PrimitiveTypeName.INT32 => int32(column.kind, value).map(ordered(intColumn(column.path), operator, _))
      case PrimitiveTypeName.INT64 => int64(column.kind, value).map(ordered(longColumn(column.path), operator, _))
      case PrimitiveTypeName.FLOAT => value match {
          case f: Float if byParquetMr && !f.isNaN =>
            Some(fraction(floatColumn(column.path), operator, Float.box(f), Float.box(-0.0f), Float.box(0.0f)))
          case _ => None
        }
      case PrimitiveTypeName.DOUBLE => value match {
          case d: Double if byParquetMr && !d.isNaN =>
            Some(fraction(doubleColumn(column.path), operator, Double.box(d), Double.box(-0.0d), Double.box(0.0d)))
          case _ => None
        }
      case PrimitiveTypeName.BOOLEAN => value match {
          case b: Boolean if operator == Equal => Some(equalTo(booleanColumn(column.path), Boolean.box(b)))
          case _ => None
        }
      case PrimitiveTypeName.BINARY => column.kind.getLogicalTypeAnnotation match {
          case d: DecimalLogicalTypeAnnotation => decimal(column, d, operator, value)
          case _ => text(column.kind, value).map(ordered(binaryColumn(column.path), operator, _))
        }
      case PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY =>
        fixedDecimal(column.kind, value).map(ordered(binaryColumn(column.path), operator, _))
      case _ => None
    }

  /** Filter on a decimal, by order and not by equality. Writers may put any number of sign bytes in front, so equal
    * decimals need not have equal bytes, and dictionaries are searched by bytes.
    */
  private def decimal(column: FileColumn, kind: DecimalLogicalTypeAnnotation, operator: Operator, value: Any)
      : Option[FilterPredicate] = unscaled(kind, value).filter(_ => byParquetMr).map { number =>
    val (target, bytes) = (binaryColumn(column.path), Binary.fromConstantByteArray(number.toByteArray))
    if (operator == Equal) and(gtEq(target, bytes), ltEq(target, bytes)) else ordered(target, operator, bytes)
  }

  private def int32(kind: PrimitiveType, value: Any): Option[Integer] = kind.getLogicalTypeAnnotation match {
    case null => whole(value).filter(v => v.isValidInt).map(v => Int.box(v.toInt))
    case i: IntLogicalTypeAnnotation if i.isSigned => whole(value).filter(_.isValidInt).map(v => Int.box(v.toInt))
    case _: DateLogicalTypeAnnotation if !rebasesDates =>
      value match {
        case days: Int => Some(Int.box(days))
        case _ => None
      }
    case d: DecimalLogicalTypeAnnotation => unscaled(d, value).filter(_.bitLength < 32).map(v => Int.box(v.intValue))
    case _ => None
  }

  private def int64(kind: PrimitiveType, value: Any): Option[java.lang.Long] = kind.getLogicalTypeAnnotation match {
    case null => whole(value).map(Long.box)
    case i: IntLogicalTypeAnnotation if i.isSigned => whole(value).map(Long.box)
    case t: TimestampLogicalTypeAnnotation if !rebasesDates =>
      (t.getUnit, value) match {
        case (TimeUnit.MICROS, micros: Long) => Some(Long.box(micros))
        case (TimeUnit.MILLIS, micros: Long) if micros % 1000 == 0 => Some(Long.box(micros / 1000))
        case _ => None
      }
    case d: DecimalLogicalTypeAnnotation => unscaled(d, value).filter(_.bitLength < 64).map(v => Long.box(v.longValue))
    case _ => None
  }

  private def text(kind: PrimitiveType, value: Any): Option[Binary] = (kind.getLogicalTypeAnnotation, value) match {
    case (_: StringLogicalTypeAnnotation, text: UTF8String) => Some(Binary.fromConstantByteArray(text.getBytes))
    case _ => None
  }

  private def fixedDecimal(kind: PrimitiveType, value: Any): Option[Binary] = kind.getLogicalTypeAnnotation match {
    case d: DecimalLogicalTypeAnnotation => unscaled(d, value).flatMap(fixed(_, kind.getTypeLength))
    case _ => None
  }

  private def isNull(column: FileColumn): Option[FilterPredicate] = column.kind.getPrimitiveTypeName match {
    case PrimitiveTypeName.INT32 => Some(equalTo(intColumn(column.path), null: Integer))
    case PrimitiveTypeName.INT64 => Some(equalTo(longColumn(column.path), null: java.lang.Long))
    case PrimitiveTypeName.FLOAT => Some(equalTo(floatColumn(column.path), null: java.lang.Float))
    case PrimitiveTypeName.DOUBLE => Some(equalTo(doubleColumn(column.path), null: java.lang.Double))
    case PrimitiveTypeName.BOOLEAN => Some(equalTo(booleanColumn(column.path), null: java.lang.Boolean))
    case PrimitiveTypeName.BINARY | PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY =>
      Some(equalTo(binaryColumn(column.path), null: Binary))
    case _ => None
  }

  // Texts with a prefix lie between it and the next text without it.
  private def startsWith(column: FileColumn, prefix: UTF8String): Option[FilterPredicate] = {
    val first = prefix.getBytes
    if (first.isEmpty || !column.kind.getLogicalTypeAnnotation.isInstanceOf[StringLogicalTypeAnnotation]) None
    else {
      val after = first.clone()
      after(after.length - 1) = (after.last + 1).toByte // no byte of UTF-8 is 0xff
      val target = binaryColumn(column.path)
      Some(and(gtEq(target, Binary.fromConstantByteArray(first)), lt(target, Binary.fromConstantByteArray(after))))
    }
  }
}

object ParquetFilter {

  // A comparison of a longer list with every page's statistics costs more than it saves.
  private[spark] val MaxListed = 20

  private final case class FileColumn(path: String, kind: PrimitiveType)

  private def equalTo[T <: Comparable[T], C <: Column[T] with SupportsEqNotEq](column: C, value: T): FilterPredicate =
    org.apache.parquet.filter2.predicate.FilterApi.eq(column, value)

  private def ordered[T <: Comparable[T], C <: Column[T] with SupportsLtGt](
      column: C, operator: Operator, value: T): FilterPredicate = operator match {
    case Equal => equalTo(column, value)
    case Less => lt(column, value)
    case LessOrEqual => ltEq(column, value)
    case Greater => gt(column, value)
    case GreaterOrEqual => gtEq(column, value)
  }

  /** Filter on a floating-point number. Parquet tells `-0.0` from `0.0`, above all in dictionaries, where Spark takes
    * them for one number.
    */
  private def fraction[T <: Comparable[T], C <: Column[T] with SupportsLtGt](
      column: C, operator: Operator, value: T, negativeZero: T, zero: T): FilterPredicate =
    if (value != negativeZero && value != zero) ordered(column, operator, value)
    else operator match {
      case Equal => and(gtEq(column, negativeZero), ltEq(column, zero))
      case Less => lt(column, negativeZero)
      case LessOrEqual => ltEq(column, zero)
      case Greater => gt(column, zero)
      case GreaterOrEqual => gtEq(column, negativeZero)
    }

  private def whole(value: Any): Option[Long] = value match {
    case b: Byte => Some(b.toLong)
    case s: Short => Some(s.toLong)
    case i: Int => Some(i.toLong)
    case l: Long => Some(l)
    case _ => None
  }

  private def unscaled(decimal: DecimalLogicalTypeAnnotation, value: Any): Option[java.math.BigInteger] = value match {
    case d: Decimal if d.scale == decimal.getScale => Some(d.toJavaBigDecimal.unscaledValue)
    case _ => None
  }

  private def fixed(number: java.math.BigInteger, length: Int): Option[Binary] = {
    val bytes = number.toByteArray
    if (bytes.length > length) None
    else {
      val padded = Array.fill[Byte](length - bytes.length)(if (number.signum < 0) -1 else 0) ++ bytes
      Some(Binary.fromConstantByteArray(padded))
    }
  }
}
