package io.hudilite.metadata.stored

import io.hudilite.error.HudiliteException
import io.hudilite.metadata.{
  ColumnStatistics,
  ExpressionIndex,
  MetadataKeys,
  MetadataPartition,
  MetadataRecord,
  StatType
}
import io.hudilite.metadata.MetadataPayload.Statistics
import io.hudilite.stats.{AskedFile, ColumnRange, ColumnRanges, FilterColumn, StoredBound}

import java.io.IOException

import org.slf4j.LoggerFactory

/** Ranges of the values of functions over columns, from the indexes of expressions in a metadata table. A column that is
  * asked for bears the name of the index.
  */
final class ExpressionRanges(metadata: MetadataTable, basePath: String) extends ColumnRanges {

  import ExpressionRanges._

  /** Indexes that can be gone by. */
  lazy val indexes: Seq[ExpressionIndex] =
    metadata.listed.filter(_.startsWith(MetadataPartition.ExpressionPrefix)).flatMap(name =>
      ExpressionIndex.of(name, metadata.definitions.get(name)).toOption)

  override def knows(file: AskedFile): Boolean = true

  override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] =
    try {
      val found = for {
        (column, of) <- files.flatMap(f => f.columns.keys.map(_ -> f)).groupBy(_._1).toSeq
        index <- indexes.find(i => Seq(i.partition.name) == column.path).toSeq
        (file, range) <- ranges(index, column, of.map(_._2))
      } yield file -> (column -> range)
      found.groupBy(_._1).map { case (file, ranges) => file -> ranges.map(_._2).toMap }
    } catch {
      // Also a file that was compacted and cleaned away since its folder was listed, or a storage that does not answer.
      case e @ (_: HudiliteException | _: IOException) =>
        log.warn(s"Reading files of $basePath without its indexes of expressions: ${e.getMessage}")
        Map.empty
    }

  private def ranges(index: ExpressionIndex, column: FilterColumn, files: Seq[AskedFile])
      : Seq[(AskedFile, ColumnRange)] = {
    val keys = files.map(f => MetadataKeys.ofColumn(index.column, f.partition, f.name) -> f).toMap
    metadata.records(index.partition, keys.keySet).collect {
      case MetadataRecord(key, Statistics(of, false)) if !of.isDeleted =>
        rangeOf(index, column, of).map(keys(key) -> _)
    }.flatten
  }
}

private[metadata] object ExpressionRanges {

  private val log = LoggerFactory.getLogger("io.hudilite.metadata.stored.ExpressionRanges")

  /** The range that a record says; `None` where it is not certain. Nulls are not among the values that it counts. */
  private[metadata] def rangeOf(index: ExpressionIndex, column: FilterColumn, of: ColumnStatistics)
      : Option[ColumnRange] = for {
    min <- of.min
    max <- of.max
    ordinal = of.valueType.map(_.ordinal).filter(_ != StatType.V1)
    range <- ColumnRange.of(column.kind, of.nulls > 0, StoredBound(min, ordinal), StoredBound(max, ordinal))
  } yield range.copy(values = range.values.map { values =>
    val sure = values.inBothOrders
    sure.copy(low = sure.low.filter(_ => index.function.isSure(min)),
      high = sure.high.filter(_ => index.function.isSure(max)))
  })
}
