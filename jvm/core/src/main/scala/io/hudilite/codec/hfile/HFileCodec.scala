package io.hudilite.codec.hfile

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Arrays
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.zip.{CRC32, DataFormatException, GZIPInputStream, GZIPOutputStream, Inflater, ZipException}

/** How the blocks of an HFile are compressed, by its number in the trailer. */
private[hfile] sealed abstract class HFileCodec(val number: Int) {

  /** The data of a block with this content. */
  def pack(content: Array[Byte]): Array[Byte]

  /** The content of a block, of `length` bytes; a buffer with an array. */
  def unpack(data: ByteBuffer, length: Int): ByteBuffer
}

private[hfile] object HFileCodec {

  case object Plain extends HFileCodec(2) {
    override def pack(content: Array[Byte]): Array[Byte] = content
    override def unpack(data: ByteBuffer, length: Int): ByteBuffer =
      if (data.remaining == length) data.slice() else throw wrong(data.remaining.toString, length)
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

    override def pack(content: Array[Byte]): Array[Byte] = {
      val bytes = new ByteArrayOutputStream()
      val out = new GZIPOutputStream(bytes)
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
      val inflater = Option(idle.poll()).getOrElse(new Inflater(true))
      try inflated(inflater, data, length)
      finally {
        inflater.reset() // lets the bytes go
        idle.offer(inflater)
      }
    }

    private def inflated(inflater: Inflater, data: ByteBuffer, length: Int): ByteBuffer = {
      inflater.setInput(data.array, data.arrayOffset + data.position() + HeaderBytes, data.remaining - HeaderBytes)
      val bytes = filled(data, length)(inflate(inflater, _, _))
      if (inflate(inflater, new Array[Byte](1), 0) > 0) throw wrong("more", length)
      if (!inflater.finished || inflater.getRemaining != TrailerBytes) throw wrong("more", length)
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

    /** Bytes that are there once the array is full, or nothing is left. */
    private def inflate(inflater: Inflater, target: Array[Byte], from: Int): Int =
      try {
        var (at, more) = (from, 1)
        while (at < target.length && more > 0) { // hot path
          more = inflater.inflate(target, at, target.length - at)
          at += more
        }
        at
      } catch { case e: DataFormatException => throw new ZipException(e.getMessage) }

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

  private def wrong(bytes: String, expected: Int): IllegalArgumentException =
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
