package io.hudilite.upkeep

import io.hudilite.codec.parquet.MemoryFile
import io.hudilite.config.{IndexesConf, KeyIndexConf, TableType}
import io.hudilite.filegroup.{FileGroupId, FileNames, Partitions}
import io.hudilite.metadata.{MetadataPartition, MetadataRecord, SecondaryIndex}
import io.hudilite.metadata.MetadataPayload.Place
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.record.{KeyChange, KeyNotes}
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, WriteStat}
import io.hudilite.transaction.{Assumption, TextWrites, Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.{Marker, Markers}

import java.io.ByteArrayOutputStream

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.example.data.simple.SimpleGroupFactory
import org.apache.parquet.hadoop.example.ExampleParquetWriter
import org.apache.parquet.schema.MessageTypeParser

/** A table whose base files hold record keys and a column `id`, with a record index. Of a row `a=b` the key is `a`, and the
  * value of the column `b`.
  *
  * @param tells
  *   the tasks of its writes tell keys; else files are read
  */
final class KeyedTable(val storage: Storage, val path: String, version: Int, isPartitioned: Boolean, tells: Boolean,
    deltas: Int = 10, base: TransactionOptions = TransactionOptions()) {

  private val asked = KeyIndexConf(Some(true), 2, 2)

  val options: TransactionOptions = base.copy(metadataDeltas = deltas,
    indexes = if (isPartitioned) IndexesConf(partitionKeys = asked) else IndexesConf(keys = asked))

  def create(): KeyedTable = {
    val _ = TextWrites.table(storage, path, version, TableType.CopyOnWrite)
    // The table of other tests has a row in `p`.
    commit(Action.ReplaceCommit, CommitMetadata.DeletePartition, Nil,
      Map("p" -> table.slices(Seq("p"))("p").map(_.fileId)), Nil)
    this
  }

  def table: Table = Table.open(storage, path)

  def kept: KeptMetadata = new KeptMetadata(storage, path)

  /** Keys by file group, as the files have them. */
  def rows: Map[FileGroupId, Seq[String]] = table.allSlices().values.flatten.map(slice =>
    slice.groupId -> SliceKeys.staying(path, slice).flatMap(_.changes(storage)).map(_.key).toList.sorted).toMap

  /** Places as the index has them. */
  def places: Seq[(String, FileGroupId)] = {
    val now = table
    new MetadataTable(now.store, now.timeline).records(MetadataPartition.RecordIndex).collect {
      case MetadataRecord(key, Place(partition, fileId, _, _)) => key -> FileGroupId(partition, fileId)
    }.toList.sortBy { case (key, group) => (key, group.partition) }
  }

  /** Pairs as the secondary index of this name has them. */
  def pairs(name: String): Seq[String] = {
    val now = table
    val partition = MetadataPartition.of(SecondaryIndex.partitionName(name)).get
    new MetadataTable(now.store, now.timeline).records(partition).map(_.key).toList.sorted
  }

  /** Pairs of the rows. */
  def expectedPairs: Seq[String] = {
    val now = table
    val index = SecondaryIndex(MetadataPartition.RecordIndex, "id", hashesValues = true).in(now.storedJson)
    now.allSlices().values.flatten
      .flatMap(ChangedPairs.staying(path, _, index).changes(storage)).map(_.key).toList.distinct.sorted
  }

  /** Places of the rows. */
  def expected: Seq[(String, FileGroupId)] =
    rows.toSeq.flatMap { case (group, keys) => keys.map(_ -> group) }.sortBy { case (key, group) =>
      (key, group.partition)
    }

  /** A write of base files with these keys.
    *
    * @param changes
    *   as tasks would tell them
    */
  def write(operation: String, files: Seq[(FileGroupId, Seq[String])], changes: Seq[KeyChange],
      replaced: Map[String, Seq[String]] = Map.empty): String = {
    val action = if (replaced.isEmpty) Action.Commit else Action.ReplaceCommit
    commit(action, operation, files, replaced, changes)
  }

  private def commit(action: String, operation: String, files: Seq[(FileGroupId, Seq[String])],
      replaced: Map[String, Seq[String]], changes: Seq[KeyChange]): String = {
    val now = table
    val transaction = Transaction.begin(now, action, operation, options)
    try {
      val stats = files.map { case (group, keys) => file(now, transaction.instant, group, keys) }
      transaction.commit(stats, replaced, assumption = Assumption.Nothing,
        keys = if (tells) Some(told(changes)) else None)
      transaction.instant
    } finally transaction.rollback()
  }

  def told(changes: Seq[KeyChange]): ToldKeys = {
    val out = new ByteArrayOutputStream()
    val notes = new KeyNotes(out)
    changes.foreach(notes.add)
    ToldKeys(Seq(ToldKeys.Sent(out.toByteArray, changes.size.toLong)))
  }

  def file(now: Table, instant: String, group: FileGroupId, keys: Seq[String]): WriteStat = {
    val name = FileNames.baseFile(group.fileId, "0-0-0", instant)
    val before = now.slices(Seq(group.partition)).getOrElse(group.partition, Nil).find(_.groupId == group)
    Partitions.createMetadata(storage, path, group.partition, instant)
    Markers.create(storage, path, instant,
      Marker(s"${group.partition}/$name",
        if (before.isEmpty) Markers.Create else Markers.Merge))
    val bytes = KeyedTable.parquet(keys)
    storage.createNew(s"$path/${group.partition}/$name", bytes)
    WriteStat(group.fileId, s"${group.partition}/$name", before.fold(WriteStat.NoPreviousCommit)(_.instant),
      group.partition, numWrites = keys.size.toLong, numInserts = keys.size.toLong,
      totalWriteBytes = bytes.length.toLong, fileSizeInBytes = bytes.length.toLong)
  }
}

object KeyedTable {

  private val schema = MessageTypeParser.parseMessageType(
    "message row { optional binary _hoodie_record_key (UTF8); optional binary id (UTF8); }")

  /** A base file with these keys. */
  def parquet(keys: Seq[String]): Array[Byte] = {
    val file = new MemoryFile(1024L, "keys")
    val writer = ExampleParquetWriter.builder(file).withType(schema).withConf(new Configuration(false)).build()
    val rows = new SimpleGroupFactory(schema)
    try keys.map(_.split("=", 2)).foreach { row =>
        val made = rows.newGroup().append("_hoodie_record_key", row.head)
        writer.write(row.lift(1).fold(made)(made.append("id", _)))
      }
    finally writer.close()
    file.written((bytes, length) => bytes.take(length))
  }

  def group(partition: String, number: Int): FileGroupId =
    FileGroupId(partition, f"00000000-0000-4000-8000-$number%012d-0")
}
