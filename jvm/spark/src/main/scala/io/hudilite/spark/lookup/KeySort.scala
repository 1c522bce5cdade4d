package io.hudilite.spark.lookup

import java.util

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Sorts many record keys by their bytes: first numbers of some bytes behind what all keys begin with, and then the keys
  * that these do not tell apart.
  */
private[spark] object KeySort {

  /** Fewer keys are sorted as they are. */
  private val Few = 64

  private val Order: util.Comparator[UTF8String] = (a: UTF8String, b: UTF8String) => a.compareTo(b)

  /** Sorts in place. */
  def sort(keys: Array[UTF8String]): Unit =
    if (keys.length < Few) util.Arrays.sort(keys, Order)
    else {
      val numbers = numbered(keys, begin(keys))
      util.Arrays.sort(numbers)
      val mask = placeMask(keys.length)
      val unsorted = keys.clone()
      var i = 0
      while (i < keys.length) { // hot path
        keys(i) = unsorted((numbers(i) & mask).toInt)
        i += 1
      }
      sortEqual(keys, numbers, ~mask)
    }

  // The lowest bits of a number tell where its key was.
  private def placeMask(count: Int): Long = (1L << (Integer.SIZE - Integer.numberOfLeadingZeros(count))) - 1

  private def numbered(keys: Array[UTF8String], from: Int): Array[Long] = {
    val mask = placeMask(keys.length)
    val numbers = new Array[Long](keys.length)
    var i = 0
    while (i < keys.length) { // hot path
      numbers(i) = (number(keys(i), from) ^ Long.MinValue) & ~mask | i
      i += 1
    }
    numbers
  }

  /** The bytes of a key from there on, as far as they go into a number, of which a shorter key has zeros. */
  private def number(key: UTF8String, from: Int): Long = {
    val until = math.min(key.numBytes, from + java.lang.Long.BYTES)
    var (value, at) = (0L, from)
    while (at < until) { // hot path
      value = value << java.lang.Byte.SIZE | byte(key, at) & 0xff
      at += 1
    }
    val missing = from + java.lang.Long.BYTES - math.max(until, from)
    if (missing == java.lang.Long.BYTES) 0L else value << missing * java.lang.Byte.SIZE
  }

  /** How many bytes all keys have in common at their begin. */
  private def begin(keys: Array[UTF8String]): Int = {
    val first = keys(0)
    var (shared, i) = (first.numBytes, 1)
    while (shared > 0 && i < keys.length) { // hot path
      val key = keys(i)
      shared = math.min(shared, key.numBytes)
      var at = 0
      while (at < shared && byte(first, at) == byte(key, at)) at += 1
      shared = at
      i += 1
    }
    shared
  }

  private def byte(key: UTF8String, at: Int): Byte = Platform.getByte(key.getBaseObject, key.getBaseOffset + at)

  private def sortEqual(keys: Array[UTF8String], numbers: Array[Long], bits: Long): Unit = {
    var (from, i) = (0, 1)
    while (i <= keys.length) { // hot path
      if (i == keys.length || (numbers(i) & bits) != (numbers(from) & bits)) {
        if (i - from > 1) util.Arrays.sort(keys, from, i, Order)
        from = i
      }
      i += 1
    }
  }
}
