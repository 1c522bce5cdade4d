package io.hudilite.codec.parquet

import java.io.ByteArrayOutputStream

import org.apache.parquet.io.{OutputFile, PositionOutputStream}

/** A Parquet file that is made in memory.
  *
  * @param about
  *   expected bytes of its data; the footer comes on top
  * @param name
  *   the file's name in messages
  */
final class MemoryFile(about: Long, name: String) extends OutputFile {

  private val bytes = new OpenBytes(math.min(about + MemoryFile.FooterBytes, Int.MaxValue / 2).toInt)

  /** Hands out the content without a copy: an array and how much of it is the file. */
  def written[T](read: (Array[Byte], Int) => T): T = bytes.written(read)

  override def create(blockSizeHint: Long): PositionOutputStream = new PositionOutputStream {
    override def getPos: Long = bytes.size.toLong
    override def write(byte: Int): Unit = bytes.write(byte)
    override def write(source: Array[Byte], offset: Int, count: Int): Unit = bytes.write(source, offset, count)
  }

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = create(blockSizeHint)
  override def supportsBlockSize(): Boolean = false
  override def defaultBlockSize(): Long = 0L
  override def getPath: String = name
}

private object MemoryFile {
  private val FooterBytes = 4096L
}

/** A byte stream whose array can be had without a copy. */
private final class OpenBytes(firstBytes: Int) extends ByteArrayOutputStream(firstBytes) {
  def written[T](read: (Array[Byte], Int) => T): T = read(buf, count)
}
