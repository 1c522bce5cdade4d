package io.hudilite.spark.scan.plan

import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.row.FieldTypes
import io.hudilite.stats.{ColumnFilter, ColumnKind, ColumnRange, FilterColumn, ValueRange}
import io.hudilite.stats.ColumnFilter.{Operator => Order}

import java.util.Arrays

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Translates filters into those that statistics of columns can judge: pure. A part that they cannot judge may have any outcome.
  *
  * @param schema
  *   columns of the table as the query has them
  */
private[scan] final class StatisticsFilter(schema: StructType) {

  import StatisticsFilter._

  def of(filter: ScanFilter): ColumnFilter = filter match {
    case ScanFilter.Comparison(path, operator, value) => on(path)(column =>
        valueOf(column.kind, value).map(ColumnFilter.Comparison(column, orders(operator), _)))
    case ScanFilter.OneOf(path, values) => on(path) { column =>
        val each = values.map(valueOf(column.kind, _))
        if (each.forall(_.isDefined)) Some(ColumnFilter.OneOf(column, each.flatten)) else None
      }
    case ScanFilter.StartsWith(path, prefix) => on(path)(column => text(prefix).map(ColumnFilter.StartsWith(column, _)))
    case ScanFilter.IsNull(path) => on(path)(column => Some(ColumnFilter.IsNull(column)))
    case ScanFilter.AllOf(parts) => ColumnFilter.AllOf(parts.map(of))
    case ScanFilter.AnyOf(parts) => ColumnFilter.AnyOf(parts.map(of))
    case ScanFilter.Negation(part) => ColumnFilter.Negation(of(part))
  }

  /** The column, where statistics can judge its values. */
  def column(path: Seq[String]): Option[FilterColumn] =
    FieldTypes.at(schema, path.toList).flatMap(kindOf).map(FilterColumn(path, _))

  /** The range of this value alone. */
  def only(column: FilterColumn, value: Any): ColumnRange =
    if (value == null) ColumnRange.OfNulls
    else valueOf(column.kind, value).fold(ColumnRange.Unknown)(v =>
      ColumnRange(mayBeNull = false, Some(ValueRange(Some(v), Some(v)))))

  private def on(path: Seq[String])(filter: FilterColumn => Option[ColumnFilter]): ColumnFilter =
    column(path).flatMap(filter).getOrElse(ColumnFilter.Other)
}

private object StatisticsFilter {

  private val orders = Map[ScanFilter.Operator, Order](ScanFilter.Equal -> Order.Equal, ScanFilter.Less -> Order.Less,
    ScanFilter.LessOrEqual -> Order.LessOrEqual, ScanFilter.Greater -> Order.Greater,
    ScanFilter.GreaterOrEqual -> Order.GreaterOrEqual)

  private def kindOf(dataType: DataType): Option[ColumnKind] = dataType match {
    case BooleanType => Some(ColumnKind.Flags)
    case ByteType | ShortType | IntegerType | LongType => Some(ColumnKind.Whole)
    case FloatType => Some(ColumnKind.Single)
    case DoubleType => Some(ColumnKind.Fraction)
    case StringType => Some(ColumnKind.Texts)
    case BinaryType => Some(ColumnKind.Bytes)
    case DateType => Some(ColumnKind.Days)
    case TimestampType => Some(ColumnKind.Micros)
    case TimestampNTZType => Some(ColumnKind.LocalMicros)
    case d: DecimalType => Some(ColumnKind.Exact(d.precision, d.scale))
    case _ => None
  }

  private def valueOf(kind: ColumnKind, value: Any) = value match {
    case v: Byte => kind.value(v.toLong)
    case v: Short => kind.value(v.toLong)
    case v: Int => kind.value(v.toLong)
    case v: UTF8String => text(v).flatMap(kind.value)
    case v: Decimal => kind.value(v.toJavaBigDecimal)
    case other => kind.value(other)
  }

  /** The text, unless some of its bytes are not UTF-8. */
  private def text(value: UTF8String): Option[String] = {
    val plain = value.toString
    if (Arrays.equals(UTF8String.fromString(plain).getBytes, value.getBytes)) Some(plain) else None
  }
}
