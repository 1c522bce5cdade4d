package io.hudilite.transaction

import io.hudilite.config.{TableConfig, TableProperties, WriteOptions}
import io.hudilite.error.{CommitConflict, InvalidInput, Listed}
import io.hudilite.filegroup.{FileNames, OtherFiles, Partitions}
import io.hudilite.storage.{Storage, Undo}
import io.hudilite.table.{RingFiles, Table}
import io.hudilite.timeline.Timeline
import io.hudilite.upkeep.MetadataHome

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.NotDirectoryException

import org.slf4j.LoggerFactory

/** A table that its first write makes, and removes again when it fails and nobody else uses it.
  *
  * @param place
  *   folder of the table as it was before
  */
final class FirstWrite private (val table: Table, place: NewTableFolder, options: TransactionOptions) {

  import FirstWrite.log

  private val storage = table.storage
  private val basePath = table.basePath.stripSuffix("/")

  /** Begins the write that the table was made for. When that fails, the table is removed, too.
    *
    * @param at
    *   as in `Transaction.begin`
    */
  def begin(action: String, operation: String, at: Option[String] = None): Transaction =
    try Transaction.begin(table, action, operation, options, at)
    catch { case e: Throwable => throw Undo.after(e)(remove("")) }

  /** Removes the table, unless somebody else has begun to use it: the table has another write or other properties, or a
    * process is at work beyond the reach of the lock. An empty table may stay then.
    *
    * @param instant
    *   instant of the write that was rolled back, whose new partitions are removed
    */
  def remove(instant: String): Unit = removeWith(_.contains(s"commitTime=$instant"))

  /** @param isOwn
    *   lines of the metadata file of a partition that goes
    */
  private def removeWith(isOwn: Seq[String] => Boolean): Unit = options.locked(storage, basePath) {
    val exclusion = options.exclusion(storage, basePath)
    try if (exclusion.claimed((_, _) => ours.map(removeAll(_, isOwn, exclusion)).isDefined)) place.clear()
    catch {
      case e: CommitConflict if e.condition == "WRITER_NOT_EXCLUDED" =>
        log.warn(s"The new table at $basePath stays, for another process uses it: ${e.getMessage}")
    }
  }

  private def ours: Option[TableConfig] = TableProperties.find(storage, basePath)
    .filter(_.withoutMetadata == table.config.withoutMetadata).filter(_ => isUnused(table.store.load()))

  private def isUnused(timeline: Timeline): Boolean = timeline.writes.isEmpty && timeline.pending.isEmpty

  /** Removes the properties and then the rest. Once the properties are gone, somebody else may make a table here, so
    * the rest is removed by names that were listed before.
    */
  private def removeAll(found: TableConfig, isOwn: Seq[String] => Boolean, exclusion: Exclusion): Unit = {
    empty(isOwn).foreach(removePartition)
    val rollbacks = table.store.load().instants
    exclusion.check("")
    TableProperties.delete(storage, basePath)
    RingFiles.remove(storage, basePath)
    if (options.keepsMetadata.contains(true) || options.indexes.asked.nonEmpty || found.metadataPartitions.nonEmpty)
      MetadataHome.remove(storage, basePath)
    rollbacks.foreach(table.store.delete)
  }

  /** Paths of the partitions that hold nothing but their metadata file. */
  private def empty(isOwn: Seq[String] => Boolean): Seq[String] =
    Partitions.discover(storage, basePath).toSeq.collect {
      case (partition, Seq(only))
          if FileNames.isPartitionMetadata(only.name) &&
            storage.read(only.path).exists(bytes => isOwn(new String(bytes, ISO_8859_1).linesIterator.toSeq)) =>
        partition
    }

  private def removePartition(partition: String): Unit = {
    val directory = Partitions.directory(basePath, partition)
    storage.delete(s"$directory/${FileNames.PartitionMetadata}")
    Iterator.iterate(directory)(d => d.substring(0, d.lastIndexOf('/'))).takeWhile(_.length > basePath.length)
      .foreach(storage.deleteIfEmpty)
  }
}

object FirstWrite {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.FirstWrite")

  /** Makes an empty table. Raises `TABLE_ALREADY_EXISTS` when somebody else was faster, and `STATEMENT_NOT_SUPPORTED` where
    * other files lie, unless the options allow it. After any failure nothing of the table is left.
    */
  def create(storage: Storage, path: String, config: TableConfig, options: TransactionOptions): FirstWrite = {
    val basePath = path.stripSuffix("/")
    options.checkLock(storage, basePath)
    val pathExisted = storage.exists(basePath)
    if (pathExisted && !options.amongOthers) refuseOthers(storage, basePath)
    // The lock file lies in this folder.
    try storage.makeDirectory(s"$basePath/.hoodie")
    catch {
      case e: NotDirectoryException => throw InvalidInput.because(e, "INVALID_OPTION_VALUE", "option" -> "path",
          "value" -> basePath, "reason" -> "a file lies there or above, and a table is a folder")
    }
    options.locked(storage, basePath) {
      val place = new NewTableFolder(storage, basePath, options.lockNames, pathExisted)
      try options.exclusion(storage, basePath).alone {
          if (TableProperties.exists(storage, basePath)) throw InvalidInput("TABLE_ALREADY_EXISTS", "path" -> basePath)
          TableProperties.create(storage, basePath, config)
          if (config.generatesKeys)
            log.warn(s"The new table at $basePath has no record key: rows get generated keys; upsert is not possible.")
          new FirstWrite(openOrRemove(storage, basePath), place, options)
        }
      catch {
        case e: Throwable => throw Undo.after(e)(if (!TableProperties.exists(storage, basePath)) place.clear())
      }
    }
  }

  /** Removes a table whose writes were cut off or taken back, with its empty partitions, as [[FirstWrite.remove]] does: one
    * that has writes, or that another process is writing to, stays.
    */
  def removeUnused(table: Table, options: TransactionOptions): Unit = {
    Transaction.preparedNow(table, options)(now => options.recovery(now.store, Some(now.config)).settle())
    val place =
      new NewTableFolder(table.storage, table.basePath.stripSuffix("/"), options.lockNames, pathExisted = true)
    new FirstWrite(table.refresh(), place, options).removeWith(_ => true)
  }

  // No write of the table would name them, and no read show them, whatever the folder was before.
  private def refuseOthers(storage: Storage, basePath: String): Unit = {
    val others = storage.list(basePath).map(_.name).filterNot(OtherFiles.isHidden)
    if (others.nonEmpty && !TableProperties.exists(storage, basePath))
      throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> "A new table among other files", "path" -> basePath,
        "reason" ->
          (s"its reads would not show ${Listed.of(others.sorted, Named)}; choose an empty folder, or set " +
            s"${WriteOptions.AmongOthers.name}"))
  }

  private val Named = 5

  private def openOrRemove(storage: Storage, basePath: String): Table =
    try Table.open(storage, basePath)
    catch { case e: Throwable => throw Undo.after(e)(TableProperties.delete(storage, basePath)) }
}
