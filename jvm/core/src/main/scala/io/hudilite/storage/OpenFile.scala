package io.hudilite.storage

import java.io.{Closeable, EOFException}
import java.nio.ByteBuffer

/** A file opened once to be read at many places; for one thread. */
trait OpenFile extends Closeable {

  /** Fills `target` with the bytes from `position` on; an `EOFException` when the file has fewer. */
  def readFully(position: Long, target: Array[Byte]): Unit

  /** `count` bytes from `position` on, to be looked at only; an `EOFException` when the file has fewer. */
  def bytes(position: Long, count: Int): ByteBuffer = {
    val target = new Array[Byte](count)
    readFully(position, target)
    ByteBuffer.wrap(target)
  }
}

object OpenFile {

  /** A file whose content is in memory already. */
  def of(path: String, content: Array[Byte]): OpenFile = new OpenFile {
    override def readFully(position: Long, target: Array[Byte]): Unit = {
      check(position, target.length)
      System.arraycopy(content, position.toInt, target, 0, target.length)
    }
    override def bytes(position: Long, count: Int): ByteBuffer = {
      check(position, count)
      ByteBuffer.wrap(content, position.toInt, count).slice()
    }
    private def check(position: Long, count: Int): Unit =
      if (position + count > content.length) throw new EOFException(s"$path has no $count bytes at $position")
    override def close(): Unit = ()
  }

  private[storage] def byRanges(storage: Storage, path: String): OpenFile = new OpenFile {
    override def readFully(position: Long, target: Array[Byte]): Unit = {
      val bytes = storage.readRange(path, position, target.length)
      if (bytes.length < target.length) throw new EOFException(s"$path has no ${target.length} bytes at $position")
      System.arraycopy(bytes, 0, target, 0, target.length)
    }
    override def close(): Unit = ()
  }
}
