package io.hudilite.codec.hfile

import io.hudilite.error.{CorruptTable, UnsupportedTable}

import java.io.ByteArrayInputStream
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.US_ASCII
import java.util.zip.GZIPInputStream

/** Content of HFile data blocks: an HFile of version 3, whose cells map record keys to records in Avro's binary
  * encoding (docs/format.md#log-files).
  */
object HFileBlock {

  /** A cursor over the cells of a block's content, in the order of their keys.
    *
    * @param path
    *   of the log file, for errors
    */
  def records(content: Array[Byte], path: String): HFileRecords = CorruptTable.guard(path) {
    val trailer = HFileTrailer.read(content)
    if (!Codecs.contains(trailer.codec)) throw unsupported(path, s"the compression codec ${trailer.codec}")
    new HFileRecords(content, trailer, path)
  }

  private[hudilite] def unsupported(path: String, feature: String): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_LOG_BLOCK", "path" -> path, "feature" -> s"an HFile block with $feature",
      "reason" -> "only plain and gzip cells are read")

  private[hudilite] val Gzip = 1
  private[hudilite] val Plain = 2
  private val Codecs = Set(Gzip, Plain)
}

/** The records of one HFile block: after `next()` the record of `key` is the `length` bytes of `buffer` from `offset`
  * on. Its own field for the key may be blank. One piece of the HFile is in memory at a time, besides the content;
  * `buffer` is another array from one piece to the next.
  */
final class HFileRecords private[hudilite] (content: Array[Byte], trailer: HFileTrailer, path: String) {

  import HFileRecords._

  private var cells = ByteBuffer.allocate(0)
  private var nextBlock = trailer.firstDataBlock
  private var read = 0L
  private var row = Array.emptyByteArray
  private var at = 0
  private var bytes = 0

  /** Number of records that the trailer promises. The last `next()` fails where some are missing. */
  def count: Long = trailer.entries

  /** The record key in UTF-8, in an array of its own. */
  def key: Array[Byte] = row
  def buffer: Array[Byte] = cells.array()
  def offset: Int = at
  def length: Int = bytes

  def next(): Boolean = CorruptTable.guard(path) {
    while (!cells.hasRemaining && read < trailer.entries && nextBlock <= trailer.lastDataBlock) openBlock()
    if (read == trailer.entries && !cells.hasRemaining) false
    else if (!cells.hasRemaining || read == trailer.entries)
      throw new IllegalArgumentException(s"an HFile block does not hold its ${trailer.entries} cells")
    else {
      readCell()
      read += 1
      true
    }
  }

  private def readCell(): Unit = {
    val keyLength = cells.getInt
    val valueLength = cells.getInt
    if (keyLength < KeyOverhead || valueLength < 0 || keyLength.toLong + valueLength > cells.remaining)
      throw new IllegalArgumentException(s"an HFile cell of $keyLength and $valueLength bytes")
    val keyStart = cells.position()
    val rowLength = cells.getShort & 0xffff
    if (rowLength > keyLength - KeyOverhead) throw new IllegalArgumentException(s"an HFile key of $rowLength bytes")
    row = new Array[Byte](rowLength)
    cells.get(row)
    at = keyStart + keyLength
    bytes = valueLength
    cells.position(at + valueLength)
    skipVersion()
  }

  /** A number of one byte, or of as many as its first byte says. */
  private def skipVersion(): Unit = {
    val first = cells.get().toInt
    val more = if (first >= -112) 0 else if (first < -120) -120 - first else -112 - first
    cells.position(cells.position() + more)
  }

  private def openBlock(): Unit = {
    val header = ByteBuffer.wrap(content)
    header.position(Math.toIntExact(nextBlock))
    val magic = HFileTrailer.ascii(header, MagicBytes)
    val onDisk = header.getInt
    val uncompressed = header.getInt
    header.position(header.position() + SkippedBytes)
    val dataEnd = header.getInt
    val end = nextBlock + HeaderBytes + onDisk
    if (onDisk < 0 || uncompressed < 0 || end > content.length || dataEnd < HeaderBytes || nextBlock + dataEnd > end)
      throw new IllegalArgumentException(s"an HFile block of $onDisk bytes")
    if (magic == EncodedMagic) throw HFileBlock.unsupported(path, "encoded keys")
    if (magic == DataMagic) cells = unpacked(header.position(), dataEnd - HeaderBytes, uncompressed)
    nextBlock = end
  }

  private def unpacked(from: Int, length: Int, uncompressed: Int): ByteBuffer = {
    val data =
      if (trailer.codec == HFileBlock.Plain) java.util.Arrays.copyOfRange(content, from, from + length)
      else new GZIPInputStream(new ByteArrayInputStream(content, from, length)).readNBytes(uncompressed + 1)
    if (data.length != uncompressed)
      throw new IllegalArgumentException(s"an HFile block unpacks to ${data.length} bytes instead of $uncompressed")
    ByteBuffer.wrap(data)
  }
}

private object HFileRecords {
  val MagicBytes = 8
  val DataMagic = "DATABLK*"
  val EncodedMagic = "DATABLKE"

  /** Magic, two sizes, offset of the block before, kind and stride of checksums, end of the data. */
  val HeaderBytes = 33
  val SkippedBytes: Int = java.lang.Long.BYTES + 1 + Integer.BYTES

  /** A key besides its row: two lengths, a time and a type. */
  val KeyOverhead: Int = java.lang.Short.BYTES + 1 + java.lang.Long.BYTES + 1
}

/** The trailer at the end of an HFile. Offsets count from the beginning of the HFile.
  *
  * @param codec
  *   number of the compression
  */
private[hudilite] final case class HFileTrailer(entries: Long, firstDataBlock: Long, lastDataBlock: Long, codec: Int)

private[hudilite] object HFileTrailer {

  private val TrailerBytes = 4096
  private val Magic = "TRABLK\"$"
  private val Version = 3
  private val MajorVersionMask = 0xffffff
  private val EntriesField = 7
  private val FirstDataBlockField = 9
  private val LastDataBlockField = 10
  private val CodecField = 12
  private val NumberWire = 0
  private val BytesWire = 2

  def read(content: Array[Byte]): HFileTrailer = {
    if (content.length < TrailerBytes) throw new IllegalArgumentException("an HFile block is shorter than its trailer")
    val in = ByteBuffer.wrap(content)
    val version = in.getInt(content.length - Integer.BYTES) & MajorVersionMask
    if (version != Version) throw new IllegalArgumentException(s"an HFile block of version $version")
    in.position(content.length - TrailerBytes)
    if (ascii(in, Magic.length) != Magic) throw new IllegalArgumentException("an HFile block has no trailer")
    val size = varint(in)
    if (size < 0 || size > in.remaining) throw new IllegalArgumentException(s"an HFile trailer of $size bytes")
    val end = in.position() + size.toInt
    val numbers = Map.newBuilder[Int, Long]
    while (in.position() < end) {
      val tag = varint(in)
      (tag & 7).toInt match {
        case NumberWire => numbers += (tag >>> 3).toInt -> varint(in)
        case BytesWire =>
          val length = Math.toIntExact(varint(in))
          in.position(in.position() + length)
        case other => throw new IllegalArgumentException(s"an HFile trailer with a field of wire type $other")
      }
    }
    of(numbers.result(), content.length.toLong)
  }

  private def of(fields: Map[Int, Long], length: Long): HFileTrailer = {
    def field(number: Int): Long = fields.getOrElse(number, 0L)
    val trailer = HFileTrailer(field(EntriesField), field(FirstDataBlockField), field(LastDataBlockField),
      fields.get(CodecField).map(Math.toIntExact).getOrElse(HFileBlock.Plain))
    val placed = trailer.firstDataBlock >= 0 && trailer.lastDataBlock < length
    if (trailer.entries < 0 || trailer.entries > 0 && !placed)
      throw new IllegalArgumentException(s"an HFile trailer that says $trailer")
    trailer
  }

  def ascii(in: ByteBuffer, length: Int): String = {
    val bytes = new Array[Byte](length)
    in.get(bytes)
    new String(bytes, US_ASCII)
  }

  private def varint(in: ByteBuffer): Long = {
    var shift = 0
    var result = 0L
    var last = false
    while (!last) {
      if (shift > 63) throw new IllegalArgumentException("a number has more than ten bytes")
      val byte = in.get()
      result |= (byte & 0x7fL) << shift
      shift += 7
      last = byte >= 0
    }
    result
  }
}
