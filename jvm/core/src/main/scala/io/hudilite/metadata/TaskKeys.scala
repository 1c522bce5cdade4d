package io.hudilite.metadata

import io.hudilite.timeline.ToldFacts

/** A file group that keys come to, or leave. */
final case class KeyGroup(partition: String, fileId: String)

/** A file of told keys beside the markers of a write.
  *
  * @param name
  *   of the file in the folder of the instant's markers
  */
final case class KeyNote(name: String, bytes: Long, count: Long)

/** The record keys that came to the file groups of a task, or left them, as its committed attempt tells them: those of
  * rows that stay in their file group are not among them.
  *
  * @param groups
  *   numbered from 0 on
  * @param changes
  *   entries as [[KeyReader]] reads them
  * @param count
  *   number of these
  * @param notes
  *   files with more entries
  */
final case class TaskKeys(groups: Seq[KeyGroup], changes: Array[Byte], count: Long, notes: Seq[KeyNote])
    extends ToldFacts {

  /** Number of all entries. */
  def total: Long = count + notes.map(_.count).sum
}

/** Entries of told keys in memory: the number of the group twice, one more for a key that left it, the length of the
  * key, both in as few bytes as they need, and the UTF-8 bytes of the key.
  */
final class KeyBuffer {

  private var bytes = new Array[Byte](KeyBuffer.FirstBytes)
  private var used = 0
  private var entries = 0L

  def length: Int = used

  def count: Long = entries

  // hot path: called for each new row
  def add(group: Int, left: Boolean, key: Array[Byte], offset: Int, length: Int): Unit = {
    if (bytes.length - used < length + KeyBuffer.MostOfNumbers) grow(length + KeyBuffer.MostOfNumbers)
    number(if (left) group * 2 + 1 else group * 2)
    number(length)
    System.arraycopy(key, offset, bytes, used, length)
    used += length
    entries += 1
  }

  private def grow(more: Int): Unit =
    bytes = java.util.Arrays.copyOf(bytes, math.max(bytes.length.toLong * 2, used.toLong + more)
        .min(KeyBuffer.MostBytes).toInt.max(Math.addExact(used, more)))

  private def number(value: Int): Unit = {
    var rest = value
    while ((rest & ~0x7f) != 0) {
      bytes(used) = (rest & 0x7f | 0x80).toByte
      used += 1
      rest >>>= 7
    }
    bytes(used) = rest.toByte
    used += 1
  }

  /** All entries; the buffer is empty then. */
  def take(): Array[Byte] = {
    val taken = java.util.Arrays.copyOf(bytes, used)
    used = 0
    entries = 0
    taken
  }
}

private object KeyBuffer {
  private val FirstBytes = 4096
  private val MostOfNumbers = 10
  private val MostBytes = 1L << 30
}

/** Reads entries of told keys, one after the other. */
final class KeyReader(val bytes: Array[Byte]) {

  private var at = 0
  private var head = 0
  private var size = 0

  /** Moves to the next entry; false behind the last one. Entries that are cut off raise an error. */
  def next(): Boolean = { // hot path
    at += size
    val more = at < bytes.length
    if (more) {
      head = number()
      size = number()
      if (size < 0 || size > bytes.length - at) throw new IllegalArgumentException("told keys are cut off")
    } else size = 0
    more
  }

  private def number(): Int = {
    var (value, shift, more) = (0, 0, true)
    while (more) {
      if (at >= bytes.length) throw new IllegalArgumentException("told keys are cut off")
      val byte = bytes(at)
      at += 1
      value |= (byte & 0x7f) << shift
      shift += 7
      more = byte < 0
    }
    value
  }

  /** Number of the file group of the entry. */
  def group: Int = head >>> 1

  /** The key left the file group. */
  def left: Boolean = (head & 1) == 1

  /** Where the key begins in `bytes`. */
  def offset: Int = at

  /** Bytes of the key. */
  def length: Int = size
}
