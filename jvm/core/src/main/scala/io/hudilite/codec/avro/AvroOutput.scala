package io.hudilite.codec.avro

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, ByteOrder}

/** Avro's binary encoding, into memory. */
private[hudilite] final class AvroOutput {

  private val out = new ByteArrayOutputStream()

  def long(value: Long): Unit = {
    var rest = (value << 1) ^ (value >> 63)
    while ((rest & ~0x7fL) != 0) {
      out.write((rest & 0x7f | 0x80).toInt)
      rest >>>= 7
    }
    out.write(rest.toInt)
  }

  def bytes(value: Array[Byte]): Unit = {
    long(value.length.toLong)
    out.write(value, 0, value.length)
  }

  def text(value: String): Unit = bytes(value.getBytes(UTF_8))

  def boolean(value: Boolean): Unit = out.write(if (value) 1 else 0)

  def float(value: Float): Unit = {
    val bytes = ByteBuffer.allocate(java.lang.Float.BYTES).order(ByteOrder.LITTLE_ENDIAN).putFloat(value).array()
    out.write(bytes, 0, bytes.length)
  }

  def double(value: Double): Unit = {
    val bytes = ByteBuffer.allocate(java.lang.Double.BYTES).order(ByteOrder.LITTLE_ENDIAN).putDouble(value).array()
    out.write(bytes, 0, bytes.length)
  }

  /** An array in one block. */
  def items[T](values: Seq[T])(write: T => Unit): Unit = {
    if (values.nonEmpty) {
      long(values.size.toLong)
      values.foreach(write)
    }
    long(0L)
  }

  def result(): Array[Byte] = out.toByteArray
}
