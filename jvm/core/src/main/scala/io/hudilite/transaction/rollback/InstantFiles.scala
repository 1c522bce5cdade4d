package io.hudilite.transaction.rollback

import io.hudilite.config.TableConfig
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{FileNames, LogFileName, Partitions}
import io.hudilite.log.{BlockKind, HeaderKey, LogBlock, LogBlockWriter, LogFileReader}
import io.hudilite.storage.Storage

import org.slf4j.LoggerFactory

/** Fate of a file that was to be taken back; paths are absolute. */
private[transaction] sealed trait TakenBack

private[transaction] object TakenBack {

  final case class Deleted(path: String) extends TakenBack

  /** The file has records of other writes, too, and stays. The log file at `path` takes those of the instant back. */
  final case class CommandWritten(path: String, bytes: Long) extends TakenBack

  /** There was no such file. */
  case object Absent extends TakenBack
}

/** Data files of one instant. No other class deletes any; this one deletes by name, and only inside the table.
  *
  * In version 6 the name of a log file bears the instant of its slice. There its blocks tell its writers, and a file
  * with blocks of another write is never deleted (docs/format.md#rollback).
  */
private[transaction] final class InstantFiles(storage: Storage, basePath: String, config: TableConfig,
    instant: String) {

  import InstantFiles._
  import TakenBack._

  private val base = basePath.stripSuffix("/")

  /** Takes back the file at this path below the table. A path that does not name a file of the instant is left alone.
    */
  def takeBack(relativePath: String, commandInstant: => String): TakenBack = named(relativePath) match {
    case None =>
      log.warn(s"$base/$relativePath is no data file of $instant, and stays.")
      Absent
    case Some(path) if !bySlice(path) || onlyOurs(path) => delete(relativePath)
    case Some(path) => takeBackBlocks(path, commandInstant)
  }

  /** Deletes a file of an attempt that lost, while the instant is about to complete. Its blocks cannot be taken back
    * without those of the attempt that won, so the answer is `false` when the file must stay.
    */
  def deleteStray(relativePath: String): Boolean = named(relativePath).forall { path =>
    val ours = !bySlice(path) || onlyOurs(path)
    if (ours) delete(relativePath)
    ours
  }

  /** The path; `None` when its name says that the instant cannot have written it. */
  def named(relativePath: String): Option[DataPath] = DataPath.parse(relativePath).filter(path =>
    FileNames.parseBaseFile(path.name).exists(_.instant == instant) ||
      FileNames.parseLogFile(path.name).exists(log => log.time == instant || (bySlice(path) && log.time < instant)))

  private def delete(relativePath: String): TakenBack =
    if (storage.delete(s"$base/$relativePath")) Deleted(s"$base/$relativePath") else Absent

  /** True for a log file that bears the instant of its slice. */
  private def bySlice(path: DataPath): Boolean =
    config.version < LogsNameTheirWrite && FileNames.parseLogFile(path.name).exists(!_.isCdc)

  // Bytes that are no whole block are this instant's, since the file was when its marker was made. Blocks that cannot
  // be read are taken for somebody else's.
  private def onlyOurs(path: DataPath): Boolean =
    try blocks(path).filter(_.kind != BlockKind.Corrupt).forall(_.headers.get(HeaderKey.InstantTime).contains(instant))
    catch { case _: CorruptTable => false }

  private def blocks(path: DataPath): Seq[LogBlock] = {
    val folder = Partitions.directory(base, path.partition)
    storage.list(folder).find(_.name == path.name).toSeq.flatMap(file =>
      LogFileReader.blocks(storage, s"$folder/${path.name}", file.length))
  }

  private def takeBackBlocks(path: DataPath, commandInstant: String): TakenBack = {
    val folder = Partitions.directory(base, path.partition)
    val headers = LogBlockWriter.rollbackHeaders(commandInstant, instant)
    val block = LogBlockWriter.bytes(BlockKind.Command, headers, Array.emptyByteArray)
    val name = FileNames.parseLogFile(path.name).get
    @annotation.tailrec
    def written(version: Int): String = {
      val next = s"$folder/${FileNames.logFile(name.fileId, name.time, version, name.writeToken.getOrElse(NoToken))}"
      if (storage.createNew(next, block)) next else written(version + 1)
    }
    CommandWritten(written(lastVersion(folder, name) + 1), block.length.toLong)
  }

  private def lastVersion(folder: String, name: LogFileName): Int =
    storage.list(folder).flatMap(f => FileNames.parseLogFile(f.name))
      .filter(n => n.fileId == name.fileId && n.time == name.time).map(_.version).max
}

private[transaction] object InstantFiles {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.InstantFiles")

  private val LogsNameTheirWrite = 8
  private val NoToken = "0-0-0"
}
