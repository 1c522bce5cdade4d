package io.hudilite.spark.logfile.encode

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Bytes in a growing array, with the primitives of Avro's binary encoding. */
private[spark] final class AvroBuffer(initialBytes: Int = AvroBuffer.InitialBytes) {

  private var bytes = new Array[Byte](initialBytes)
  private var used = 0

  /** The array whose first [[length]] bytes count. The next write may replace it. */
  def array: Array[Byte] = bytes

  def length: Int = used

  def clear(): Unit = used = 0

  /** Leaves `count` bytes out, to be set later. */
  def skip(count: Int): Unit = {
    reserve(count)
    used += count
  }

  /** Sets four bytes, the most significant first. */
  def setInt(at: Int, value: Int): Unit = {
    bytes(at) = (value >>> 24).toByte
    bytes(at + 1) = (value >>> 16).toByte
    bytes(at + 2) = (value >>> 8).toByte
    bytes(at + 3) = value.toByte
  }

  def putByte(value: Int): Unit = {
    reserve(1)
    bytes(used) = value.toByte
    used += 1
  }

  /** An Avro int or long: zigzag, seven bits a byte. */
  def putLong(value: Long): Unit = {
    reserve(AvroBuffer.LongestLong)
    var rest = (value << 1) ^ (value >> 63)
    while ((rest & ~0x7fL) != 0) { // hot path
      bytes(used) = ((rest & 0x7f) | 0x80).toByte
      used += 1
      rest >>>= 7
    }
    bytes(used) = rest.toByte
    used += 1
  }

  def putFloat(value: Float): Unit = putLittleEndian(java.lang.Float.floatToRawIntBits(value).toLong, 4)

  def putDouble(value: Double): Unit = putLittleEndian(java.lang.Double.doubleToRawLongBits(value), 8)

  private def putLittleEndian(bits: Long, count: Int): Unit = {
    reserve(count)
    var i = 0
    while (i < count) { // hot path
      bytes(used + i) = (bits >>> (8 * i)).toByte
      i += 1
    }
    used += count
  }

  /** Bytes as they are, without their number. */
  def putRaw(source: Array[Byte], offset: Int, count: Int): Unit = {
    reserve(count)
    System.arraycopy(source, offset, bytes, used, count)
    used += count
  }

  /** Avro bytes, or a string given as UTF-8. */
  def putBytes(source: Array[Byte], offset: Int, count: Int): Unit = {
    putLong(count.toLong)
    putRaw(source, offset, count)
  }

  def putText(text: UTF8String): Unit = {
    val count = text.numBytes
    putLong(count.toLong)
    reserve(count)
    text.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + used.toLong)
    used += count
  }

  private def reserve(count: Int): Unit = if (count > bytes.length - used) grow(used.toLong + count)

  private def grow(needed: Long): Unit = {
    if (needed > AvroBuffer.MostBytes) throw new IllegalStateException(s"a log block of $needed bytes is too large")
    val more = if (bytes.length < AvroBuffer.LargeBytes) bytes.length else bytes.length / 8
    val next = math.min(math.max(needed, bytes.length.toLong + more), AvroBuffer.MostBytes.toLong)
    bytes = java.util.Arrays.copyOf(bytes, next.toInt)
  }
}

private object AvroBuffer {
  val InitialBytes: Int = 1 << 16
  val LongestLong = 10

  /** Larger arrays do not double: where they hold a few large texts, half of them would stay empty. */
  private val LargeBytes: Int = 1 << 24

  /** Some virtual machines keep a few words of the longest arrays for themselves. */
  val MostBytes: Int = Int.MaxValue - 16
}
