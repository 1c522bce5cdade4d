package io.hudilite.log

import io.hudilite.storage.{HadoopStorage, OpenFile, Storage}

import java.nio.ByteBuffer

import org.apache.hadoop.conf.Configuration

import scala.collection.mutable

/** The log files of one slice as a reader goes through them: first the blocks of all files, then the contents of those
  * that count. Small files are asked for once, whole, and kept until the reader is done.
  *
  * @param maxKeptBytes
  *   greatest number of bytes of files to keep
  */
final class LogFiles(storage: Storage, maxKeptBytes: Long = LogFiles.MaxKeptBytes) {

  private val kept = mutable.Map.empty[String, OpenFile]
  private val lengths = mutable.Map.empty[String, Long]
  private var room = maxKeptBytes

  /** As [[LogFileReader.blocks]]. */
  def blocks(path: String, length: Long): Seq[LogBlock] = {
    lengths.update(path, length)
    if (length > room) LogFileReader.blocks(storage, path, length)
    else {
      val file = LogFileReader.whole(storage, path, length)
      kept.update(path, file)
      room -= length
      LogFileReader.blocks(file, path, length)
    }
  }

  /** As [[LogFileReader.view]]. */
  def view(block: LogBlock): ByteBuffer =
    kept.get(block.path).fold(ByteBuffer.wrap(fromFile(block)))(LogFileReader.view(_, block))

  /** As [[LogFileReader.content]]. */
  def content(block: LogBlock): Array[Byte] =
    kept.get(block.path).fold(fromFile(block))(LogFileReader.content(_, block))

  private def fromFile(block: LogBlock): Array[Byte] = LogFileReader.content(storage, block, lengths(block.path))
}

object LogFiles {
  private val MaxKeptBytes = 8L << 20

  /** Log files on the storage that Hadoop finds for their paths. */
  def of(conf: Configuration): LogFiles = new LogFiles(new HadoopStorage(conf))
}
