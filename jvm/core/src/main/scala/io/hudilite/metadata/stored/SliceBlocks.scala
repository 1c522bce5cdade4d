package io.hudilite.metadata.stored

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{FileSlice, SliceLogs}
import io.hudilite.log.{BlockInstants, BlockSelection, LogBlock, LogFileReader, LogFiles}
import io.hudilite.storage.{FileInfo, OpenFile, Storage}

import java.io.FileNotFoundException

/** A block of a log file that counts.
  *
  * @param content
  *   reads it, unless the file is in memory
  */
private[stored] final case class SliceBlock(block: LogBlock, content: () => Array[Byte])

/** The log blocks of file slices of a metadata table.
  *
  * @param folder
  *   of the metadata table
  * @param counts
  *   records of this instant count
  */
private[stored] final class SliceBlocks(storage: Storage, folder: String, version: Int, counts: String => Boolean) {

  import SliceBlocks._

  /** Those that count, the oldest first. Small log files are read whole, all at once. */
  def of(slice: FileSlice): Seq[SliceBlock] =
    if (slice.logs.isEmpty) Nil
    else if (slice.logs.map(_.length).sum <= MostBytesAtOnce) together(slice)
    else {
      val files = new LogFiles(storage)
      counted(SliceLogs.blocks(files, folder, slice), files.content)
    }

  private def together(slice: FileSlice): Seq[SliceBlock] = {
    val files =
      slice.logs.map(log => FileInfo(s"$folder/${log.relativePath}", log.length, UnknownTime, isDirectory = false))
    val contents = storage.readListed(files)
    val open = files.map { file =>
      file.path -> OpenFile.of(file.path, contents.getOrElse(file.path, throw new FileNotFoundException(file.path)))
    }.toMap
    counted(files.flatMap(f => blocks(f, open(f.path))), block => LogFileReader.content(open(block.path), block))
  }

  private def blocks(file: FileInfo, open: OpenFile): Seq[LogBlock] = {
    val found = LogFileReader.blocks(open, file.path, file.length)
    // Where each write has a file of its own it has written something.
    if (found.isEmpty && version >= FirstWithFilesPerWrite)
      throw CorruptTable("CORRUPT_FILE", "path" -> file.path, "reason" -> "it has no log block")
    found
  }

  private def counted(blocks: Seq[LogBlock], content: LogBlock => Array[Byte]): Seq[SliceBlock] = {
    val instants = blocks.filter(_.isMergeable).map(_.instant).toSet
    val chosen = BlockInstants(version, None, instants, None, Some(instants.filter(counts)))
    BlockSelection.select(blocks, chosen).map(block => SliceBlock(block, () => content(block)))
  }
}

private object SliceBlocks {

  private val MostBytesAtOnce = 16L << 20
  private val FirstWithFilesPerWrite = 8

  // Readers of log files do not ask it.
  private val UnknownTime = 0L
}
