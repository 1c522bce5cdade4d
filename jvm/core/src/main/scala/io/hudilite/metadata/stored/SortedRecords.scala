package io.hudilite.metadata.stored

import io.hudilite.codec.hfile.{HFile, KeysByBytes}
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.log.{BlockKind, DeleteBlock}
import io.hudilite.metadata.{RecordCodec, RecordEncoder, RecordSchema}
import io.hudilite.storage.{Closing, Storage}

import java.nio.charset.StandardCharsets.UTF_8
import java.util.{Arrays, PriorityQueue}

import scala.collection.mutable

/** The merged records of a slice in the order of their keys, of a partition whose newer records replace older ones as a
  * whole. Records pass as bytes, and no more than a block of each file is unpacked at a time.
  */
private[stored] final class SortedRecords(storage: Storage, folder: String) {

  import SortedRecords._

  /** @param blocks
    *   the log blocks of the slice that count, the oldest first
    */
  def of(slice: FileSlice, blocks: Seq[SliceBlock]): Iterator[(Array[Byte], Array[Byte])] = {
    val opened = mutable.ArrayBuffer.empty[HFile]
    def kept(file: HFile): HFile = {
      opened += file
      file
    }
    Closing.after(() => opened.foreach(_.close()))(
      merged(slice.base.toSeq.map(ofBase(_, kept)) ++ blocks.map(ofBlock(_, kept))))
  }

  private def ofBase(base: BaseFile, kept: HFile => HFile): Entries = {
    val path = s"$folder/${base.relativePath}"
    val file = kept(HFile.open(storage, path, base.length))
    if (file.entries == 0) Iterator.empty
    else ofFile(file, file.info("schema").map(new String(_, UTF_8)).getOrElse(RecordSchema.ofFiles), path)
  }

  private def ofBlock(found: SliceBlock, kept: HFile => HFile): Entries = found.block.kind match {
    case BlockKind.HFileData => ofFile(kept(found.file()), found.block.schemaJson, found.block.path)
    case BlockKind.Delete =>
      val keys = DeleteBlock.decode(found.content(), found.block.path).map(_.key.getBytes(UTF_8))
      keys.sortWith((a, b) => Arrays.compareUnsigned(a, b) < 0).iterator.map(_ -> None)
    case other => throw CorruptTable("CORRUPT_FILE", "path" -> found.block.path,
        "reason" -> s"a metadata table has no log blocks of the kind $other")
  }

  // Of another writer's schema the records are written again.
  private def ofFile(file: HFile, schema: String, path: String): Entries = {
    val records = new KeysByBytes(file.scan.iterator, path)
    if (schema == RecordSchema.ofFiles) records.map { case (key, value) => key -> Some(value) }
    else {
      val codec = CorruptTable.guard(path)(RecordCodec.of(schema))
      records.map { case (key, value) =>
        key -> Some(CorruptTable.guard(path)(RecordEncoder.encode(codec.decode("", value, 0, value.length))))
      }
    }
  }

  private def merged(sources: Seq[Entries]): Iterator[(Array[Byte], Array[Byte])] = {
    val queue = new PriorityQueue[Cursor](math.max(1, sources.size))
    sources.zipWithIndex.foreach { case (entries, age) => if (entries.hasNext) queue.add(new Cursor(entries, age)) }
    new MergedEntries(queue).collect { case (key, Some(value)) => key -> value }
  }
}

private object SortedRecords {

  /** Keys with their records; `None` with one that is deleted. */
  type Entries = Iterator[(Array[Byte], Option[Array[Byte]])]

  /** @param age
    *   greater for newer entries
    */
  final class Cursor(entries: Entries, val age: Int) extends Comparable[Cursor] {

    private var head = entries.next()

    def key: Array[Byte] = head._1
    def entry: (Array[Byte], Option[Array[Byte]]) = head

    def advance(): Boolean = {
      val more = entries.hasNext
      if (more) head = entries.next()
      more
    }

    override def compareTo(other: Cursor): Int = {
      val byKey = Arrays.compareUnsigned(key, other.key)
      if (byKey != 0) byKey else other.age - age
    }
  }

  /** Of entries of one key the newest. */
  final class MergedEntries(queue: PriorityQueue[Cursor]) extends Iterator[(Array[Byte], Option[Array[Byte]])] {

    // Mostly the entries of the base file come one after the other.
    private var newest: Cursor = queue.poll()

    override def hasNext: Boolean = newest != null

    override def next(): (Array[Byte], Option[Array[Byte]]) = { // hot path
      if (newest == null) throw new NoSuchElementException("no more entries")
      val entry = newest.entry
      while (!queue.isEmpty && Arrays.equals(queue.peek().key, entry._1)) {
        val older = queue.poll()
        if (older.advance()) queue.add(older)
      }
      if (!newest.advance()) newest = queue.poll()
      else if (!queue.isEmpty && newest.compareTo(queue.peek()) > 0) {
        queue.add(newest)
        newest = queue.poll()
      }
      entry
    }
  }
}
