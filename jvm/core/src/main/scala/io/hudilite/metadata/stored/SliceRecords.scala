package io.hudilite.metadata.stored

import io.hudilite.codec.hfile.{HFile, HFileRecords}
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{FileSlice, SliceLogs}
import io.hudilite.log.{BlockInstants, BlockKind, BlockSelection, DeleteBlock, LogBlock, LogFiles}
import io.hudilite.metadata.{MetadataPayload, MetadataRecord, RecordCodec, RecordMerge}
import io.hudilite.storage.Storage

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable
import scala.util.control.NonFatal

/** The merged records of a file slice of a metadata table: those of the log files in memory, those of the base file one
  * after the other.
  *
  * @param folder
  *   of the metadata table
  * @param counts
  *   records of this instant count
  */
private[stored] final class SliceRecords(storage: Storage, folder: String, version: Int, counts: String => Boolean) {

  import SliceRecords._

  def of(slice: FileSlice): Iterator[MetadataRecord] = {
    val changes = changesOf(slice)
    val below = slice.base.iterator.flatMap(base => baseRecords(s"$folder/${base.relativePath}", base.length))
    val merged = below.flatMap { record =>
      changes.remove(record.key) match {
        case None => Some(record)
        case Some(Change(payload, true)) => payload.map(MetadataRecord(record.key, _))
        case Some(Change(payload, false)) =>
          payload.map(p => MetadataRecord(record.key, RecordMerge.merge(record.payload, p)))
      }
    }
    def added: Iterator[MetadataRecord] = changes.iterator.flatMap { case (key, change) =>
      change.payload.map(MetadataRecord(key, _))
    }
    (merged ++ added).flatMap(record => RecordMerge.live(record.payload).map(MetadataRecord(record.key, _)))
  }

  private def changesOf(slice: FileSlice): mutable.Map[String, Change] = {
    val changes = mutable.LinkedHashMap.empty[String, Change]
    if (slice.logs.nonEmpty) {
      val files = new LogFiles(storage)
      val blocks = SliceLogs.blocks(files, folder, slice)
      val instants = blocks.filter(_.isMergeable).map(_.instant).toSet
      val chosen = BlockInstants(version, None, instants, None, Some(instants.filter(counts)))
      BlockSelection.select(blocks, chosen).foreach(apply(_, files, changes))
    }
    changes
  }

  private def apply(block: LogBlock, files: LogFiles, changes: mutable.Map[String, Change]): Unit = block.kind match {
    case BlockKind.Delete =>
      DeleteBlock.decode(files.content(block), block.path).foreach(d =>
        changes.put(d.key, Change(None, isWhole = true)))
    case BlockKind.HFileData =>
      val records = HFile.of(files.content(block), block.path).scan
      decoded(records, block.schemaJson, block.path).foreach { record =>
        val known = changes.get(record.key)
        val payload = known.flatMap(_.payload).fold(record.payload)(RecordMerge.merge(_, record.payload))
        changes.put(record.key, Change(Some(payload), known.exists(_.isWhole)))
      }
    case other => throw CorruptTable("CORRUPT_FILE", "path" -> block.path,
        "reason" -> s"a metadata table has no log blocks of the kind $other")
  }

  /** The file is closed when its last record has been taken. */
  private def baseRecords(path: String, length: Long): Iterator[MetadataRecord] = {
    val file = HFile.open(storage, path, length)
    try {
      val records =
        if (file.entries == 0) Iterator.empty
        else
          decoded(file.scan, file.info(SchemaFact).map(new String(_, UTF_8)).getOrElse(throw withoutSchema(path)), path)
      records ++ closing(file)
    } catch {
      case NonFatal(e) =>
        file.close()
        throw e
    }
  }

  private def closing(file: HFile): Iterator[MetadataRecord] = {
    lazy val closed: Iterator[MetadataRecord] = { file.close(); Iterator.empty }
    Iterator.empty ++ closed
  }

  private def withoutSchema(path: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> path, "reason" -> "it names no schema of its records")

  private def decoded(records: HFileRecords, schemaJson: String, path: String): Iterator[MetadataRecord] = {
    val codec = CorruptTable.guard(path)(RecordCodec.of(schemaJson))
    Iterator.continually(records.next()).takeWhile(identity).map(_ =>
      CorruptTable.guard(path)(
        codec.decode(new String(records.key, UTF_8), records.buffer, records.offset, records.length)))
  }
}

private object SliceRecords {

  /** Of an HFile. */
  private val SchemaFact = "schema"

  /** A newer state of a key.
    *
    * @param payload
    *   `None` where the key was deleted and is not there again
    * @param isWhole
    *   nothing of what lies below counts
    */
  final case class Change(payload: Option[MetadataPayload], isWhole: Boolean)
}
