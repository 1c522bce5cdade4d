package io.hudilite.metadata.stored

import io.hudilite.error.HudiliteException
import io.hudilite.metadata.{ColumnStatistics, MetadataKeys, MetadataPartition, MetadataRecord, StatType}
import io.hudilite.metadata.MetadataPayload.Statistics
import io.hudilite.metadata.StatValue.{Float32, Float64, Text}
import io.hudilite.stats.{AskedFile, ColumnKind, ColumnRange, ColumnRanges, FilterColumn, StoredBound}

import java.io.IOException
import java.util.Collections
import java.util.concurrent.ConcurrentHashMap

import org.slf4j.LoggerFactory

/** Ranges from the partition `column_stats` of a metadata table, of which only records of the columns and files asked for
  * are read. Where it cannot be trusted nothing is known, and a warning says why.
  */
final class StoredRanges(metadata: MetadataTable, basePath: String) extends ColumnRanges {

  import StoredRanges._

  override def knows(file: AskedFile): Boolean = true

  override def of(files: Seq[AskedFile]): Map[AskedFile, Map[FilterColumn, ColumnRange]] =
    try {
      val keys = (for {
        file <- files
        (column, name) <- file.columns if isIndexed(name) && !(file.isLog && name.startsWith(MetaPrefix))
      } yield MetadataKeys.ofColumn(name, file.partition, file.name) -> ((file, column))).groupBy(_._1)
      val found = metadata.records(MetadataPartition.ColumnStats, keys.keySet).toSeq.flatMap {
        case MetadataRecord(key, Statistics(of, false)) => for {
            (_, (file, column)) <- keys.getOrElse(key, Nil)
            range <- StoredRange.of(of, column.kind, file.isLog)
          } yield (file, column -> range)
        case _ => Nil
      }
      found.groupBy(_._1).map { case (file, ranges) => file -> ranges.map(_._2).toMap }
    } catch {
      case e: Throwable with HudiliteException => distrust(e)
      // A file that was compacted and cleaned away since its folder was listed, or a storage that does not answer.
      case e: IOException => distrust(e)
    }

  /** Records of columns that are indexed no more are not maintained. Before Hudi 1.1 the table does not say which are. */
  private lazy val indexed: Option[Set[String]] =
    metadata.definitions.get(MetadataPartition.ColumnStats.name).map(_.columns.toSet).filter(_.nonEmpty)

  private def isIndexed(name: String): Boolean = indexed.forall(_(name))

  private def distrust(error: Throwable): Map[AskedFile, Map[FilterColumn, ColumnRange]] = {
    if (warned.add(basePath)) log.warn(s"Reading files of $basePath without the statistics of its metadata table: " +
      error.getMessage)
    Map.empty
  }
}

private object StoredRanges {

  val log = LoggerFactory.getLogger("io.hudilite.metadata.stored.StoredRanges")
  val warned: java.util.Set[String] = Collections.newSetFromMap(new ConcurrentHashMap[String, java.lang.Boolean]())

  // Log records have these columns as they were before their write.
  val MetaPrefix = "_hoodie_"
}

/** Ranges of columns from records that Apache Hudi has written: pure (docs/format.md#statistics). */
private[metadata] object StoredRange {

  /** The range of a column of a file; `None` where the record does not say it for sure. */
  def of(stored: ColumnStatistics, kind: ColumnKind, isLog: Boolean): Option[ColumnRange] =
    if (isLog && stored.values == 0) Some(ColumnRange.OfNulls) // keys that go
    else if (!hasValues(stored) || !isOrdered(kind) || !(isLog || isWhole(stored))) None
    else for {
      min <- stored.min
      max <- stored.max
      ordinal = stored.valueType.map(_.ordinal).filter(_ != StatType.V1)
      range <- ColumnRange.of(kind, stored.nulls > 0, StoredBound(min, ordinal), StoredBound(max, ordinal))
    } yield range.copy(values = range.values.map(_.inBothOrders), nulls = if (isLog) None else Some(stored.nulls))

  // A record that counts nulls alone may be of values that Hudi cannot compare, or of a column without statistics.
  private def hasValues(stored: ColumnStatistics): Boolean = stored.nulls >= 0 && stored.nulls < stored.values

  // Hudi compares bytes with a sign.
  private def isOrdered(kind: ColumnKind): Boolean = kind != ColumnKind.Bytes

  /** All row groups of the base file have bounds. Where one has none Hudi takes those of the others: Parquet leaves out
    * bounds of long texts, whose rows are then counted as nulls, and those of numbers with a NaN, which are then taken for
    * 0.
    */
  private def isWhole(stored: ColumnStatistics): Boolean = stored.min.exists {
    case _: Float32 | _: Float64 => false
    case _: Text => stored.nulls == 0 || (stored.uncompressedBytes > 0 && stored.uncompressedBytes < LongTextBytes)
    case _ => true
  }

  /** Parquet writes bounds of less than twice this size together. */
  private val LongTextBytes = 2048L
}
