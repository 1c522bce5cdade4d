package io.hudilite

import io.hudilite.config.{TableDefinition, TableType}
import io.hudilite.filegroup.{FileNames, FileSlice, Partitions}
import io.hudilite.log.{BlockKind, DeleteBlock, DeleteRecord, LogBlockWriter, OrderingValue}
import io.hudilite.storage.{Caches, ForwardingStorage, HadoopStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, WriteStat}
import io.hudilite.transaction.{Assumption, Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.{Marker, Markers}

import java.nio.charset.StandardCharsets
import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

/** Small tables on the local disk, for code that looks into the footers of their data files at most. */
object TestTables {

  val storage: Storage = new HadoopStorage(new Configuration())
  val schema: String = """{"type":"record","name":"t_record","fields":[{"name":"id","type":"string"}]}"""

  def create(version: Int): Table = create(storage, Files.createTempDirectory("hudilite-table").toString, version)

  def create(storage: Storage, basePath: String, version: Int): Table =
    create(storage, basePath, version, TableType.CopyOnWrite)

  def createMergeOnRead(version: Int): Table =
    create(storage, Files.createTempDirectory("hudilite-table").toString, version, TableType.MergeOnRead)

  def create(storage: Storage, basePath: String, version: Int, tableType: TableType): Table =
    Table.create(storage, basePath,
      TableDefinition("t", Seq("id"), Seq("p"), version = version, tableType = tableType, createSchema = Some(schema)))

  /** One delta commit that appends a log file to each of these slices (partition, file id, base instant). */
  def log(table: Table, slices: (String, String, String)*): Instant = log(table, "UPSERT", slices: _*)

  /** One delta commit of this operation that appends a log file to each of these slices. */
  def log(table: Table, operation: String, slices: (String, String, String)*): Instant = {
    val now = table.refresh()
    val transaction = Transaction.begin(now, Action.DeltaCommit, operation)
    transaction.commit(slices.map { case (partition, id, base) =>
      logFile(now, transaction.instant, partition, id, base)
    })
  }

  /** One delta commit to the slice. Its log file then gets the name that an upgrade by Apache Hudi leaves to one of
    * version 6, with the instant of the slice. [[elsewhere]] sees it.
    *
    * @return
    *   the name
    */
  def upgradedLog(table: Table, partition: String, fileId: String, base: String, version: Int): String = {
    val write = log(table, (partition, fileId, base))
    val name = FileNames.logFile(fileId, write.time, 1, "0-0-0")
    val older = FileNames.logFile(fileId, base, version, "0-0-0")
    val commit = s"${table.basePath}/.hoodie/timeline/${write.time}_${write.completionTime.get}.${write.action}"
    // The texts of an Avro file lie there as they are.
    val content = new String(storage.read(commit).get, StandardCharsets.ISO_8859_1)
    require(name.length == older.length && content.contains(name))
    storage.replace(commit, content.replace(name, older).getBytes(StandardCharsets.ISO_8859_1))
    val folder = s"${table.basePath}/$partition"
    storage.createNew(s"$folder/$older", storage.read(s"$folder/$name").get)
    storage.delete(s"$folder/$name")
    older
  }

  /** The table in a process that knows nothing of it yet. */
  def elsewhere(table: Table): Table =
    Table.open(new ForwardingStorage(storage) { override val caches: Caches = new Caches }, table.basePath)

  private def logFile(table: Table, instant: String, partition: String, fileId: String, base: String): WriteStat = {
    val time = if (table.config.layout == 1) base else instant
    val taken = table.storage.list(s"${table.basePath}/$partition").flatMap(f => FileNames.parseLogFile(f.name))
    val version = taken.filter(n => n.fileId == fileId && n.time == time).map(_.version).foldLeft(0)(_ max _) + 1
    val name = FileNames.logFile(fileId, time, version, "0-0-0")
    val bytes = s"log of $instant".getBytes(StandardCharsets.UTF_8)
    table.storage.createNew(s"${table.basePath}/$partition/$name", bytes)
    WriteStat(fileId, s"$partition/$name", base, partition, numWrites = 1, numUpdateWrites = 1,
      totalWriteBytes = bytes.length.toLong, fileSizeInBytes = bytes.length.toLong, logFiles = Seq(name))
  }

  /** Writes one log file with a delete in it, as a task does: marker and file, before version 8 the other way round.
    *
    * @param attempt
    *   task attempt, which makes another file
    */
  def appendLog(table: Table, instant: String, slice: FileSlice, attempt: Int = 0): WriteStat = {
    val storage = table.storage
    val byInstant = table.config.version >= 8
    val number = if (byInstant) 1 else slice.logs.map(_.version).foldLeft(0)(_ max _) + 1 + attempt
    val name = FileNames.logFile(slice.fileId, if (byInstant) instant else slice.instant, number, s"0-0-$attempt")
    val path = s"${table.basePath}/${slice.partition}/$name"
    val content = DeleteBlock.encode(Seq(DeleteRecord("k", slice.partition, OrderingValue.CommitTime)), 9)
    val block = LogBlockWriter.bytes(BlockKind.Delete, LogBlockWriter.headers(9, instant, schema), content)
    if (!byInstant) storage.createNew(path, Array.emptyByteArray)
    val ioType = if (byInstant) Markers.Create else Markers.Append
    val marker = Marker(s"${slice.partition}/$name", ioType)
    try Markers.create(storage, table.basePath, instant, marker)
    catch { case e: Throwable => Markers.discard(storage, table.basePath, instant, marker); throw e }
    storage.replace(path, block)
    WriteStat(slice.fileId, s"${slice.partition}/$name", slice.instant, slice.partition, numDeletes = 1,
      totalWriteBytes = block.length.toLong, fileSizeInBytes = block.length.toLong,
      baseFile = slice.base.filterNot(_ => byInstant).map(_.name), logFiles = Seq(name), logVersion = number)
  }

  /** Writes one data file, as a task does: partition marker, write marker, file, stat.
    *
    * @param attempt
    *   task attempt, which makes another file
    */
  def writeFile(table: Table, instant: String, partition: String, fileId: String,
      previous: Option[String] = None, attempt: Int = 0): WriteStat = {
    val storage = table.storage
    val name = FileNames.baseFile(fileId, s"0-0-$attempt", instant)
    val bytes = TestParquet.of(instant)
    Partitions.createMetadata(storage, table.basePath, partition, instant)
    val ioType = if (previous.isEmpty) Markers.Create else Markers.Merge
    Markers.create(storage, table.basePath, instant, Marker(s"$partition/$name", ioType))
    storage.createNew(s"${table.basePath}/$partition/$name", bytes)
    WriteStat(fileId, s"$partition/$name", previous.getOrElse(WriteStat.NoPreviousCommit), partition, numWrites = 1,
      numInserts = 1, totalWriteBytes = bytes.length.toLong, fileSizeInBytes = bytes.length.toLong)
  }

  /** One committed write of these (partition, file id). */
  def write(table: Table, files: (String, String)*): Instant = {
    val transaction = begin(table)
    transaction.commit(files.map { case (partition, id) => writeFile(table, transaction.instant, partition, id) },
      assumption = Assumption.Nothing)
  }

  def begin(table: Table, options: TransactionOptions = TransactionOptions()): Transaction =
    Transaction.begin(table, Action.Commit, "UPSERT", options)

  /** `partition/file id@instant` of every slice that a reader sees. */
  def visible(table: Table): Seq[String] =
    table.refresh().allSlices().values.flatten.map(s => s"${s.partition}/${s.fileId}@${s.instant}").toList.sorted

  /** Every file below the table, relative, without checksums and the lock file. */
  def files(table: Table): Set[String] = {
    val base = Path.of(table.basePath)
    val stream = Files.walk(base)
    try stream.iterator().asScala.filter(Files.isRegularFile(_)).map(base.relativize(_).toString)
        .filterNot(f => f.endsWith(".crc") || f.endsWith(".hudilite.lock")).toSet
    finally stream.close()
  }
}
