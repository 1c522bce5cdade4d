package io.hudilite.table

import io.hudilite.config.{IndexConf, WriteOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.metadata.stored.RecordIndex
import io.hudilite.storage.WeightedCache

import org.slf4j.LoggerFactory

/** How the options of a write and the record index of its table say together that keys are looked up
  * (docs/format.md#record-index).
  *
  * @param table
  *   as the write found it
  */
final class RecordIndexChoice(table: Table) {

  import RecordIndexChoice._

  private val isListed = RecordIndex.isListed(table.config)

  /** The index, which knows the place of every row, or the reason why nobody can go by it.
    *
    * @param isAsked
    *   as of [[MetadataUse]]
    */
  private def found(isAsked: Boolean): Either[String, RecordIndex] =
    if (!isListed) Left(s"there is none, which $Making=true makes")
    else table.readingMetadata(MetadataUse(isAsked)).recordIndex

  /** The index of a write: where its options name none, that of the table, as far as it knows every row. Raises
    * `InvalidInput` where they name one of another scope than the table has.
    *
    * @param asked
    *   with buckets where the table has such
    */
  def asked(asked: IndexConf): IndexConf =
    if (!isListed || table.config.generatesKeys) asked
    else if (asked.byRecords) {
      table.readingMetadata(MetadataUse(isAsked = true)).hasPartitionedIndex.foreach(check(asked, _))
      asked
    } else if (asked.kind.isDefined) asked
    else found(isAsked = false) match {
      case Right(index) => asked.copy(kind = Some(nameOf(index.isPartitioned)))
      case Left(reason) =>
        warn(s"$reason: as ${WriteOptions.IndexType.name} is not set, the files of their partitions are asked for keys")
        asked
    }

  /** The index that the keys of a write are looked up in; `None` where files answer instead, which is told by a warning.
    *
    * @param asked
    *   the index of the write
    * @param isAsked
    *   options name it
    */
  def toLookUp(asked: IndexConf, isAsked: Boolean): Option[KeyShards] =
    if (!asked.byRecords) None
    else found(isAsked) match {
      case Right(index) => Some(KeyShards(table.basePath, index.shards))
      case Left(reason) =>
        warn(s"$reason: the files are asked for the keys of this write")
        None
    }

  private def check(asked: IndexConf, isPartitioned: Boolean): Unit =
    if (asked.kind.contains(WriteOptions.ByRecordsInPartitions) != isPartitioned)
      throw InvalidInput.option(WriteOptions.IndexType.name, asked.kind.get,
        s"the table has a record index of ${if (isPartitioned) "each partition" else "the whole table"}, which is " +
          nameOf(isPartitioned))

  // Once a snapshot: a write is planned in several steps.
  private def warn(reason: String): Unit = {
    val snapshot = (table.basePath, table.timeline.lastCompleted.fold("")(_.time), reason)
    if (told.get(snapshot).isEmpty) {
      told.put(snapshot, (), 1L)
      log.warn(s"The record index of ${table.basePath} is not used, since $reason.")
    }
  }
}

private object RecordIndexChoice {

  private val Making = "hoodie.metadata.record.index.enable"

  private def nameOf(isPartitioned: Boolean): String =
    if (isPartitioned) WriteOptions.ByRecordsInPartitions else WriteOptions.ByRecords.last

  private val MostTold = 1000L
  private val told = new WeightedCache[(String, String, String), Unit](MostTold)

  private val log = LoggerFactory.getLogger("io.hudilite.table.RecordIndexChoice")
}
