package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.BaseFile
import io.hudilite.table.RowCounts

import java.util.{Collections, Map => JMap, Optional, OptionalLong}

import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, Histogram => PlanHistogram}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.colstats.{ColumnStatistics, Histogram, HistogramBin}
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** Statistics that ANALYZE TABLE found in the state of a table that a query reads.
  *
  * @param columns
  *   by name, in the optimizer's terms
  */
final case class KnownStatistics(rows: Option[Long], columns: Map[String, ColumnStat])

/** Statistics of a scan, for the optimizer.
  *
  * @param rows
  *   that it delivers, if known
  */
private[scan] final class ScanStatistics(
    bytes: OptionalLong, rows: Option[Long], columns: => JMap[NamedReference, ColumnStatistics])
    extends Statistics {
  override def sizeInBytes(): OptionalLong = bytes
  override def numRows(): OptionalLong = rows.fold(OptionalLong.empty())(OptionalLong.of(_))
  override def columnStats(): JMap[NamedReference, ColumnStatistics] = columns
}

private[scan] object ScanStatistics {

  /** @param columns
    *   those of the scan
    * @param whole
    *   no filter has left out files
    * @param plan
    *   the files of the scan
    */
  def of(source: TableState, columns: StructType, whole: Boolean, plan: PrunedFiles, bytes: OptionalLong)
      : ScanStatistics = {
    val known = source.knownStatistics
    // Spark weighs the filters itself where it knows bounds of columns, and must not have them weighed twice.
    val files = plan.baseFiles ++ (if (known.isDefined) plan.byStatistics.toSeq.flatMap(_.flatMap(_.base)) else Nil)
    val rows = known.filter(_ => whole).flatMap(_.rows).orElse(estimate(source, plan, files))
    new ScanStatistics(bytes, rows,
      (for (found <- known; total <- found.rows; left <- rows) yield of(found, columns, total, left))
        .getOrElse(Collections.emptyMap[NamedReference, ColumnStatistics]()))
  }

  // Rows of a slice without a base file are counted nowhere.
  private def estimate(source: TableState, plan: PrunedFiles, files: Seq[BaseFile]): Option[Long] =
    if (files.isEmpty && plan.merged.nonEmpty) None else RowCounts.estimate(source.table, files)

  /** Of the `left` of `total` rows: as many different values as there can be, and nulls in proportion. */
  private def of(found: KnownStatistics, columns: StructType, total: Long, left: Long)
      : JMap[NamedReference, ColumnStatistics] =
    (for (field <- columns.fields.toSeq; column <- found.columns.get(field.name)) yield {
      val share = if (total == 0) 0.0 else math.min(left.toDouble / total, 1.0)
      val scaled = column.copy(distinctCount = column.distinctCount.map(_.min(BigInt(left))),
        nullCount = column.nullCount.map(count => BigInt(math.round(count.toDouble * share))))
      (Expressions.column(quoteIdentifier(field.name)): NamedReference) ->
        (new FoundColumn(scaled): ColumnStatistics)
    }).toMap.asJava
}

/** Statistics of a column as Spark takes them from a source. */
private final class FoundColumn(found: ColumnStat) extends ColumnStatistics {

  private def long(value: Option[Long]): OptionalLong = value.fold(OptionalLong.empty())(OptionalLong.of(_))
  private def bound(value: Option[Any]): Optional[Object] =
    value.fold(Optional.empty[Object]())(v => Optional.of(v.asInstanceOf[Object]))

  override def distinctCount(): OptionalLong = long(found.distinctCount.map(_.toLong))
  override def nullCount(): OptionalLong = long(found.nullCount.map(_.toLong))
  override def min(): Optional[Object] = bound(found.min)
  override def max(): Optional[Object] = bound(found.max)
  override def avgLen(): OptionalLong = long(found.avgLen)
  override def maxLen(): OptionalLong = long(found.maxLen)
  override def histogram(): Optional[Histogram] =
    found.histogram.fold(Optional.empty[Histogram]())(h => Optional.of(new FoundHistogram(h)))
}

private final class FoundHistogram(found: PlanHistogram) extends Histogram {
  override def height(): Double = found.height
  override def bins(): Array[HistogramBin] = found.bins.map(bin =>
    new HistogramBin {
      override def lo(): Double = bin.lo
      override def hi(): Double = bin.hi
      override def ndv(): Long = bin.ndv
    }: HistogramBin)
}
