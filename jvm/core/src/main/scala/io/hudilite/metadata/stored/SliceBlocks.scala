package io.hudilite.metadata.stored

import io.hudilite.codec.hfile.HFile
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{FileSlice, SliceLogs}
import io.hudilite.log.{BlockInstants, BlockSelection, LogBlock, LogFileReader, LogFiles}
import io.hudilite.storage.{FileInfo, OpenFile, Storage}

import java.io.FileNotFoundException

/** A block of a log file that counts.
  *
  * @param content
  *   reads it, unless the file is in memory
  * @param file
  *   opens it where it is an HFile: of a large log file only what is asked for is read
  */
private[stored] final case class SliceBlock(block: LogBlock, content: () => Array[Byte], file: () => HFile)

/** The log blocks of file slices of a metadata table.
  *
  * @param folder
  *   of the metadata table
  * @param counts
  *   records of this instant count
  * @param mostAtOnce
  *   bytes of log files that are read whole, and kept while their blocks are
  */
private[stored] final class SliceBlocks(storage: Storage, folder: String, version: Int, counts: String => Boolean,
    mostAtOnce: Long = SliceBlocks.MostBytesAtOnce) {

  import SliceBlocks._

  /** Those that count, the oldest first. Small log files are read whole, all at once. */
  def of(slice: FileSlice): Seq[SliceBlock] =
    if (slice.logs.isEmpty) Nil
    else if (slice.logs.map(_.length).sum <= mostAtOnce) together(slice)
    else {
      val files = new LogFiles(storage)
      val lengths = slice.logs.map(log => s"$folder/${log.relativePath}" -> log.length).toMap
      counted(SliceLogs.blocks(files, folder, slice), files.content,
        block => HFile.within(storage, block.path, lengths(block.path), block.contentOffset, block.contentLength))
    }

  private def together(slice: FileSlice): Seq[SliceBlock] = {
    val files =
      slice.logs.map(log => FileInfo(s"$folder/${log.relativePath}", log.length, UnknownTime, isDirectory = false))
    val contents = storage.readListed(files)
    val open = files.map { file =>
      file.path -> OpenFile.of(file.path, contents.getOrElse(file.path, throw new FileNotFoundException(file.path)))
    }.toMap
    def content(block: LogBlock): Array[Byte] = LogFileReader.content(open(block.path), block)
    counted(files.flatMap(f => blocks(f, open(f.path))), content, block => HFile.of(content(block), block.path))
  }

  private def blocks(file: FileInfo, open: OpenFile): Seq[LogBlock] = {
    val found = LogFileReader.blocks(open, file.path, file.length)
    // Where each write has a file of its own it has written something.
    if (found.isEmpty && version >= FirstWithFilesPerWrite)
      throw CorruptTable("CORRUPT_FILE", "path" -> file.path, "reason" -> "it has no log block")
    found
  }

  private def counted(blocks: Seq[LogBlock], content: LogBlock => Array[Byte], file: LogBlock => HFile)
      : Seq[SliceBlock] = {
    val instants = blocks.filter(_.isMergeable).map(_.instant).toSet
    val chosen = BlockInstants(version, None, instants, None, Some(instants.filter(counts)))
    BlockSelection.select(blocks, chosen).map(block => SliceBlock(block, () => content(block), () => file(block)))
  }
}

private object SliceBlocks {

  val MostBytesAtOnce = 16L << 20
  private val FirstWithFilesPerWrite = 8

  // Readers of log files do not ask it.
  private val UnknownTime = 0L
}
