package io.hudilite.spark.basefile.encode

import io.hudilite.storage.HadoopFiles

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.util.{HadoopOutputFile, HadoopStreams}
import org.apache.parquet.io.{OutputFile, PositionOutputStream}

/** A parquet file to be written. It remembers its stream, so that a writer can close it when it gives up. Parquet
  * 1.13's own cannot.
  */
private[encode] final class TrackedOutput(path: Path, conf: Configuration) extends OutputFile with AutoCloseable {

  private val file = HadoopOutputFile.fromPath(path, conf)
  private var stream: Option[CountedStream] = None

  override def create(blockSizeHint: Long): PositionOutputStream = open(overwrite = false, blockSizeHint)

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = open(overwrite = true, blockSizeHint)

  private def open(overwrite: Boolean, blockSizeHint: Long): PositionOutputStream = {
    val fs = HadoopFiles.fileSystem(path, conf)
    val blockBytes = math.max(fs.getDefaultBlockSize(path), blockSizeHint)
    val opened = new CountedStream(HadoopStreams.wrap(HadoopFiles.create(fs, path, overwrite, blockBytes)))
    stream = Some(opened)
    opened
  }

  /** Bytes written so far, also after the end. */
  def length: Long = stream.fold(0L)(_.getPos)

  override def supportsBlockSize(): Boolean = file.supportsBlockSize()

  override def defaultBlockSize(): Long = file.defaultBlockSize()

  override def getPath: String = file.getPath

  override def close(): Unit = stream.foreach(_.close())
}

/** A stream that knows its position after it was closed, too. */
private final class CountedStream(out: PositionOutputStream) extends PositionOutputStream {

  private var last = 0L
  private var open = true

  override def getPos: Long = if (open) out.getPos else last

  override def write(byte: Int): Unit = out.write(byte)
  override def write(bytes: Array[Byte], offset: Int, count: Int): Unit = out.write(bytes, offset, count)
  override def flush(): Unit = out.flush()

  override def close(): Unit = if (open) {
    last = out.getPos
    open = false
    out.close()
  }
}
