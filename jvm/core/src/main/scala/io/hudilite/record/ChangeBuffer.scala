package io.hudilite.record

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

/** Changes of keys in memory, as the bytes that [[KeyNotes]] reads: a key makes no object. */
final class ChangeBuffer {

  private var bytes = new Array[Byte](ChangeBuffer.FirstBytes)
  private var used = 0
  private var changes = 0L
  private val names = mutable.ArrayBuffer.empty[Seq[Array[Byte]]]
  private val numbers = mutable.HashMap.empty[(String, Option[String], Option[String]), Int]
  private var noted = mutable.HashMap.empty[Int, Int] // numbers of places since the beginning of the bytes
  private var last = -1

  def length: Int = used

  def count: Long = changes

  /** Number of a place, as of `KeyChange`. */
  def place(partition: String, fileId: Option[String], from: Option[String] = None): Int =
    numbers.getOrElseUpdate((partition, fileId, from), {
        names += Seq(partition, fileId.getOrElse(""), from.getOrElse("")).map(_.getBytes(UTF_8))
        names.size - 1
      })

  // hot path: called for each new row
  def add(place: Int, key: Array[Byte], offset: Int, length: Int): Unit = {
    if (place != last) to(place)
    room(length + ChangeBuffer.Head)
    mark(KeyNotes.Key)
    text(key, offset, length)
    changes += 1
  }

  private def to(place: Int): Unit = {
    if (used == 0) {
      room(1)
      mark(KeyNotes.Begin)
    }
    noted.get(place) match {
      case Some(number) =>
        room(ChangeBuffer.Head)
        mark(KeyNotes.Again)
        int(number)
      case None =>
        room(names(place).map(_.length + ChangeBuffer.Head).sum)
        mark(KeyNotes.Place)
        names(place).foreach(part => text(part, 0, part.length))
        noted.put(place, noted.size)
    }
    last = place
  }

  private def room(more: Int): Unit = if (bytes.length - used < more)
    bytes = java.util.Arrays.copyOf(bytes, Math.addExact(used, more).max((used.toLong * 2).min(1L << 30).toInt))

  private def mark(mark: Int): Unit = {
    bytes(used) = mark.toByte
    used += 1
  }

  private def int(value: Int): Unit = {
    bytes(used) = (value >>> 24).toByte
    bytes(used + 1) = (value >>> 16).toByte
    bytes(used + 2) = (value >>> 8).toByte
    bytes(used + 3) = value.toByte
    used += 4
  }

  private def text(of: Array[Byte], offset: Int, length: Int): Unit = {
    int(length)
    System.arraycopy(of, offset, bytes, used, length)
    used += length
  }

  /** The changes since the last call, which are notes by themselves. */
  def take(): Array[Byte] = {
    val taken = java.util.Arrays.copyOf(bytes, used)
    used = 0
    changes = 0
    last = -1
    noted = mutable.HashMap.empty
    taken
  }
}

private object ChangeBuffer {
  val FirstBytes = 4096
  val Head = 5 // bytes of a mark and a length
}
