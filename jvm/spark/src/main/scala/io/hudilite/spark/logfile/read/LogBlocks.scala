package io.hudilite.spark.logfile.read

import io.hudilite.filegroup.{FileSlice, SliceLogs}
import io.hudilite.log.{BlockSelection, LogBlock, LogFiles}

import java.nio.ByteBuffer

import org.apache.hadoop.conf.Configuration

/** The blocks of a slice's log files that count, oldest first; their contents are not read yet. */
final class LogBlocks private (val selected: Seq[LogBlock], val baseInstant: Option[String], files: LogFiles) {

  /** Instants that wrote the blocks, in the order of the blocks. */
  def instants: Seq[String] = selected.map(_.instant).distinct

  def content(block: LogBlock): Array[Byte] = files.content(block)

  /** The content to be looked at only. */
  def view(block: LogBlock): ByteBuffer = files.view(block)

  /** Some records have only the columns that they change. */
  def havePartial: Boolean = selected.exists(_.isPartial)

  /** Every block says which rows of the slice's base file it replaces. */
  val havePositions: Boolean =
    selected.nonEmpty && baseInstant.isDefined && selected.forall(_.positionsBase.exists(baseInstant.contains(_)))
}

object LogBlocks {

  def of(job: LogJob, slice: FileSlice, conf: Configuration): LogBlocks = {
    val files = LogFiles.of(conf)
    val selected = BlockSelection.select(SliceLogs.blocks(files, job.basePath, slice), job.instants)
    new LogBlocks(selected, slice.base.map(_.instant), files)
  }
}
