package io.hudilite.log

import io.hudilite.storage.OpenFile

import java.io.EOFException
import java.nio.ByteBuffer

/** Reads of a few bytes here and there in a file, through two windows of it. Blocks are judged by their two ends, and
  * the end of one lies beside the beginning of the next.
  */
private[log] final class FileWindow(file: OpenFile, val length: Long) {

  import FileWindow._

  private final class Window(val start: Long, val bytes: ByteBuffer) {
    def holds(position: Long, count: Int): Boolean = position >= start && position + count <= start + bytes.limit()
  }

  private var recent = new Window(0L, ByteBuffer.allocate(0))
  private var older = recent

  // Kept between searches, which are short where data holds the magic many times.
  private var searched = Array.emptyByteArray
  private var searchedFrom = 0L

  def int(position: Long): Int = {
    val w = window(position, Integer.BYTES)
    w.bytes.getInt((position - w.start).toInt)
  }

  def long(position: Long): Long = {
    val w = window(position, java.lang.Long.BYTES)
    w.bytes.getLong((position - w.start).toInt)
  }

  def bytes(position: Long, count: Int): Array[Byte] = {
    val target = new Array[Byte](count)
    if (count > Size) file.readFully(position, target)
    else {
      val w = window(position, count)
      val source = w.bytes.duplicate()
      source.position((position - w.start).toInt)
      source.get(target)
    }
    target
  }

  /** The bytes from here on lie in one window, as far as it reaches. */
  def touch(position: Long): Unit = { window(position, 1); () }

  /** Position of the next magic, from this position on; the end of the file when there is none. */
  def nextMagic(from: Long): Long = {
    var position = from
    var found = -1L
    while (found < 0 && position + LogLayout.MagicBytes <= length) {
      if (position < searchedFrom || position + LogLayout.MagicBytes > searchedFrom + searched.length) search(position)
      val at = LogLayout.indexOfMagic(searched, (position - searchedFrom).toInt)
      if (at >= 0) found = searchedFrom + at
      // A magic may lie across the ends of two pieces.
      else position = searchedFrom + searched.length - LogLayout.MagicBytes + 1
    }
    if (found < 0) length else found
  }

  private def search(position: Long): Unit = {
    searched = new Array[Byte](math.min(SearchBytes.toLong, length - position).toInt)
    searchedFrom = position
    file.readFully(position, searched)
  }

  private def window(position: Long, count: Int): Window =
    if (recent.holds(position, count)) recent
    else {
      val found = if (older.holds(position, count)) older else load(position, count)
      older = recent
      recent = found
      found
    }

  private def load(position: Long, count: Int): Window = {
    if (position < 0 || position + count > length) throw new EOFException(s"$count bytes at offset $position")
    new Window(position, file.bytes(position, math.min(Size.toLong, length - position).toInt))
  }
}

private[log] object FileWindow {

  /** Bytes of a window. The headers of most blocks fit in, with their surroundings. */
  val Size: Int = 64 * 1024

  private val SearchBytes = 256 * 1024
}
