package io.hudilite.metadata.stored

import io.hudilite.codec.hfile.{HFile, HFileRecords}
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.log.{BlockKind, DeleteBlock, LogBlock}
import io.hudilite.metadata.{MetadataPayload, MetadataRecord, RecordCodec, RecordMerge}
import io.hudilite.storage.{Closing, Parallel, Storage}

import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

/** The merged records of a file slice of a metadata table, or those of some keys: what log files say of them is in memory,
  * the records of the base file come one after the other.
  *
  * @param folder
  *   of the metadata table
  * @param blocks
  *   the log blocks of a slice that count, the oldest first
  */
private[stored] final class SliceRecords(storage: Storage, folder: String, blocks: FileSlice => Seq[SliceBlock]) {

  import SliceRecords._

  def of(slice: FileSlice, asked: AskedKeys = AskedKeys.All): Iterator[MetadataRecord] = {
    val changes = changesOf(slice, asked)
    slice.base match {
      case None => live(added(changes))
      case Some(base) =>
        val path = s"$folder/${base.relativePath}"
        val file = HFile.open(storage, path, base.length)
        // Keys that the base file lacks are known when it is through.
        Closing.after(file)(live(onTop(changes, baseRecords(file, asked, path), path) ++ added(changes)))
    }
  }

  /** Counts the records of slices, where newer ones replace older ones as a whole. Of base files only those blocks are read
    * that may hold a key which a log file has, too.
    */
  def tally(slices: Seq[FileSlice]): Seq[Tally] = {
    val changed = slices.map(slice => slice -> changesOf(slice, AskedKeys.All))
    Parallel.map(changed) { case (slice, changes) =>
      val alive = changes.valuesIterator.count(_.payload.isDefined).toLong
      slice.base.fold(Tally(alive, changes.keySet.toSet))(base => tallied(base, changes.keySet.toSet, alive))
    }
  }

  private def tallied(base: BaseFile, changed: Set[String], alive: Long): Tally = {
    val file = HFile.open(storage, s"$folder/${base.relativePath}", base.length)
    try {
      val found = AskedKeys.These(changed).in(file)
      val replaced = Iterator.continually(found.next()).takeWhile(identity).size
      val bounds = if (file.entries == 0) Nil else KeyFacts.flatMap(file.info(_)).map(new String(_, UTF_8))
      Tally(file.entries - replaced + alive, changed ++ bounds)
    } finally file.close()
  }

  private def onTop(changes: mutable.Map[String, Change], below: Iterator[MetadataRecord], path: String)
      : Iterator[MetadataRecord] = below.flatMap { record =>
    changes.remove(record.key) match {
      case None => Some(record)
      case Some(Change(payload, true)) => payload.map(MetadataRecord(record.key, _))
      case Some(Change(payload, false)) =>
        payload.map(p => MetadataRecord(record.key, merged(record.payload, p, path)))
    }
  }

  private def added(changes: mutable.Map[String, Change]): Iterator[MetadataRecord] =
    changes.iterator.flatMap { case (key, change) => change.payload.map(MetadataRecord(key, _)) }

  private def live(records: Iterator[MetadataRecord]): Iterator[MetadataRecord] =
    records.flatMap(record => RecordMerge.live(record.payload).map(MetadataRecord(record.key, _)))

  private def changesOf(slice: FileSlice, asked: AskedKeys): mutable.Map[String, Change] = {
    val changes = mutable.LinkedHashMap.empty[String, Change]
    blocks(slice).foreach(found => apply(found.block, found.content(), asked, changes))
    changes
  }

  private def apply(block: LogBlock, content: Array[Byte], asked: AskedKeys, changes: mutable.Map[String, Change])
      : Unit = block.kind match {
    case BlockKind.Delete =>
      DeleteBlock.decode(content, block.path).filter(d => asked.has(d.key)).foreach(d =>
        changes.put(d.key, Change(None, isWhole = true)))
    case BlockKind.HFileData =>
      decoded(asked.in(HFile.of(content, block.path)), block.schemaJson, block.path).foreach { record =>
        val known = changes.get(record.key)
        val payload = known.flatMap(_.payload).fold(record.payload)(merged(_, record.payload, block.path))
        changes.put(record.key, Change(Some(payload), known.exists(_.isWhole)))
      }
    case other => throw CorruptTable("CORRUPT_FILE", "path" -> block.path,
        "reason" -> s"a metadata table has no log blocks of the kind $other")
  }

  private def merged(older: MetadataPayload, newer: MetadataPayload, path: String): MetadataPayload =
    CorruptTable.guard(path)(RecordMerge.merge(older, newer))

  private def baseRecords(file: HFile, asked: AskedKeys, path: String): Iterator[MetadataRecord] =
    if (file.entries == 0) Iterator.empty
    else {
      val schema = file.info(SchemaFact).getOrElse(throw withoutSchema(path))
      decoded(asked.in(file), new String(schema, UTF_8), path)
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

/** @param records
  *   number of records that are there
  * @param keys
  *   some of the keys that the files name
  */
private[stored] final case class Tally(records: Long, keys: Set[String])

private object SliceRecords {

  /** The least and the greatest key of an HFile. */
  val KeyFacts: Seq[String] = Seq("minRecordKey", "maxRecordKey")

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
