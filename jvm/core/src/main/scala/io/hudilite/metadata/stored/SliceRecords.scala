package io.hudilite.metadata.stored

import io.hudilite.codec.bloom.BloomFilter
import io.hudilite.codec.hfile.{HFile, HFileFilter, HFileRecords}
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.FileSlice
import io.hudilite.log.{BlockKind, DeleteBlock, LogBlock}
import io.hudilite.metadata.{MetadataInstants, MetadataPayload, MetadataRecord, RecordCodec, RecordMerge}
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
    val changes = changesOf(blocks(slice), asked)
    slice.base match {
      case None => live(added(changes))
      case Some(base) =>
        val path = s"$folder/${base.relativePath}"
        val file = HFile.open(storage, path, base.length)
        // Keys that the base file lacks are known when it is through.
        Closing.after(file)(live(onTop(changes, baseRecords(file, asked, path), path) ++ added(changes)))
    }
  }

  /** Counts the records of slices, where newer ones replace older ones as a whole. Of base files, and of the largest log file
    * of a slice without one, as a load leaves it, only those blocks are read that may hold a key which another block has,
    * too. Most of these are new keys, which the filter of a base file knows it lacks.
    */
  def tally(slices: Seq[FileSlice]): Seq[Tally] = Parallel.map(slices) { slice =>
    val found = blocks(slice)
    slice.base match {
      case Some(base) =>
        tallied(Nil, Seq(() => HFile.open(storage, s"$folder/${base.relativePath}", base.length)), found)
      case None =>
        // A write names each key once, so that the blocks of its file have no key in common.
        val largest = slice.logs.sortBy(-_.length).headOption.fold("")(log => s"/${log.name}")
        val (older, others) = found.span(!_.block.path.endsWith(largest))
        def isOfLoad(b: SliceBlock): Boolean = b.block.path.endsWith(largest) && b.block.kind == BlockKind.HFileData &&
          b.block.instant == others.head.block.instant
        val (load, newer) = others.partition(isOfLoad)
        tallied(older, load.map(b => () => b.file()), newer)
    }
  }

  private def tallied(older: Seq[SliceBlock], files: Seq[() => HFile], newer: Seq[SliceBlock]): Tally = {
    val changes = changesOf(newer, AskedKeys.All)
    val before = changesOf(older, AskedKeys.All)
    before --= changes.keySet
    val keys = changes.keySet.toSet
    val counted = files.map { open =>
      val file = open()
      try {
        before --= in(file, perhapsIn(file, before.keySet.toSet)).toList
        Tally(file.entries - in(file, perhapsIn(file, keys)).size.toLong, someKeys(file).toSet)
      } finally file.close()
    }
    Tally(counted.map(_.records).sum + alive(changes) + alive(before), keys ++ before.keySet ++ counted.flatMap(_.keys))
  }

  private def alive(changes: mutable.Map[String, Change]): Long =
    changes.valuesIterator.count(_.payload.flatMap(RecordMerge.live).isDefined).toLong

  /** Those of the keys that the file has. */
  private def in(file: HFile, keys: Set[String]): Iterator[String] =
    if (keys.isEmpty) Iterator.empty
    else {
      val found = AskedKeys.These(keys).in(file)
      Iterator.continually(found.next()).takeWhile(identity).map(_ => new String(found.key, UTF_8))
    }

  private def perhapsIn(file: HFile, keys: Set[String]): Set[String] =
    if (keys.size < FewKeys) keys
    else file.filter.flatMap(filterOf).fold(keys)(filter =>
      keys.filter(key => key.isEmpty || filter.mightContain(key.getBytes(UTF_8))))

  // Filters of kinds that nobody knows say nothing.
  private def filterOf(of: HFileFilter): Option[BloomFilter] =
    try Some(BloomFilter.read(of.text, of.kind))
    catch { case _: IllegalArgumentException => None }

  /** Its bounds; of a log block, which does not tell them, the first keys. */
  private def someKeys(file: HFile): Seq[String] =
    if (file.entries == 0) Nil
    else KeyFacts.flatMap(file.info(_)).map(new String(_, UTF_8)) match {
      case Nil => file.scan.iterator.take(KeysOfBlock).map(entry => new String(entry._1, UTF_8)).toList
      case bounds => bounds
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

  private def changesOf(found: Seq[SliceBlock], asked: AskedKeys): mutable.Map[String, Change] = {
    val changes = mutable.LinkedHashMap.empty[String, Change]
    found.foreach(apply(_, asked, changes))
    changes
  }

  private def apply(found: SliceBlock, asked: AskedKeys, changes: mutable.Map[String, Change]): Unit = {
    val block = found.block
    block.kind match {
      case BlockKind.HFileData =>
        val file = found.file()
        try put(asked.in(file), block, changes)
        finally file.close()
      case BlockKind.Delete =>
        DeleteBlock.decode(found.content(), block.path).filter(d => asked.has(d.key)).foreach(d =>
          changes.put(d.key, Change(None, isWhole = true)))
      case other => throw CorruptTable("CORRUPT_FILE", "path" -> block.path,
          "reason" -> s"a metadata table has no log blocks of the kind $other")
    }
  }

  private def put(records: HFileRecords, block: LogBlock, changes: mutable.Map[String, Change]): Unit =
    decoded(records, block.schemaJson, block.path).foreach { record =>
      val known = changes.get(record.key)
      val payload = known.flatMap(_.payload).fold(record.payload)(merged(_, record.payload, block.path))
      changes.put(record.key, Change(Some(payload), known.exists(_.isWhole)))
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
    val codec = CorruptTable.guard(path)(new RepeatedRecords(RecordCodec.of(schemaJson)))
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

  /** Their blocks are read sooner than a filter. */
  private val FewKeys = 10

  /** Of a log block that are looked at. */
  private val KeysOfBlock = 1000

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

/** Reads the merged records of file slices of a metadata table as it was opened; ships to tasks. */
final class StoredSlices private[stored] (folder: String, version: Int, instants: MetadataInstants)
    extends Serializable {

  /** The records come one after the other; what log files say of them is in memory. Whoever does not take all of them
    * closes the iterator, where it is a `Closeable`.
    */
  def of(storage: Storage, slice: FileSlice): Iterator[MetadataRecord] =
    new SliceRecords(storage, folder, blocks(storage).of).of(slice)

  /** The records of a slice of a partition whose newer records replace older ones, as they are encoded, in the order of
    * their keys.
    */
  def sorted(storage: Storage, slice: FileSlice): Iterator[(Array[Byte], Array[Byte])] =
    new SortedRecords(storage, folder).of(slice, blocks(storage).of(slice))

  private def blocks(storage: Storage): SliceBlocks = new SliceBlocks(storage, folder, version, instants.counts)
}
