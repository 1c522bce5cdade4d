package io.hudilite.spark.logfile.read

/** A record whose bytes do not fit its schema; whoever knows the file turns it into an error of the table. */
private[read] final class DamagedRecord(reason: String) extends RuntimeException(reason, null, false, false)

/** Reads Avro's binary encoding from a range of an array; nothing outside of the range is ever read. */
private[read] final class AvroCursor {

  private var content = Array.emptyByteArray
  private var at = 0
  private var end = 0

  /** The array that positions count in. */
  def bytes: Array[Byte] = content

  /** Moves to the range `[offset, offset + length)` of an array. */
  def over(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    content = bytes
    if (offset < 0 || length < 0 || offset > bytes.length - length) throw new DamagedRecord("it ends outside its block")
    at = offset
    end = offset + length
  }

  def isAtEnd: Boolean = at == end

  def remaining: Int = end - at

  /** Position of `length` bytes, which are then behind the cursor. */
  def take(length: Long): Int = {
    if (length < 0 || length > remaining) throw new DamagedRecord(s"a value of $length bytes exceeds it")
    val start = at
    at += length.toInt
    start
  }

  def readBoolean(): Boolean = content(take(1)) != 0

  def readInt(): Int = {
    val value = readLong()
    if (value != value.toInt) throw new DamagedRecord(s"$value is no int")
    value.toInt
  }

  /** A number of up to ten bytes of seven bits each, least first, its sign in the lowest bit. */
  def readLong(): Long = {
    // hot path
    var result = 0L
    var shift = 0
    var more = true
    while (more) {
      if (at >= end) throw new DamagedRecord("it ends inside a number")
      if (shift > 63) throw new DamagedRecord("it has a number of more than ten bytes")
      val byte = content(at)
      at += 1
      result |= (byte & 0x7fL) << shift
      shift += 7
      more = byte < 0
    }
    (result >>> 1) ^ -(result & 1)
  }

  def readFloat(): Float = java.lang.Float.intBitsToFloat(littleEndian(take(4), 4).toInt)

  def readDouble(): Double = java.lang.Double.longBitsToDouble(littleEndian(take(8), 8))

  private def littleEndian(start: Int, count: Int): Long = {
    // hot path
    var result = 0L
    var i = count - 1
    while (i >= 0) {
      result = (result << 8) | (content(start + i) & 0xff)
      i -= 1
    }
    result
  }

  /** Items of the next part of an array or map, 0 after the last one. The size in bytes of a part is not needed. */
  def readItemCount(itemsTakeBytes: Boolean): Int = {
    val count = readLong()
    if (count < 0) readLong()
    val items = math.abs(count)
    if (items < 0 || items > Int.MaxValue || (itemsTakeBytes && items > remaining))
      throw new DamagedRecord(s"$items items exceed it")
    items.toInt
  }
}
