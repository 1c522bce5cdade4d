package io.hudilite.codec.avro

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, ByteOrder}

/** Avro's binary encoding, read from a part of an array. A length is compared with the bytes that are left before
  * anything is allocated, so damaged bytes cost no memory; they end in an `IllegalArgumentException`.
  */
private[hudilite] final class AvroInput(content: Array[Byte], from: Int, end: Int) {

  private var at = from

  def remaining: Int = end - at

  def long(): Long = {
    var shift = 0
    var result = 0L
    var last = false
    while (!last) {
      if (shift > 63) throw new IllegalArgumentException("a number has more than ten bytes")
      val byte = next()
      result |= (byte & 0x7fL) << shift
      shift += 7
      last = byte >= 0
    }
    (result >>> 1) ^ -(result & 1)
  }

  def int(): Int = {
    val value = long()
    if (value != value.toInt) throw new IllegalArgumentException(s"$value is no int")
    value.toInt
  }

  def bytes(): Array[Byte] = bytes(long())

  /** Bytes whose number is known from the schema. */
  def bytes(length: Long): Array[Byte] = {
    val start = at
    skip(length)
    java.util.Arrays.copyOfRange(content, start, at)
  }

  def skip(length: Long): Unit = {
    if (length < 0) throw new IllegalArgumentException(s"a length of $length bytes")
    if (length > remaining) throw new AvroInput.Ends(s"a length of $length bytes")
    at += length.toInt
  }

  /** The next bytes as an input of their own. */
  def part(length: Long): AvroInput = {
    val start = at
    skip(length)
    new AvroInput(content, start, at)
  }

  def text(): String = {
    val length = long()
    skip(length)
    new String(content, at - length.toInt, length.toInt, UTF_8)
  }

  def boolean(): Boolean = next() match {
    case 0 => false
    case 1 => true
    case other => throw new IllegalArgumentException(s"$other is no boolean")
  }

  def float(): Float = fixed(java.lang.Float.BYTES).getFloat

  def double(): Double = fixed(java.lang.Double.BYTES).getDouble

  /** Reads a union of null and one other type. */
  def optional[T](read: => T): Option[T] = int() match {
    case 0 => None
    case 1 => Some(read)
    case other => throw new IllegalArgumentException(s"the branch $other of a union of two")
  }

  /** Reads an array; every item takes at least one byte. */
  def items[T](read: => T): Seq[T] = {
    val found = Seq.newBuilder[T]
    eachItem(found += read)
    found.result()
  }

  /** Goes through the items of an array or a map. */
  def eachItem(read: => Unit): Unit = {
    var most = remaining.toLong
    var count = long()
    while (count != 0) {
      // A negative count is followed by the bytes that the items take.
      if (count < 0) { count = -count; long() }
      // Items that take no bytes could be any number in a few bytes.
      if (count < 0 || count > most) throw new IllegalArgumentException(s"an array of $count items")
      if (count > remaining) throw new AvroInput.Ends(s"an array of $count items")
      most -= count
      var left = count
      while (left > 0) { read; left -= 1 }
      count = long()
    }
  }

  private def next(): Byte = {
    if (at >= end) throw new AvroInput.Ends("a value ends early")
    at += 1
    content(at - 1)
  }

  private def fixed(count: Int): ByteBuffer = {
    if (count > remaining) throw new AvroInput.Ends("a value ends early")
    at += count
    ByteBuffer.wrap(content, at - count, count).order(ByteOrder.LITTLE_ENDIAN)
  }
}

private[hudilite] object AvroInput {

  /** There are fewer bytes than a value or its length asks for. */
  final class Ends(message: String) extends IllegalArgumentException(message)
}
