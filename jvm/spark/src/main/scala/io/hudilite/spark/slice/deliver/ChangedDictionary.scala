package io.hudilite.spark.slice.deliver

import io.hudilite.spark.shim.VectorDictionaries

import org.apache.spark.sql.execution.vectorized.{Dictionary, WritableColumnVector}

/** The dictionary of a batch's column with further values, which have ids below zero. */
private[slice] final class ChangedDictionary extends Dictionary {

  import ChangedDictionary._

  private var base: Dictionary = _
  private var longs = new Array[Long](InitialValues)
  private var bytes = new Array[Array[Byte]](InitialValues)
  private var count = 0

  /** Takes the place of the vector's dictionary; readers set a new one with each batch. */
  def follow(vector: WritableColumnVector): Unit = {
    val present = VectorDictionaries.of(vector)
    if (present ne this) {
      base = present
      count = 0
      vector.setDictionary(this)
    }
  }

  /** A number, or the bits of one. */
  def addLong(value: Long): Int = {
    if (count == longs.length) grow()
    longs(count) = value
    next()
  }

  def addBytes(value: Array[Byte]): Int = {
    if (count == bytes.length) grow()
    bytes(count) = value
    next()
  }

  private def grow(): Unit = {
    longs = java.util.Arrays.copyOf(longs, 2 * count)
    bytes = java.util.Arrays.copyOf(bytes, 2 * count)
  }

  private def next(): Int = {
    count += 1
    -count
  }

  override def decodeToInt(id: Int): Int = if (id >= 0) base.decodeToInt(id) else longs(-id - 1).toInt
  override def decodeToLong(id: Int): Long = if (id >= 0) base.decodeToLong(id) else longs(-id - 1)
  override def decodeToFloat(id: Int): Float =
    if (id >= 0) base.decodeToFloat(id) else java.lang.Float.intBitsToFloat(longs(-id - 1).toInt)
  override def decodeToDouble(id: Int): Double =
    if (id >= 0) base.decodeToDouble(id) else java.lang.Double.longBitsToDouble(longs(-id - 1))
  override def decodeToBinary(id: Int): Array[Byte] = if (id >= 0) base.decodeToBinary(id) else bytes(-id - 1)
}

private object ChangedDictionary {

  private val InitialValues = 16
}
