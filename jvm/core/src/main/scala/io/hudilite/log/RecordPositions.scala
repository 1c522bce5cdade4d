package io.hudilite.log

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util.Base64

import org.roaringbitmap.longlong.Roaring64NavigableMap

/** Rows of a base file as the header of a log block carries them: a 64 bit Roaring bitmap in its portable form, as
  * Base64.
  */
object RecordPositions {

  /** @param ascending
    *   distinct row numbers from 0 on
    */
  def encode(ascending: Array[Long]): String = {
    val bitmap = new Roaring64NavigableMap()
    ascending.foreach(bitmap.addLong)
    bitmap.runOptimize()
    val out = new ByteArrayOutputStream()
    bitmap.serializePortable(new DataOutputStream(out))
    Base64.getEncoder.encodeToString(out.toByteArray)
  }

  /** The rows, ascending.
    *
    * @param atMost
    *   more rows than this are refused with an `IllegalArgumentException`: a few damaged bytes can stand for billions
    */
  def decode(text: String, atMost: Int): Array[Long] = {
    val bytes = Base64.getDecoder.decode(text)
    val bitmap = new Roaring64NavigableMap()
    bitmap.deserializePortable(new DataInputStream(new ByteArrayInputStream(bytes)))
    val count = bitmap.getLongCardinality
    if (count < 0 || count > atMost) throw new IllegalArgumentException(s"$count record positions instead of $atMost")
    bitmap.toArray
  }
}
