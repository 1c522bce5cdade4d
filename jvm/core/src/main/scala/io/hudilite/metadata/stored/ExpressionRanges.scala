package io.hudilite.metadata.stored

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.error.HudiliteException
import io.hudilite.metadata.{
  ColumnStatistics,
  ExpressionIndex,
  MetadataKeys,
  MetadataPartition,
  MetadataRecord,
  StatType,
  StatValue
}
import io.hudilite.metadata.MetadataPayload.{Bloom, Statistics}
import io.hudilite.metadata.StatValue.{Int32, Text}
import io.hudilite.stats.{AskedFile, ColumnRange, ColumnRanges, FilterColumn, Membership, StoredBound}

import java.io.IOException
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.Try

import org.slf4j.LoggerFactory

/** Ranges of the values of functions over columns, from the indexes of expressions in a metadata table. A column that is
  * asked for bears the name of the index; of an index that is bloom filters it is one of [[Membership]].
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
        index <- indexes.find(i => Seq(i.partition.name) == column.path && !i.isFilter).toSeq
        (file, range) <- ranges(index, column, of.map(_._2))
      } yield file -> (column -> range)
      (found ++ indexes.filter(_.isFilter).flatMap(filtered(_, files))).groupBy(_._1).map { case (file, ranges) =>
        file -> ranges.map(_._2).toMap
      }
    } catch {
      // Also a file that was compacted and cleaned away since its folder was listed, or a storage that does not answer.
      case e @ (_: HudiliteException | _: IOException | _: IllegalArgumentException) =>
        log.warn(s"Reading files of $basePath without its indexes of expressions: ${e.getMessage}")
        Map.empty
    }

  /** Of more files the filters, each as long as that of 60,000 keys, are not asked. */
  private def filtered(index: ExpressionIndex, files: Seq[AskedFile])
      : Seq[(AskedFile, (FilterColumn, ColumnRange))] = {
    def values(file: AskedFile): Seq[(FilterColumn, String)] = file.columns.keys.toSeq.collect {
      case column @ Membership(index.partition.name, value) if isSure(index, value) => column -> value
    }
    val asked = files.map(file => file -> values(file)).filter(_._2.nonEmpty)
    val keys = asked.map { case (f, some) => MetadataKeys.ofFile(f.partition, f.name) -> (f -> some) }.toMap
    if (keys.size > MostFilters) Nil
    else metadata.records(index.partition, keys.keySet).flatMap {
      case MetadataRecord(key, Bloom(kind, _, text, false)) =>
        val (filter, (file, some)) = (BloomFilter.read(text, kind), keys(key))
        some.filterNot { case (_, value) => filter.mightContain(value.getBytes(UTF_8)) }
          .map { case (column, _) => file -> (column -> Membership.Absent) }
      case _ => Nil
    }
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

  // Some 110 MB, one filter after the other.
  private val MostFilters = 256

  // Apache Hudi adds bytes in the charset of its process, and none of an empty text can be added.
  private def isSure(index: ExpressionIndex, value: String): Boolean =
    value.nonEmpty && value.forall(_ < FirstOther) && bound(index, value).exists(index.function.isSure)

  private def bound(index: ExpressionIndex, value: String): Option[StatValue] =
    if (index.function.gives == StatType.Text) Some(Text(value)) else Try(Int32(value.toInt)).toOption

  private val FirstOther = '\u0080'

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
