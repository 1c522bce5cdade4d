package io.hudilite.codec.parquet

import java.io.{ByteArrayInputStream, EOFException}

import org.apache.parquet.io.{DelegatingSeekableInputStream, InputFile, SeekableInputStream}

/** A Parquet file wholly in memory, such as a data block of a log file.
  *
  * @param name
  *   the file's name in messages
  */
final class ParquetImage(bytes: Array[Byte], name: String) extends InputFile {
  override def getLength: Long = bytes.length.toLong
  override def newStream(): SeekableInputStream = new ImageStream(new SeekableBytes(bytes))
  override def toString: String = name
}

private final class ImageStream(bytes: SeekableBytes) extends DelegatingSeekableInputStream(bytes) {
  override def getPos: Long = bytes.position
  override def seek(position: Long): Unit = bytes.moveTo(position)
}

private final class SeekableBytes(bytes: Array[Byte]) extends ByteArrayInputStream(bytes) {
  def position: Long = pos.toLong
  def moveTo(position: Long): Unit = {
    if (position < 0 || position > count) throw new EOFException(s"$position is outside the file")
    pos = position.toInt
  }
}
