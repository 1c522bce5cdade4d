package io.hudilite.spark.row

import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Spark's strings as parquet's, without copying. */
private[spark] object Binaries {

  def of(text: UTF8String): Binary = Binary.fromReusedByteArray(bytes(text), offset(text), text.numBytes)

  /** The array with the text, from `offset(text)` on; a copy when the text is not on the heap. */
  def bytes(text: UTF8String): Array[Byte] = text.getBaseObject match {
    case array: Array[Byte] => array
    case _ => text.getBytes
  }

  def offset(text: UTF8String): Int = text.getBaseObject match {
    case _: Array[Byte] => (text.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt
    case _ => 0
  }
}

/** The bytes of one text after the other, in the array of the text or in a reused one: rows from a sort lie in arrays
  * of longs.
  */
private[spark] final class TextBytes {

  private var own = new Array[Byte](64)
  private var held = own
  private var start = 0
  private var count = 0

  // hot path
  /** Takes the bytes of a text. They stay as long as the text does, and until the next one. */
  def take(text: UTF8String): Unit = {
    count = text.numBytes
    text.getBaseObject match {
      case array: Array[Byte] =>
        held = array
        start = (text.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt
      case other =>
        if (own.length < count) own = new Array[Byte](Math.max(count, own.length * 2))
        Platform.copyMemory(other, text.getBaseOffset, own, Platform.BYTE_ARRAY_OFFSET.toLong, count.toLong)
        held = own
        start = 0
    }
  }

  def array: Array[Byte] = held
  def offset: Int = start
  def length: Int = count
}
