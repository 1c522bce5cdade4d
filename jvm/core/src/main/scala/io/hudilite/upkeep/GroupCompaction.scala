package io.hudilite.upkeep

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.{MetadataPartition, RecordCodec, RecordEncoder, RecordSchema}
import io.hudilite.metadata.MetadataPayload.{Bloom, Pair}
import io.hudilite.metadata.stored.StoredSlices
import io.hudilite.storage.{Closing, Storage}
import io.hudilite.timeline.{InstantTime, WriteStat}

import java.nio.charset.StandardCharsets.UTF_8
import java.time.ZoneOffset

/** A file group of a metadata table that gets a base file with all of its records, on the driver or in a task.
  *
  * All attempts have the slice that the plan names, and make equal bytes.
  *
  * @param folder
  *   of the metadata table
  * @param version
  *   of the table
  * @param merge
  *   how its records are put together
  */
private[upkeep] final case class GroupCompaction(folder: String, version: Int, instant: String,
    partition: MetadataPartition, slice: FileSlice, merge: GroupCompaction.Merge, stored: StoredSlices)
    extends FileWork {

  import GroupCompaction._

  override def bytes: Long = slice.totalLength

  override def isStreamed: Boolean = merge != InMemory

  override def run(storage: Storage, goesOn: () => Unit): WriteStat =
    try new KeyFiles(storage, folder, version, partition, forSeeks = isStreamed)
        .ofEncoded(slice.fileId, instant, watched(records(storage), goesOn), madeMs).copy(prevCommit = slice.instant)
    catch { case e: CorruptTable if e.condition == "CORRUPT_FILE" && isStreamed => throw advised(e) }

  // A base file of these may be larger than memory.
  private def records(storage: Storage): Records = merge match {
    case Streamed | StreamedLeft => stored.sorted(storage, slice)
    case InMemory => GroupFiles.ordered(stored.of(storage, slice)).iterator.map(record =>
        record.key.getBytes(UTF_8) -> RecordEncoder.encode(record))
  }

  private def watched(records: Records, goesOn: () => Unit): Records = {
    var taken = 0L
    val kept = if (merge == StreamedLeft) records.filterNot(record => isGone(record._2)) else records
    new Closing(() => Closing.close(records),
      kept.map { record => // hot path
        if ((taken & CheckMask) == 0) goesOn()
        taken += 1
        record
      })
  }

  private def madeMs: Long = {
    val time = InstantTime.beforeSuffix(instant).getOrElse(instant)
    if (InstantTime.isOfTimeline(time)) InstantTime.toEpochMillis(time, ZoneOffset.UTC) else 0L
  }

  // It stays planned, and is tried again by each write, until the partition is another one.
  private def advised(e: CorruptTable): CorruptTable = {
    val index = partition.name.stripPrefix(MetadataPartition.SecondaryPrefix)
    CorruptTable("CORRUPT_FILE", "path" -> e.parameters("path"),
      "reason" ->
        (s"${e.parameters("reason")}. Until ${partition.name} is made anew, by DROP INDEX $index and " +
          "CREATE INDEX, the metadata table is not compacted"))
  }
}

private[upkeep] object GroupCompaction {

  private type Records = Iterator[(Array[Byte], Array[Byte])]

  /** How records of a partition are put together. */
  sealed trait Merge extends Product with Serializable

  /** Newer records replace older ones. */
  case object Streamed extends Merge

  /** As [[Streamed]], without filters of files that have been deleted and pairs that no row has any more. */
  case object StreamedLeft extends Merge

  /** Some records add to older ones. */
  case object InMemory extends Merge

  private val CheckMask = 0xffffL

  // A filter is longer, and not decoded to find that out.
  private val MostOfGone = 4096

  private lazy val codec = RecordCodec.of(RecordSchema.ofFiles)

  private def isGone(record: Array[Byte]): Boolean =
    record.length < MostOfGone &&
      (codec.decode("", record, 0, record.length).payload match {
        case Bloom(_, _, _, isDeleted) => isDeleted
        case Pair(isDeleted) => isDeleted
        case _ => false
      })
}
