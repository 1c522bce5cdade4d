package io.hudilite.spark.write.task

import io.hudilite.filegroup.FileSlice
import io.hudilite.log.{BlockKind, LogBlockWriter}
import io.hudilite.spark.logfile.encode.LogSettings
import io.hudilite.storage.HadoopFiles
import io.hudilite.timeline.WriteStat

import org.apache.hadoop.fs.Path

/** One log file of this write, open at its end. */
private[spark] final class LogFileWriter(output: TaskOutput, slice: FileSlice, names: LogFileNames) {

  private val name = names.next()
  private val version = names.version
  private val path = new Path(names.path(name))
  private val stream =
    HadoopFiles.create(HadoopFiles.fileSystem(path, output.job.conf.value), path, overwrite = true)

  /** Records in the file's blocks. */
  var updates = 0L
  var deletes = 0L

  def length: Long = stream.getPos

  /** Appends a block with the first `count` bytes as its content. */
  def append(kind: BlockKind, headers: Map[Int, String], bytes: Array[Byte], count: Int): Unit = {
    val header = LogBlockWriter.header(kind, headers, count.toLong)
    stream.write(header)
    stream.write(bytes, 0, count)
    stream.write(LogBlockWriter.trailer(header.length, count.toLong))
  }

  /** Finishes the file (docs/format.md, commit metadata). */
  def close(settings: LogSettings): WriteStat = {
    val size = length
    stream.close()
    WriteStat(slice.fileId, output.relativePath(slice.partition, name), slice.instant, slice.partition,
      numWrites = updates, numDeletes = deletes, numUpdateWrites = updates, totalWriteBytes = size,
      fileSizeInBytes = size, baseFile = slice.base.filterNot(_ => settings.byInstant).map(_.name),
      logFiles = Seq(name), logVersion = version)
  }

  def abort(): Unit = stream.close()
}
