package io.hudilite.metadata.stored

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.BaseFile
import io.hudilite.metadata.MetadataPartition
import io.hudilite.metadata.StatValue.Text
import io.hudilite.record.MetaFields
import io.hudilite.stats.{
  AskedFile,
  ColumnKind,
  ColumnRange,
  ColumnRanges,
  FilterColumn,
  KeyBounds,
  KnownFilters,
  KnownKeys
}

import java.io.IOException
import java.util.Collections
import java.util.concurrent.ConcurrentHashMap

import org.slf4j.LoggerFactory

/** Facts on record keys from a metadata table: ranges by its statistics of the column of keys, as far as those of any
  * column count, and bloom filters. Nothing is known of skeletons, of which the table has other columns elsewhere.
  *
  * @param ranges
  *   where the metadata table has such statistics
  */
private[hudilite] final class StoredKeyFacts(metadata: MetadataTable, ranges: Option[ColumnRanges], basePath: String)
    extends KnownKeys {

  import StoredKeyFacts._

  override def mayTell(ranges: Boolean, blooms: Boolean): Boolean = (ranges && this.ranges.isDefined) ||
    (blooms && metadata.listed.contains(MetadataPartition.BloomFilters.name))

  override def bounds(files: Seq[BaseFile]): Map[BaseFile, KeyBounds] = ranges.fold(Map.empty[BaseFile, KeyBounds]) {
    of =>
      val asked = files.filter(_.source.isEmpty).map(file =>
        AskedFile(file.partition, file.name, file.length, isLog = false, Map(Keys -> MetaFields.RecordKey)) ->
          file).toMap
      for ((file, found) <- of.of(asked.keys.toSeq); range <- found.get(Keys); bounds <- boundsOf(range))
        yield asked(file) -> bounds
  }

  override lazy val filters: Option[KnownFilters] =
    if (!metadata.listed.contains(MetadataPartition.BloomFilters.name)) {
      tell(basePath, "its metadata table has none, which hoodie.metadata.index.bloom.filter.enable=true makes")
      None
    } else
      try Some(metadata.filters(basePath))
      catch {
        // Also a storage that does not answer.
        case e @ (_: HudiliteException | _: IOException) =>
          tell(basePath, String.valueOf(e.getMessage))
          None
      }
}

private[hudilite] object StoredKeyFacts {

  private val Keys = FilterColumn(Seq(MetaFields.RecordKey), ColumnKind.Texts)

  /** Both bounds, or none: one that is missing may be anything. */
  private def boundsOf(range: ColumnRange): Option[KeyBounds] = range.values.flatMap(values =>
    (values.low, values.high) match {
      case (Some(Text(low)), Some(Text(high))) if !range.mayBeNull => Some(KeyBounds(Some(low), Some(high)))
      case _ => None
    })

  private val log = LoggerFactory.getLogger("io.hudilite.metadata.stored.StoredKeyFacts")
  private val warned = Collections.newSetFromMap(new ConcurrentHashMap[(String, String), java.lang.Boolean]())

  /** Warns once a table. */
  private[hudilite] def tell(basePath: String, reason: String): Unit =
    if (warned.add(basePath -> reason.takeWhile(_ != ':')))
      log.warn(s"The footers of base files of $basePath are asked for bloom filters of keys: $reason")
}
