package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.FileSlice
import io.hudilite.table.RowCounts

import java.util.{Collections, Map => JMap, Optional, OptionalLong}

import org.apache.spark.sql.catalyst.plans.logical.{ColumnStat, Histogram => PlanHistogram}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.connector.read.colstats.{ColumnStatistics, Histogram, HistogramBin}
import org.apache.spark.sql.internal.SQLConf
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
  def of(planner: ScanPlanner, columns: StructType, whole: Boolean, plan: PrunedFiles, bytes: OptionalLong)
      : ScanStatistics = {
    val source = planner.state
    source.knownStatistics match {
      case Some(known) =>
        val rows = known.rows.filter(_ => whole).orElse(estimate(source, weighed(plan)))
        new ScanStatistics(bytes, rows,
          (for (total <- known.rows; left <- rows) yield of(known, columns, total, left)).getOrElse(NoColumns))
      case None if SQLConf.get.cboEnabled => ofFiles(planner, columns, plan, bytes)
      case None => new ScanStatistics(bytes, estimate(source, slices(plan)), NoColumns)
    }
  }

  private val NoColumns: JMap[NamedReference, ColumnStatistics] = Collections.emptyMap()

  private def slices(plan: PrunedFiles): Seq[FileSlice] = plan.files.map(FileSlice.ofBase) ++ plan.merged

  // Spark weighs the filters itself where it knows bounds of columns, and must not have them weighed twice.
  private def weighed(plan: PrunedFiles): Seq[FileSlice] = slices(plan) ++ plan.byStatistics.toSeq.flatten

  private def estimate(source: TableState, slices: Seq[FileSlice]): Option[Long] =
    RowCounts.estimateOf(source.table, slices)

  /** Nobody has analyzed the state: what the metadata table says of its files. */
  private def ofFiles(planner: ScanPlanner, columns: StructType, plan: PrunedFiles, bytes: OptionalLong)
      : ScanStatistics = {
    val all = weighed(plan)
    val found = for {
      rows <- estimate(planner.state, all)
      bounds = BoundStatistics.of(columns, planner.bounds(columns, all), rows) if bounds.nonEmpty
    } yield new ScanStatistics(bytes, Some(rows), byName(bounds))
    found.getOrElse(new ScanStatistics(bytes, estimate(planner.state, slices(plan)), NoColumns))
  }

  private def byName(columns: Map[String, ColumnStat]): JMap[NamedReference, ColumnStatistics] =
    columns.map { case (name, stat) =>
      (Expressions.column(quoteIdentifier(name)): NamedReference) -> (new FoundColumn(stat): ColumnStatistics)
    }.asJava

  /** Of the `left` of `total` rows: as many different values as there can be, and nulls in proportion. */
  private def of(found: KnownStatistics, columns: StructType, total: Long, left: Long)
      : JMap[NamedReference, ColumnStatistics] =
    byName((for (field <- columns.fields.toSeq; column <- found.columns.get(field.name)) yield {
      val share = if (total == 0) 0.0 else math.min(left.toDouble / total, 1.0)
      field.name -> column.copy(distinctCount = column.distinctCount.map(_.min(BigInt(left))),
        nullCount = column.nullCount.map(count => BigInt(math.round(count.toDouble * share))))
    }).toMap)
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
