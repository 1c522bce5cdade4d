package io.hudilite.spark.row

import org.apache.parquet.io.api.Binary
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Spark's strings as parquet's, without copying. */
private[spark] object Binaries {

  def of(text: UTF8String): Binary = Binary.fromReusedByteArray(bytes(text), offset(text), text.numBytes)

  /** The array that holds the text, from `offset(text)` on; a copy when the text is not on the heap. */
  def bytes(text: UTF8String): Array[Byte] = text.getBaseObject match {
    case array: Array[Byte] => array
    case _ => text.getBytes
  }

  def offset(text: UTF8String): Int = text.getBaseObject match {
    case _: Array[Byte] => (text.getBaseOffset - Platform.BYTE_ARRAY_OFFSET).toInt
    case _ => 0
  }
}
