package io.hudilite.codec.hfile

import java.nio.ByteBuffer

/** The fields of a message in protobuf's encoding, as far as HFiles use it: numbers, and bytes in their order. */
private[hfile] final case class ProtoFields(numbers: Map[Int, Long], bytes: Seq[(Int, Array[Byte])]) {

  def number(field: Int): Long = numbers.getOrElse(field, 0L)

  /** The bytes of the field, none if it is not there. */
  def bytesOf(field: Int): Array[Byte] = bytes.find(_._1 == field).fold(Array.emptyByteArray)(_._2)
}

private[hfile] object ProtoFields {

  private val NumberWire = 0
  private val BytesWire = 2

  def read(message: Array[Byte]): ProtoFields = {
    val in = ByteBuffer.wrap(message)
    val numbers = Map.newBuilder[Int, Long]
    val bytes = Seq.newBuilder[(Int, Array[Byte])]
    while (in.hasRemaining) {
      val tag = varint(in)
      val field = (tag >>> 3).toInt
      (tag & 7).toInt match {
        case NumberWire => numbers += field -> varint(in)
        case BytesWire => bytes += field -> delimited(in)
        case other => throw new IllegalArgumentException(s"a field of an HFile's message has the wire type $other")
      }
    }
    ProtoFields(numbers.result(), bytes.result())
  }

  /** The bytes after their own number. */
  def delimited(in: ByteBuffer): Array[Byte] = {
    val size = varint(in)
    if (size < 0 || size > in.remaining) throw new IllegalArgumentException(s"a message of an HFile has $size bytes")
    val bytes = new Array[Byte](size.toInt)
    in.get(bytes)
    bytes
  }

  private def varint(in: ByteBuffer): Long = {
    var shift = 0
    var result = 0L
    var last = false
    while (!last) {
      if (shift > 63) throw new IllegalArgumentException("a number has more than ten bytes")
      val byte = in.get()
      result |= (byte & 0x7fL) << shift
      shift += 7
      last = byte >= 0
    }
    result
  }
}
