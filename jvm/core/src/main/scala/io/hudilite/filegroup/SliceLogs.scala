package io.hudilite.filegroup

import io.hudilite.log.{LogBlock, LogFiles}

/** Blocks of the log files of a slice. */
object SliceLogs {

  /** The blocks of all log files, in the order of the files. Their contents are not looked at.
    *
    * @param files
    *   reader of the files, which may keep what it has read
    */
  def blocks(files: LogFiles, basePath: String, slice: FileSlice): Seq[LogBlock] = {
    val folder = Partitions.directory(basePath, slice.partition)
    slice.logs.flatMap(log => files.blocks(s"$folder/${log.name}", log.length))
  }
}
