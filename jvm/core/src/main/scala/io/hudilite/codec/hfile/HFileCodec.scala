package io.hudilite.codec.hfile

import java.io.ByteArrayInputStream
import java.nio.ByteBuffer
import java.util.zip.GZIPInputStream

/** How the blocks of an HFile are compressed, by its number in the trailer. */
private[hfile] sealed abstract class HFileCodec(val number: Int) {

  /** The content of a block, of `length` bytes; a buffer with an array. */
  def unpack(data: ByteBuffer, length: Int): ByteBuffer
}

private[hfile] object HFileCodec {

  case object Plain extends HFileCodec(2) {
    override def unpack(data: ByteBuffer, length: Int): ByteBuffer =
      if (data.remaining == length) data.slice() else throw wrong(data.remaining.toString, length)
  }

  case object Gzip extends HFileCodec(1) {
    private val BufferBytes = 4096
    // Deflated bytes stand for at most 1032 times as many; a length beyond that would be allocated in vain.
    private val MostExpansion = 1032L

    override def unpack(data: ByteBuffer, length: Int): ByteBuffer = {
      if (length > data.remaining * MostExpansion) throw wrong("fewer", length)
      val bytes = new Array[Byte](length)
      val in = new GZIPInputStream(
        new ByteArrayInputStream(data.array, data.arrayOffset + data.position(), data.remaining), BufferBytes)
      val read = in.readNBytes(bytes, 0, length)
      if (read < length) throw wrong(read.toString, length)
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
