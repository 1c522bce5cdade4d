package io.hudilite.metadata.stored

import java.io.ByteArrayInputStream
import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.util.zip.GZIPInputStream

/** The schema that an HFile names in its file information. */
private[stored] object HFileSchema {

  private val TrailerBytes = 4096
  private val MagicBytes = 8
  private val HeaderBytes = 33
  private val Gzip = 1L

  def of(content: Array[Byte]): String = {
    val trailer = ByteBuffer.wrap(content)
    trailer.position(content.length - TrailerBytes + MagicBytes)
    val numbers = fields(part(trailer)).collect { case (n, Left(value)) => n -> value }.toMap
    val block = ByteBuffer.wrap(content)
    val start = Math.toIntExact(numbers(1))
    block.position(start + MagicBytes)
    block.getInt
    val plain = block.getInt
    block.getLong
    block.get
    block.getInt
    val end = block.getInt
    val data = new ByteArrayInputStream(content, start + HeaderBytes, end - HeaderBytes)
    val info = if (numbers.get(12).contains(Gzip)) new GZIPInputStream(data).readNBytes(plain) else data.readNBytes(plain)
    val in = ByteBuffer.wrap(info)
    in.position("PBUF".length)
    val entries = fields(part(in)).collect { case (1, Right(pair)) =>
      val texts = fields(pair).collect { case (n, Right(text)) => n -> new String(bytesOf(text), UTF_8) }.toMap
      texts(1) -> texts(2)
    }.toMap
    entries.getOrElse("schema", throw new IllegalArgumentException("an HFile names no schema"))
  }

  private def bytesOf(in: ByteBuffer): Array[Byte] = {
    val bytes = new Array[Byte](in.remaining)
    in.get(bytes)
    bytes
  }

  private def part(in: ByteBuffer): ByteBuffer = {
    val length = Math.toIntExact(varint(in))
    val view = in.slice()
    view.limit(length)
    in.position(in.position() + length)
    view
  }

  private def fields(in: ByteBuffer): Seq[(Int, Either[Long, ByteBuffer])] =
    Iterator.continually(()).takeWhile(_ => in.hasRemaining).map { _ =>
      val tag = varint(in)
      (tag >>> 3).toInt -> (if ((tag & 7) == 0) Left(varint(in)) else Right(part(in)))
    }.toList

  private def varint(in: ByteBuffer): Long = {
    val byte = in.get()
    if (byte >= 0) byte.toLong else (byte & 0x7fL) | (varint(in) << 7)
  }
}
