package io.hudilite.spark.scan.plan

import io.hudilite.stats.ColumnRange

import java.math.BigDecimal

import org.apache.spark.sql.catalyst.plans.logical.ColumnStat
import org.apache.spark.sql.types._

/** Statistics of columns in the optimizer's terms, by the bounds of their values: pure.
  *
  * Whole numbers and days have no more different values than lie between their bounds, which is near the truth for keys
  * of other tables and for dates. Of other values nobody knows how many are different, and Spark makes little of them.
  */
private[scan] object BoundStatistics {

  /** @param rows
    *   of the files that the bounds are of
    */
  def of(columns: StructType, bounds: Map[String, ColumnRange], rows: Long): Map[String, ColumnStat] =
    (for (field <- columns.fields; range <- bounds.get(field.name); stat <- of(field.dataType, range, rows))
      yield field.name -> stat).toMap

  private def of(dataType: DataType, range: ColumnRange, rows: Long): Option[ColumnStat] = {
    val nulls = if (range.mayBeNull) range.nulls else Some(0L)
    for {
      (low, high) <- range.values.flatMap(_.ends)
      min <- value(low, dataType)
      max <- value(high, dataType)
    } yield ColumnStat(distinct(low, high, dataType, math.max(rows - nulls.getOrElse(0L), 1L)), Some(min), Some(max),
      nulls.map(BigInt(_)), Some(dataType.defaultSize.toLong), Some(dataType.defaultSize.toLong))
  }

  private def value(bound: Any, dataType: DataType): Option[Any] = (bound, dataType) match {
    case (v: Long, ByteType) => Some(v.toByte)
    case (v: Long, ShortType) => Some(v.toShort)
    case (v: Long, IntegerType | DateType) => Some(v.toInt)
    case (v: Long, LongType | TimestampType) => Some(v) // Spark estimates no filter on a time without a zone
    case (v: Float, FloatType) => Some(v)
    case (v: Double, DoubleType) => Some(v)
    case (v: BigDecimal, d: DecimalType) => Some(Decimal(v, d.precision, d.scale))
    case _ => None
  }

  private def distinct(low: Any, high: Any, dataType: DataType, rows: Long): Option[BigInt] =
    (low, high, dataType) match {
      case (a: Long, b: Long, ByteType | ShortType | IntegerType | LongType | DateType) =>
        Some((BigInt(b) - a + 1).min(BigInt(rows)))
      case _ => None
    }
}
