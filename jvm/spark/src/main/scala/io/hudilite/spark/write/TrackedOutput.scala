package io.hudilite.spark.write

import org.apache.parquet.io.{OutputFile, PositionOutputStream}

/** Remembers the stream of a parquet file, so that a writer that gives up can close it: parquet 1.13's own cannot. */
private[write] final class TrackedOutput(file: OutputFile) extends OutputFile with AutoCloseable {

  private var stream: Option[PositionOutputStream] = None

  override def create(blockSizeHint: Long): PositionOutputStream = track(file.create(blockSizeHint))

  override def createOrOverwrite(blockSizeHint: Long): PositionOutputStream =
    track(file.createOrOverwrite(blockSizeHint))

  private def track(opened: PositionOutputStream): PositionOutputStream = {
    stream = Some(opened)
    opened
  }

  override def supportsBlockSize(): Boolean = file.supportsBlockSize()

  override def defaultBlockSize(): Long = file.defaultBlockSize()

  override def getPath: String = file.getPath

  override def close(): Unit = stream.foreach(_.close())
}
