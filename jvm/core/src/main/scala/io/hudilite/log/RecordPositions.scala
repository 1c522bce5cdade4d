package io.hudilite.log

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.util.Base64

import org.roaringbitmap.RoaringBitmap
import org.roaringbitmap.longlong.Roaring64NavigableMap

import scala.collection.mutable

/** Rows of a base file in the header of a log block: a 64 bit Roaring bitmap in its portable form, as Base64. */
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

  /** The text of no rows. */
  val NoRows: String = encode(Array.emptyLongArray)

  /** The rows, ascending.
    *
    * @param atMost
    *   greatest number of rows; more are refused with an `IllegalArgumentException`, as a few damaged bytes can stand
    *   for billions
    */
  def decode(text: String, atMost: Int): Array[Long] = {
    val buffer = ByteBuffer.wrap(Base64.getDecoder.decode(text)).order(ByteOrder.LITTLE_ENDIAN)
    val rows = new mutable.ArrayBuilder.ofLong
    var parts = buffer.getLong()
    if (parts < 0) throw new IllegalArgumentException(s"record positions in $parts parts")
    var count = 0L
    var last = -1L
    while (parts > 0) {
      val high = buffer.getInt()
      if (high <= last) throw new IllegalArgumentException(s"record positions of part $high behind those of $last")
      val low = new RoaringBitmap()
      low.deserialize(buffer.slice())
      buffer.position(buffer.position() + low.serializedSizeInBytes)
      count += low.getLongCardinality
      if (count > atMost) throw new IllegalArgumentException(s"$count record positions instead of $atMost")
      low.toArray.foreach(row => rows += (high.toLong << Integer.SIZE) | Integer.toUnsignedLong(row))
      last = high.toLong
      parts -= 1
    }
    rows.result()
  }
}

/** The row of the base file that a record of a log replaces, by its number from 0 on, or the reason for no number. */
object RowPosition {

  /** The base file may have rows of the key. */
  val Unknown: Long = -1L

  /** The base file has no row of the key. */
  val Absent: Long = -2L

  /** A statement tells of a row that it puts back by the position taken from this: all columns of the row count. */
  val PutBack: Long = -5L

  def isPutBack(told: Long): Boolean = told < Absent
}
