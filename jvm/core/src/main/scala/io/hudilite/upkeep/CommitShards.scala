package io.hudilite.upkeep

import io.hudilite.codec.hfile.HFileWriter
import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.metadata.{KeyRecords, MetadataRecord}
import io.hudilite.metadata.MetadataPayload.Place
import io.hudilite.metadata.stored.PlaceReader
import io.hudilite.record.KeyChange
import io.hudilite.storage.Storage
import io.hudilite.timeline.WriteStat

import java.nio.charset.StandardCharsets.UTF_8

/** A file group of a record index that a write adds a log file to.
  *
  * @param logName
  *   name of that file
  * @param isNew
  *   the group has no place yet
  */
private[upkeep] final case class IndexShard(slice: FileSlice, logName: String, isNew: Boolean)

/** The record index of a table that a write changes.
  *
  * @param folder
  *   of the metadata table
  * @param shards
  *   in the order of the groups
  * @param isRead
  *   the changes are those of files: also rows that have been there before are among them
  * @param limit
  *   of the keys that come
  */
private[upkeep] final case class CommitShards(folder: String, version: Int, instant: String, instantMs: Long,
    groups: IndexGroups, shards: IndexedSeq[IndexShard], reader: PlaceReader, isRead: Boolean,
    limit: KeyLimit) extends KeyShards {

  import CommitShards._

  override def count: Int = groups.ids.size

  override def numberOf(key: String, partition: String): Int = groups.numberOf(key, partition)

  override def write(storage: Storage, number: Int, changes: Iterator[KeyChange]): Option[WriteStat] = {
    val shard = shards(number)
    val records = new ByKey(changes).grouped(KeysAtOnce).flatMap(changed(storage, shard, _))
    new KeyFiles(storage, folder, version).log(shard.slice.fileId, shard.logName, instant, records).map(of(shard, _))
  }

  private def changed(storage: Storage, shard: IndexShard, lot: Seq[(String, Seq[KeyChange])]): Seq[MetadataRecord] = {
    val asked = if (shard.isNew) Set.empty[String]
    else lot.collect { case (key, some) if isRead || !some.exists(_.fileId.isDefined) => key }.toSet
    val before = if (asked.isEmpty) Map.empty[String, Place] else reader.places(storage, shard.slice, asked)
    for {
      (key, some) <- lot
      record <- KeyRecords.record(key, some, before.get(key), Some(instantMs))
      if !isRead || !KeyRecords.isSame(record, before.get(key))
    } yield record.copy(key = limit.checked(key))
  }

  private def of(shard: IndexShard, written: WriteStat): WriteStat =
    if (version >= GroupFiles.LogsNameTheirWrite) written.copy(prevCommit = instant)
    else written.copy(prevCommit = shard.slice.instant, baseFile = shard.slice.base.map(_.name))
}

private[upkeep] object CommitShards {

  /** Keys whose places are looked up together. */
  val KeysAtOnce = 50000

  /** The changes of a key together, as sorted changes have them beside each other. */
  final class ByKey(changes: Iterator[KeyChange]) extends Iterator[(String, Seq[KeyChange])] {

    private val ahead = changes.buffered

    override def hasNext: Boolean = ahead.hasNext

    override def next(): (String, Seq[KeyChange]) = {
      val first = ahead.next()
      var some = List(first)
      while (ahead.hasNext && ahead.head.key == first.key) some = ahead.next() :: some
      first.key -> some
    }
  }
}

/** A record index that is being made.
  *
  * @param instantsMs
  *   by file group of the table: epoch milliseconds of the instant of its newest slice
  * @param limit
  *   of the keys
  */
private[upkeep] final case class InitialShards(folder: String, version: Int, instant: String, groups: IndexGroups,
    instantsMs: Map[FileGroupId, Long], limit: KeyLimit) extends KeyShards {

  override def count: Int = groups.ids.size

  override def numberOf(key: String, partition: String): Int = groups.numberOf(key, partition)

  override def write(storage: Storage, number: Int, changes: Iterator[KeyChange]): Option[WriteStat] = {
    val records = new CommitShards.ByKey(changes).flatMap { case (key, some) =>
      KeyRecords.record(limit.checked(key), some, None, None).map(timed)
    }
    new KeyFiles(storage, folder, version).base(groups.ids(number), instant, records)
  }

  private def timed(record: MetadataRecord): MetadataRecord = record.payload match {
    case place: Place =>
      record.copy(payload = place.copy(instantMs = instantsMs.get(FileGroupId(place.partition, place.fileId))))
    case _ => record
  }
}

/** Refuses keys that are longer than an HFile takes, before any is written.
  *
  * @param path
  *   of what has them
  * @param index
  *   that is to have them, as an error names it
  * @param parts
  *   of a key, as an error names them
  */
private[upkeep] final case class KeyLimit(path: String, index: String, parts: String) {

  import KeyLimit._

  /** The key; raises `UNSUPPORTED_TABLE_FEATURE` where it is too long. */
  def checked(key: String): String = { // hot path
    if (key.length > HFileWriter.MostKeyBytes / BytesOfLetter) {
      val bytes = key.getBytes(UTF_8).length
      if (bytes > HFileWriter.MostKeyBytes) throw refused(key, bytes)
    }
    key
  }

  private def refused(key: String, bytes: Int): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> path,
      "feature" -> s"$index, of which $parts that begins with '${key.take(Shown)}' has $bytes bytes",
      "reason" -> s"${HFileWriter.MostKeyBytes} are the most; drop the index, or shorten the value")
}

private object KeyLimit {

  // In UTF-8 at most, of each unit of UTF-16.
  private val BytesOfLetter = 3

  private val Shown = 40
}
