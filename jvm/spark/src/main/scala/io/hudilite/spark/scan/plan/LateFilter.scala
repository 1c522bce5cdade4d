package io.hudilite.spark.scan.plan

import io.hudilite.spark.basefile.read.{ParquetFilter, ScanFilter}
import io.hudilite.spark.basefile.read.ScanFilter._
import io.hudilite.spark.row.FieldTypes

import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._

/** A filter that came up while the query ran, as tasks are sent it: pure.
  *
  * A join may give a list of a million values. All of them choose files, on the driver; tasks get ranges around them, by
  * which a file leaves out row groups and pages.
  */
private[scan] object LateFilter {

  /** A filter that every row passes which passes this one; `None` where all rows might. */
  def shortened(filter: ScanFilter, schema: StructType): Option[ScanFilter] = filter match {
    case OneOf(column, values) if values.size > ParquetFilter.MaxListed =>
      FieldTypes.at(schema, column.toList).flatMap(ordering).map(order => around(column, values.sorted(order)))
    case other => Some(other)
  }

  /** Ranges of equally many of the values each, which have two comparisons each. */
  private def around(column: Seq[String], ascending: Seq[Any]): ScanFilter = {
    val each = (ascending.size + MostRanges - 1) / MostRanges
    AnyOf(ascending.grouped(each).toSeq.map(run =>
        AllOf(Seq(Comparison(column, GreaterOrEqual, run.head), Comparison(column, LessOrEqual, run.last)))))
  }

  private val MostRanges = ParquetFilter.MaxListed / 2

  private def ordering(dataType: DataType): Option[Ordering[Any]] = dataType match {
    case StringType | DateType | TimestampType | TimestampNTZType | _: NumericType =>
      Some(TypeUtils.getInterpretedOrdering(dataType))
    case _ => None
  }
}
