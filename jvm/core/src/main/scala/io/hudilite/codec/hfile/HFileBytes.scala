package io.hudilite.codec.hfile

import io.hudilite.storage.OpenFile

import java.io.Closeable
import java.nio.ByteBuffer

/** The bytes of an HFile. Its end is read once and kept, for there lie trailer, index and facts, and of a small file all
  * else, too; other ranges are read as they are asked for.
  */
private[hfile] final class HFileBytes(file: OpenFile, val length: Long) extends Closeable {

  private var tailFrom = math.max(0L, length - HFileBytes.TailBytes)
  private var tail = read(tailFrom, (length - tailFrom).toInt)

  /** `count` bytes from `offset` on, in a buffer with an array, to be looked at only. */
  def range(offset: Long, count: Int): ByteBuffer = {
    if (offset < 0 || count < 0 || offset > length - count)
      throw new IllegalArgumentException(s"an HFile of $length bytes has no $count bytes at offset $offset")
    if (offset < tailFrom) read(offset, count)
    else {
      val part = tail.duplicate()
      part.position((offset - tailFrom).toInt).limit((offset - tailFrom).toInt + count)
      part.slice()
    }
  }

  /** Lets the kept end begin at `offset` at the latest. */
  def keepFrom(offset: Long): Unit = if (offset < tailFrom) {
    val count = Math.toIntExact(length - offset)
    val longer = ByteBuffer.allocate(count)
    longer.put(read(offset, Math.toIntExact(tailFrom - offset))).put(tail.duplicate()).flip()
    tail = longer
    tailFrom = offset
  }

  private def read(offset: Long, count: Int): ByteBuffer = file.bytes(offset, count)

  override def close(): Unit = file.close()
}

private[hfile] object HFileBytes {

  /** Read when a file is opened: what an object store delivers in about the time of a single byte. */
  val TailBytes: Int = 64 * 1024
}
