package io.hudilite.storage

import java.io.{Closeable, EOFException}

/** A file opened once to be read at many places; for one thread. */
trait OpenFile extends Closeable {

  /** Fills `target` with the bytes from `position` on; an `EOFException` when the file has fewer. */
  def readFully(position: Long, target: Array[Byte]): Unit
}

object OpenFile {

  /** A file whose content is in memory already. */
  def of(path: String, content: Array[Byte]): OpenFile = new OpenFile {
    override def readFully(position: Long, target: Array[Byte]): Unit = {
      if (position + target.length > content.length)
        throw new EOFException(s"$path has no ${target.length} bytes at $position")
      System.arraycopy(content, position.toInt, target, 0, target.length)
    }
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
