package io.hudilite.spark.basefile.encode

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.spark.row.Binaries

import java.nio.charset.StandardCharsets

import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

/** Facts about record keys for a base file's footer: bloom filter, smallest and largest key, sorted or not, unique or
  * not.
  *
  * Two orders are at work. Files are sorted by the keys' UTF-8 bytes. The footer's smallest and largest key follow
  * Java's `String.compareTo`, which puts characters beyond U+FFFF before U+E000 to U+FFFF (docs/format.md, footers).
  *
  * @param carried
  *   true when `bloom` is the old file's and holds the keys of all old rows already
  * @param oldUnique
  *   true when no two of the old rows share a key
  * @param fitted
  *   the old file's filter, if its layout is exactly that for the keys of that file
  */
private[spark] final class KeySummary(bloom: BloomFilter, val carried: Boolean = false, oldUnique: Boolean = false,
    fitted: Option[FittedBloom] = None) {

  private val smallest = new KeyBuffer
  private val largest = new KeyBuffer
  private val previous = new KeyBuffer
  private var ascending = true
  private var repeats = false
  // True when there are old rows whose keys nobody looked at.
  private var blind = false
  private var kept = 0L
  private var added = false

  /** Notes the next row's key and adds it to the bloom filter. */
  def add(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    added = true
    hash(bytes, offset, length)
  }

  private def hash(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    bloom.add(bytes, offset, length)
    note(bytes, offset, length)
  }

  /** Notes the next row's key, which the bloom filter holds already. */
  def note(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    if (ascending && previous.isSet) {
      val order = previous.compareBytes(bytes, offset, length)
      if (order > 0) ascending = false
      else if (order == 0) repeats = true
    }
    previous.set(bytes, offset, length)
    widen(bytes, offset, length)
  }

  /** Notes old rows that are kept, in the order of their keys. */
  def keep(keys: ColumnVector, from: Int, until: Int): Unit =
    if (carried && until - from > 1) {
      blind = true
      keep(keys.getUTF8String(from))
      keep(keys.getUTF8String(until - 1))
    } else {
      var i = from
      while (i < until) { // hot path
        keep(keys.getUTF8String(i))
        i += 1
      }
    }

  /** Notes an old row that is kept, or one in its place. */
  def keep(key: UTF8String): Unit = keep(Binaries.bytes(key), Binaries.offset(key), key.numBytes)

  def keep(bytes: Array[Byte], offset: Int, length: Int): Unit =
    if (carried) note(bytes, offset, length)
    else {
      kept += 1
      hash(bytes, offset, length)
    }

  /** Notes a run of sorted old rows by its ends. */
  def noteRun(first: Array[Byte], last: Array[Byte]): Unit = noteRun(first, last, oldUnique)

  /** Notes a run of sorted rows of another file than the others.
    *
    * @param runUnique
    *   true when no two of its rows share a key
    */
  def noteRun(first: Array[Byte], last: Array[Byte], runUnique: Boolean): Unit = {
    if (!runUnique) repeats = true
    note(first, 0, first.length)
    // Both ends are one row in a row group of one row.
    if (!java.util.Arrays.equals(first, last)) note(last, 0, last.length)
  }

  /** Notes that there are unordered rows whose keys nobody looks at. */
  def noteUnordered(): Unit = ascending = false

  /** Takes over the keys of all rows of an old file by its filter, without a look at them. False when the filter has
    * another layout.
    */
  def absorb(filter: BloomFilter): Boolean = {
    added = true
    bloom.absorb(filter)
  }

  def bloomType: String = bloom.typeCode

  /** The text of the bloom filter. Where all of the old file's keys are kept and no others have come, it is the old
    * text, without hashing.
    */
  def bloomText: String = fitted match {
    case Some(old) if !added && kept == old.keys => old.text
    case _ => bloom.serialized
  }

  /** Widens the range to the bounds of an old file, whose kept keys are not looked at one by one. */
  def widenBy(bounds: Iterable[String]): Unit =
    bounds.foreach { text =>
      val bytes = text.getBytes(StandardCharsets.UTF_8)
      widen(bytes, 0, bytes.length)
    }

  /** Widens the range by a key without taking it for the next row's. */
  def widen(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    if (!largest.isSet || largest.compareChars(bytes, offset, length) < 0) largest.set(bytes, offset, length)
    if (!smallest.isSet || smallest.compareChars(bytes, offset, length) > 0) smallest.set(bytes, offset, length)
  }

  /** True when rows were added in the order of their keys' bytes. */
  def sorted: Boolean = ascending

  /** True when no two rows share a key; false where that is not known. */
  def unique: Boolean = ascending && !repeats && (!blind || oldUnique)

  def minKey: Option[String] = smallest.text
  def maxKey: Option[String] = largest.text
}

/** A bloom filter that was made for exactly this number of keys. */
private[spark] final case class FittedBloom(text: String, keys: Long)

/** A reused copy of one key. */
private[encode] final class KeyBuffer {

  private var bytes = new Array[Byte](64)
  private var length = -1

  def isSet: Boolean = length >= 0

  def set(source: Array[Byte], offset: Int, count: Int): Unit = {
    if (bytes.length < count) bytes = new Array[Byte](count * 2)
    System.arraycopy(source, offset, bytes, 0, count)
    length = count
  }

  def text: Option[String] = if (isSet) Some(new String(bytes, 0, length, StandardCharsets.UTF_8)) else None

  def compareBytes(other: Array[Byte], offset: Int, count: Int): Int =
    java.util.Arrays.compareUnsigned(bytes, 0, length, other, offset, offset + count)

  /** Compares like `String.compareTo` of the decoded keys. */
  def compareChars(other: Array[Byte], offset: Int, count: Int): Int = {
    val at = java.util.Arrays.mismatch(bytes, 0, length, other, offset, offset + count)
    if (at < 0) 0
    else if (at >= length || at >= count) length - count
    else KeyBuffer.compareAsUtf16(bytes(at) & 0xff, other(offset + at) & 0xff)
  }
}

private[encode] object KeyBuffer {

  // The first bytes that differ decide, with one exception: four-byte characters (from 0xf0) are surrogates in UTF-16
  // and so come before U+E000 to U+FFFF, whose first byte is 0xee or 0xef.
  def compareAsUtf16(a: Int, b: Int): Int =
    if (a >= 0xee && b >= 0xee && (a >= 0xf0) != (b >= 0xf0)) b - a else a - b
}
