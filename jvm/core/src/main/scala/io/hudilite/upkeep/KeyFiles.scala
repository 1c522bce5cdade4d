package io.hudilite.upkeep

import io.hudilite.codec.hfile.{HFile, HFileFilter, HFileForm, HFileWriter}
import io.hudilite.log.{BlockKind, DeleteBlock, DeleteRecord, HeaderKey, LogBlockWriter, OrderingValue}
import io.hudilite.metadata.{MetadataPartition, MetadataPayload, MetadataRecord, RecordEncoder, RecordSchema}
import io.hudilite.metadata.MetadataPayload.{NoPlace, Pair, Place}
import io.hudilite.storage.{Closing, Storage}
import io.hudilite.timeline.WriteStat

import java.io.{ByteArrayOutputStream, IOException}
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import scala.collection.mutable

/** Files of the file groups of a record index or a secondary one, or base files of a partition whose newer records replace
  * older ones. Records come in the order of their keys' UTF-8 bytes, each key once.
  *
  * An attempt that finds a file of its name takes that of another attempt for its own where both are of the same records.
  *
  * @param folder
  *   of the metadata table
  * @param version
  *   of the table
  * @param blockBytes
  *   about as many as a block of a log file has at most
  * @param forSeeks
  *   base files are asked for few keys at a time
  */
private[upkeep] final class KeyFiles(storage: Storage, folder: String, version: Int,
    partition: MetadataPartition = MetadataPartition.RecordIndex, blockBytes: Int = KeyFiles.LogBlockBytes,
    forSeeks: Boolean = true) {

  import KeyFiles._

  /** A log file: places or pairs, and keys that go; `None` where there is no record. Of many records it has several blocks. */
  def log(fileId: String, name: String, instant: String, records: Iterator[MetadataRecord]): Option[WriteStat] = {
    val blocks = new KeyBlocks(version, instant, partition, form(Untimed), records, blockBytes)
    if (!blocks.hasNext) None
    else {
      val first = new ByteArrayOutputStream()
      while (blocks.hasNext && first.size < blockBytes) first.write(blocks.next())
      val bytes = if (blocks.hasNext) stream(name, Iterator(first.toByteArray) ++ blocks)
      else create(name, first.toByteArray)
      Some(stat(fileId, name, bytes).copy(numWrites = blocks.written, numUpdateWrites = blocks.written,
          numDeletes = blocks.deleted, logFiles = Seq(name)))
    }
  }

  /** A base file; `None` where there is no place. */
  def base(fileId: String, instant: String, records: Iterator[MetadataRecord]): Option[WriteStat] =
    if (!records.hasNext) None
    else {
      val encoded = new EncodedPayloads
      Some(ofEncoded(fileId, instant,
          records.map { record =>
            record.key.getBytes(UTF_8) ->
              (record.payload match {
                case of @ (_: Place | Pair(false)) => encoded.of(of)
                case other =>
                  throw new IllegalArgumentException(s"a base file of ${partition.name} has no record of $other")
              })
          }))
    }

  /** A base file of records as they are encoded, which need not fit into memory.
    *
    * @param records
    *   asked for where there is no file of this name yet, and closed behind the last one
    * @param madeMs
    *   time that it bears
    */
  def ofEncoded(fileId: String, instant: String, records: => Iterator[(Array[Byte], Array[Byte])],
      madeMs: Long = storage.clock.millis()): WriteStat = {
    val name = s"${fileId}_${GroupFiles.Token}_$instant.hfile"
    var written = 0L
    var bytes = 0L
    val isNew = storage.createStreamed(s"$parent/$name") { out =>
      val file = new HFileWriter(out, form(madeMs))
      val filter = GroupFiles.filter()
      val taken = records
      try taken.foreach {
          case (key, value) => // hot path
            filter.add(key, 0, key.length)
            file.append(key, value)
            written += 1
        }
      finally Closing.close(taken)
      bytes = file.finish(Some(HFileFilter(filter.typeCode, filter.serialized)))
    }
    if (!isNew) {
      bytes = lengthOf(name)
      written = entriesOf(name, bytes)
    }
    stat(fileId, name, bytes).copy(numWrites = written, numInserts = written)
  }

  private def entriesOf(name: String, bytes: Long): Long = {
    val file = HFile.open(storage, s"$parent/$name", bytes)
    try file.entries
    finally file.close()
  }

  private def stat(fileId: String, name: String, bytes: Long): WriteStat =
    WriteStat(fileId, s"${partition.name}/$name", WriteStat.NoPreviousCommit,
      partition.name, totalWriteBytes = bytes, fileSizeInBytes = bytes)

  private val parent = s"$folder/${partition.name}"

  private def create(name: String, content: Array[Byte]): Long =
    // A task that is run again makes equal bytes, and one that an earlier run has left others.
    if (storage.createNew(s"$parent/$name", content) ||
      storage.read(s"$parent/$name").exists(java.util.Arrays.equals(_, content))) content.length.toLong
    else throw new IOException(s"$parent/$name could not be created, or is of another run")

  // As [[create]], of more than is to be in memory.
  private def stream(name: String, blocks: Iterator[Array[Byte]]): Long = {
    val path = s"$parent/$name"
    val digest = MessageDigest.getInstance("SHA-256")
    var bytes = 0L
    def next(): Array[Byte] = {
      val block = blocks.next()
      digest.update(block)
      bytes += block.length
      block
    }
    val isNew = storage.createStreamed(path)(out => while (blocks.hasNext) out.write(next()))
    while (blocks.hasNext) next()
    if (!isNew && !(lengthOf(name) == bytes && isSame(path, bytes, digest.digest())))
      throw new IOException(s"$path could not be created, or is of another run")
    bytes
  }

  private def isSame(path: String, bytes: Long, digest: Array[Byte]): Boolean = {
    val found = MessageDigest.getInstance("SHA-256")
    Iterator.iterate(0L)(_ + blockBytes).takeWhile(_ < bytes).foreach(at =>
      found.update(storage.readRange(path, at, math.min(blockBytes.toLong, bytes - at).toInt)))
    java.util.Arrays.equals(found.digest(), digest)
  }

  private def lengthOf(name: String): Long =
    storage.list(parent).find(_.name == name).map(_.length).filter(_ > 0).getOrElse(
      throw new IOException(s"$parent/$name could not be created"))

  private def form(madeMs: Long): HFileForm =
    HFileForm(RecordSchema.ofFiles, madeMs, blockBytes = if (forSeeks) BlockBytes else GroupFiles.BlockBytes,
      forSeeks = forSeeks)
}

private[upkeep] object KeyFiles {

  // A key costs to unpack the block that may have it. Smaller ones make files larger.
  private val BlockBytes = 8 * 1024

  // Log files of the same records have the same bytes, whenever they are made.
  private val Untimed = 0L

  /** A block, and what is in memory of a log file. Apache Hudi takes 256 MiB. */
  val LogBlockBytes: Int = 32 << 20
}

/** Records without their keys, which are alike for all keys of a place, and for all pairs. */
private[upkeep] final class EncodedPayloads {

  private val known = mutable.HashMap.empty[MetadataPayload, Array[Byte]]

  def of(payload: MetadataPayload): Array[Byte] = {
    if (known.size > EncodedPayloads.MostKnown) known.clear()
    known.getOrElseUpdate(payload, RecordEncoder.encode(MetadataRecord("", payload)))
  }
}

private object EncodedPayloads {
  private val MostKnown = 10000
}

/** The log blocks of records of an index: places or pairs, and keys that go, since each key is in one block alone. One block
  * is in memory at a time, and has about as many bytes as it may.
  *
  * @param version
  *   of the table
  * @param form
  *   of the HFiles in them
  */
private[upkeep] final class KeyBlocks(version: Int, instant: String, partition: MetadataPartition, form: HFileForm,
    records: Iterator[MetadataRecord], mostBytes: Int) extends Iterator[Array[Byte]] {

  import KeyBlocks._

  private val encoded = new EncodedPayloads
  private val gone = mutable.ArrayBuffer.empty[DeleteRecord]
  private val headers = LogBlockWriter.headers(version, instant, RecordSchema.ofFiles)
  // A block grows where it stays, behind room for its header.
  private val room = header(0L)
  private var ofKeys = 0L
  private var ofGone = 0L

  /** Places or pairs in the blocks so far. */
  def written: Long = ofKeys

  /** Keys that go in the blocks so far. */
  def deleted: Long = ofGone

  override def hasNext: Boolean = records.hasNext || gone.nonEmpty

  override def next(): Array[Byte] = {
    if (!hasNext) throw new NoSuchElementException("no more blocks")
    (if (isFull) None else ofRecords()).getOrElse(ofDeleted())
  }

  private def isFull: Boolean = gone.size >= math.max(1, mostBytes / BytesOfGone)

  private def header(bytes: Long): Array[Byte] = LogBlockWriter.header(BlockKind.HFileData, headers, bytes)

  private def ofRecords(): Option[Array[Byte]] = {
    val out = new ByteArrayOutputStream()
    out.write(room, 0, room.length)
    val file = new HFileWriter(out, form)
    val before = ofKeys
    while (records.hasNext && out.size < mostBytes && !isFull) { // hot path
      val record = records.next()
      record.payload match {
        case NoPlace => gone += DeleteRecord(record.key, MetadataPartition.RecordIndex.name, OrderingValue.CommitTime)
        case of @ (_: Place | _: Pair) =>
          file.append(record.key.getBytes(UTF_8), encoded.of(of))
          ofKeys += 1
        case other => throw new IllegalArgumentException(s"${partition.name} has no record of $other")
      }
    }
    if (ofKeys == before) None
    else {
      val bytes = file.finish()
      val end = LogBlockWriter.trailer(room.length, bytes)
      out.write(end, 0, end.length)
      val content = out.toByteArray
      System.arraycopy(header(bytes), 0, content, 0, room.length)
      Some(content)
    }
  }

  private def ofDeleted(): Array[Byte] = {
    val block = LogBlockWriter.bytes(BlockKind.Delete, Map(HeaderKey.InstantTime -> instant),
      DeleteBlock.encode(gone.toSeq, version))
    ofGone += gone.size
    gone.clear()
    block
  }
}

private object KeyBlocks {

  // In memory; in the block it takes less.
  private val BytesOfGone = 200
}
