package io.hudilite.codec.hfile

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.ByteBuffer
import java.util.Arrays
import java.util.zip.{GZIPInputStream, GZIPOutputStream}

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
      val in = new GZIPInputStream(
        new ByteArrayInputStream(data.array, data.arrayOffset + data.position(), data.remaining), BufferBytes)
      // A damaged length is not believed: the array grows as bytes come out.
      var bytes = new Array[Byte](math.min(length.toLong, data.remaining * UsualExpansion).toInt)
      var read = in.readNBytes(bytes, 0, bytes.length)
      while (read == bytes.length && read < length) {
        bytes = Arrays.copyOf(bytes, math.min(length.toLong, bytes.length * 2L).toInt)
        read += in.readNBytes(bytes, read, bytes.length - read)
      }
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
