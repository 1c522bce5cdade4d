package io.hudilite.upkeep

import io.hudilite.codec.hfile.{HFileForm, HFileWriter}
import io.hudilite.log.{BlockKind, DeleteBlock, DeleteRecord, HeaderKey, LogBlockWriter, OrderingValue}
import io.hudilite.metadata.{MetadataPartition, MetadataRecord, RecordSchema}
import io.hudilite.metadata.MetadataPayload.{NoPlace, Pair, Place}

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

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
