package io.hudilite.codec.hfile

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.zip.{CRC32, DataFormatException, Deflater, GZIPInputStream, GZIPOutputStream, Inflater, ZipException}

/** How the blocks of an HFile are compressed, by its number in the trailer. */
private[hfile] sealed abstract class HFileCodec(val number: Int) {

  /** The data of a block with this content.
    *
    * @param forSeeks
    *   as few matches of some bytes are taken as single bytes: what is left unpacks sooner, and is shorter for random keys
    */
  def pack(content: Array[Byte], forSeeks: Boolean = false): Array[Byte]

  /** The content of a block, of `length` bytes; a buffer with an array. */
  def unpack(data: ByteBuffer, length: Int): ByteBuffer

  /** The content of a block whose checksums fit, to be unpacked as far as it is asked for; `None` where that is not worth a
    * thing.
    */
  def open(data: ByteBuffer, length: Int): Option[PartialContent]
}

private[hfile] object HFileCodec {

  case object Plain extends HFileCodec(2) {
    override def pack(content: Array[Byte], forSeeks: Boolean): Array[Byte] = content
    override def unpack(data: ByteBuffer, length: Int): ByteBuffer =
      if (data.remaining == length) data.slice() else throw wrong(data.remaining.toString, length)
    override def open(data: ByteBuffer, length: Int): Option[PartialContent] = None
  }

  case object Gzip extends HFileCodec(1) {
    private val BufferBytes = 4096
    private val HeaderBytes = 10
    private val TrailerBytes = 8
    private val PlainHeader = 0x1f8b0800 // magic, deflated, no flags
    // As many as have been at work at a time, each with some ten thousand bytes outside of the heap.
    private val idle = new ConcurrentLinkedQueue[Inflater]

    // Deflated bytes stand for at most 1032 times as many; a length beyond that would be allocated in vain.
    private val MostExpansion = 1032L
    private val UsualExpansion = 16L

    override def pack(content: Array[Byte], forSeeks: Boolean): Array[Byte] = {
      val bytes = new ByteArrayOutputStream()
      val out = new GZIPOutputStream(bytes) { if (forSeeks) `def`.setStrategy(Deflater.FILTERED) }
      out.write(content)
      out.close()
      bytes.toByteArray
    }

    override def unpack(data: ByteBuffer, length: Int): ByteBuffer = {
      if (length > data.remaining * MostExpansion) throw wrong("fewer", length)
      if (isPlain(data)) inflated(data, length) else streamed(data, length)
    }

    // As writers make them: one member, whose header has nothing but its ten bytes.
    private def isPlain(data: ByteBuffer): Boolean = data.remaining > HeaderBytes + TrailerBytes &&
      data.getInt(data.position()) == PlainHeader

    /** A stream for each block costs as much as it takes to unpack some thousand bytes. */
    private def inflated(data: ByteBuffer, length: Int): ByteBuffer = {
      val inflater = opened(data)
      try inflated(inflater, data, length)
      finally giveBack(inflater)
    }

    private def opened(data: ByteBuffer): Inflater = {
      val inflater = Option(idle.poll()).getOrElse(new Inflater(true))
      inflater.setInput(data.array, data.arrayOffset + data.position() + HeaderBytes, data.remaining - HeaderBytes)
      inflater
    }

    private def giveBack(inflater: Inflater): Unit = {
      inflater.reset() // lets the bytes go
      idle.offer(inflater)
      ()
    }

    override def open(data: ByteBuffer, length: Int): Option[PartialContent] =
      if (length == 0 || length > data.remaining * MostExpansion || !isPlain(data)) None
      else Some(new PartialContent(opened(data), length, TrailerBytes, giveBack))

    private def inflated(inflater: Inflater, data: ByteBuffer, length: Int): ByteBuffer = {
      val bytes = filled(data, length)((into, from) => inflate(inflater, into, from, into.length))
      checkEnd(inflater, length, TrailerBytes)
      verify(data, bytes)
      ByteBuffer.wrap(bytes)
    }

    /** An array of this length, full.
      *
      * @param fill
      *   fills one from an offset on, as far as bytes are left, and tells where they end
      */
    private def filled(data: ByteBuffer, length: Int)(fill: (Array[Byte], Int) => Int): Array[Byte] = {
      // A damaged length is not believed: the array grows as bytes come out.
      var bytes = new Array[Byte](math.min(length.toLong, data.remaining * UsualExpansion).toInt)
      var read = fill(bytes, 0)
      while (read == bytes.length && read < length) {
        bytes = Arrays.copyOf(bytes, math.min(length.toLong, bytes.length * 2L).toInt)
        read = fill(bytes, read)
      }
      if (read < length) throw wrong(read.toString, length)
      bytes
    }

    private def verify(data: ByteBuffer, bytes: Array[Byte]): Unit = {
      val end = data.duplicate().order(ByteOrder.LITTLE_ENDIAN)
      val crc = new CRC32()
      crc.update(bytes)
      if (end.getInt(end.limit() - TrailerBytes) != crc.getValue.toInt ||
        end.getInt(end.limit() - Integer.BYTES) != bytes.length)
        throw new ZipException("the check of a block of an HFile does not fit its bytes")
    }

    private def streamed(data: ByteBuffer, length: Int): ByteBuffer = {
      val in = new GZIPInputStream(
        new ByteArrayInputStream(data.array, data.arrayOffset + data.position(), data.remaining), BufferBytes)
      val bytes = filled(data, length)((into, from) => from + in.readNBytes(into, from, into.length - from))
      if (in.read() >= 0) throw wrong("more", length) // reads the check at the end, too
      ByteBuffer.wrap(bytes)
    }
  }

  /** Bytes that are there once the array is full up to `until`, or nothing is left. */
  def inflate(inflater: Inflater, target: Array[Byte], from: Int, until: Int): Int =
    try {
      var at = from
      var more = 1
      while (at < until && more > 0) { // hot path
        more = inflater.inflate(target, at, until - at)
        at += more
      }
      at
    } catch { case e: DataFormatException => throw new ZipException(e.getMessage) }

  /** Raises an error unless the content ends here, with so many bytes after it. */
  def checkEnd(inflater: Inflater, length: Int, after: Int): Unit =
    if (inflate(inflater, new Array[Byte](1), 0, 1) > 0 || !inflater.finished || inflater.getRemaining != after)
      throw wrong("more", length)

  def wrong(bytes: String, expected: Int): IllegalArgumentException =
    new IllegalArgumentException(s"a block of an HFile unpacks to $bytes bytes instead of $expected")

  private val Foreign = Map(0 -> "LZO", 3 -> "SNAPPY", 4 -> "LZ4", 5 -> "BZIP2", 6 -> "ZSTD")

  /** @param number
    *   absent where blocks are plain
    */
  def of(number: Option[Long], path: String): HFileCodec = number.map(Math.toIntExact).getOrElse(Plain.number) match {
    case Plain.number => Plain
    case Gzip.number => Gzip
    case other => throw HFile.unsupported(path, s"the compression codec ${Foreign.getOrElse(other, other.toString)}")
  }
}
