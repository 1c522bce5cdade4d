package io.hudilite.codec.hfile

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

/** A message in protobuf's encoding, field by field. */
private[hfile] final class ProtoMessage {

  private val out = new ByteArrayOutputStream()

  def number(field: Int, value: Long): ProtoMessage = {
    varint(field.toLong << 3)
    varint(value)
    this
  }

  def bytes(field: Int, value: Array[Byte]): ProtoMessage = {
    varint(field.toLong << 3 | ProtoFields.BytesWire)
    varint(value.length.toLong)
    out.write(value, 0, value.length)
    this
  }

  def text(field: Int, value: String): ProtoMessage = bytes(field, value.getBytes(UTF_8))

  /** The message after its length. */
  def delimited: Array[Byte] = {
    val message = out.toByteArray
    out.reset()
    varint(message.length.toLong)
    out.write(message, 0, message.length)
    out.toByteArray
  }

  def result: Array[Byte] = out.toByteArray

  private def varint(value: Long): Unit = {
    var rest = value
    while ((rest & ~0x7fL) != 0) {
      out.write((rest & 0x7f | 0x80).toInt)
      rest >>>= 7
    }
    out.write(rest.toInt)
  }
}
