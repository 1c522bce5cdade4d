package io.hudilite.spark.basefile.encode

import io.hudilite.storage.HadoopFiles

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.hadoop.util.{HadoopOutputFile, HadoopStreams}
import org.apache.parquet.io.{OutputFile, PositionOutputStream}

/** A parquet file to be written. It remembers its stream, so that a writer that gives up can close it: parquet 1.13's own
  * cannot.
  */
private[encode] final class TrackedOutput(path: Path, conf: Configuration) extends OutputFile with AutoCloseable {

  private val file = HadoopOutputFile.fromPath(path, conf)
  private var stream: Option[PositionOutputStream] = None

  override def create(blockSizeHint: Long): PositionOutputStream = open(overwrite = false, blockSizeHint)

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream = open(overwrite = true, blockSizeHint)

  private def open(overwrite: Boolean, blockSizeHint: Long): PositionOutputStream = {
    val fs = HadoopFiles.fileSystem(path, conf)
    val opened = HadoopStreams.wrap(fs.create(path, overwrite, TrackedOutput.BufferBytes,
        fs.getDefaultReplication(path), math.max(fs.getDefaultBlockSize(path), blockSizeHint)))
    stream = Some(opened)
    opened
  }

  override def supportsBlockSize(): Boolean = file.supportsBlockSize()

  override def defaultBlockSize(): Long = file.defaultBlockSize()

  override def getPath: String = file.getPath

  override def close(): Unit = stream.foreach(_.close())
}

private object TrackedOutput {

  /** Parquet's own writer hands over large pieces, too. */
  val BufferBytes = 4096
}
