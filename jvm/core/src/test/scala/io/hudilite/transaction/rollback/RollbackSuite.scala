package io.hudilite.transaction.rollback

import io.hudilite.TestTables
import io.hudilite.config.{TableProperties, TableType}
import io.hudilite.filegroup.FileSlice
import io.hudilite.log.{
  BlockInstants,
  BlockKind,
  BlockSelection,
  DeleteBlock,
  DeleteRecord,
  LogBlockWriter,
  LogFileReader,
  OrderingValue
}
import io.hudilite.service.Services
import io.hudilite.storage.{GoldenTables, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.{TextWrites, Transaction}

import munit.FunSuite

/** Files that a rollback deletes, and files that it must not. */
class RollbackSuite extends FunSuite {

  private val path = "/t"

  private def create(version: Int, tableType: TableType = TableType.CopyOnWrite): (MemoryStorage, Table) = {
    val storage = new MemoryStorage()
    (storage, TextWrites.table(storage, path, version, tableType))
  }

  private def data(storage: MemoryStorage): Seq[String] =
    storage.paths.filterNot(p => p.contains("/.hoodie/") || p.endsWith("_metadata"))

  for (version <- Seq(6, 9)) {

    test(s"version $version: markers that name the table, its timeline or what is outside delete nothing") {
      val (storage, table) = create(version)
      storage.replace("/u/x.parquet", Array[Byte](1))
      val before = data(storage)
      val timeline = table.timeline.instants
      val transaction = TextWrites.rewrite.begin(table)
      for (name <- Seq(".marker.CREATE", ".hoodie.marker.CREATE", "p.marker.CREATE", ".hoodie/timeline.marker.CREATE",
          "p/.hoodie_partition_metadata.marker.CREATE"))
        storage.replace(s"${Markers.folder(path, transaction.instant)}/$name", Array.emptyByteArray)
      transaction.rollback()
      assert(transaction.isRolledBack)
      assertEquals(data(storage).toSet, before.toSet)
      assertEquals(table.refresh().timeline.instants.filterNot(_.action == Action.Rollback), timeline)
    }

    test(s"version $version: strays are deleted by names that bear the instant, whatever markers say") {
      val (storage, table) = create(version)
      val before = data(storage)
      val transaction = TextWrites.rewrite.begin(table)
      val old = table.slices(Seq("p"))("p").head.base.get.relativePath
      storage.replace(s"${Markers.folder(path, transaction.instant)}/$old.marker.CREATE", Array.emptyByteArray)
      TextWrites.rewrite.commit(table, transaction)
      assertEquals(data(storage).intersect(before), before)
    }

    test(s"version $version: of a write that completed after all nothing is deleted but its traces") {
      val (storage, table) = create(version)
      val transaction = TextWrites.insert("a-0").begin(table)
      val stat = TestTables.writeFile(table, transaction.instant, "p", "a-0")
      // Somebody else has completed it: an earlier attempt of a client, say, whose answer was lost.
      table.store.complete(transaction.instant, Action.Commit,
        io.hudilite.timeline.CommitMetadata("INSERT", Map("p" -> Seq(stat)), Map.empty))
      transaction.rollback(Seq(stat))
      assert(!transaction.isRolledBack)
      assertEquals(data(storage).count(_.contains("a-0")), 1)
      assertEquals(TestTables.visible(table).count(_.contains("a-0")), 1)
      assertEquals(storage.paths.filter(p => p.contains("/.temp/") || p.contains("/.hudilite/")), Nil)
    }
  }

  test("of a write that completed and was archived since nothing is deleted") {
    val table = archivedTable
    val archived = table.store.archivedCompleted().filter(i => Action.Writes(i.action)).map(_.time).max
    val old = TestTables.writeFile(table, archived, "zz", "a-0")
    assert(!new Rollback(table.store).run(archived, Seq(old.path)))
    assert(table.storage.exists(s"${table.basePath}/${old.path}"))
    val never = (archived.toLong + 1).toString
    val stray = TestTables.writeFile(table, never, "zz", "a-0")
    assert(new Rollback(table.store).run(never, Seq(stray.path)))
    assert(!table.storage.exists(s"${table.basePath}/${stray.path}"), "nobody committed that one")
  }

  private def archivedTable: Table = {
    val (golden, storage, base) = (GoldenTables.storage, new MemoryStorage(), GoldenTables.basePath("archived-v9"))
    golden.paths.filter(_.startsWith(s"$base/")).foreach(p => storage.replace(p, golden.read(p).get))
    Table.load(storage, base, TableProperties.read(storage, base))
  }

  private def block(instant: String, schema: String): Array[Byte] = LogBlockWriter.bytes(BlockKind.Delete,
    LogBlockWriter.headers(6, instant, schema),
    DeleteBlock.encode(Seq(DeleteRecord("k", "p", OrderingValue.CommitTime)), 6))

  private def appended(storage: Storage, file: String, bytes: Array[Byte]): Unit =
    storage.replace(file, storage.read(file).getOrElse(Array.emptyByteArray) ++ bytes)

  private def group(table: Table): FileSlice = table.refresh().slices(Seq("p"))("p").head

  /** Instants of the blocks that a reader merges. */
  private def merged(table: Table): Seq[String] = {
    val now = table.refresh()
    val blocks = group(table).logs.flatMap(l => LogFileReader.blocks(now.storage, s"$path/${l.relativePath}", l.length))
    BlockSelection.select(blocks,
      BlockInstants(6, None, now.timeline.writes.map(_.time).toSet, now.timeline.firstWriteInstant.map(_.time)))
      .map(_.instant)
  }

  test("version 6: a log file with blocks of another write stays, and a command takes back those of the instant") {
    val (storage, table) = create(6, TableType.MergeOnRead)
    val failed = TextWrites.append.begin(table)
    val file = s"$path/${TestTables.appendLog(table, failed.instant, group(table)).path}"
    // Another program appends to the newest log file of the slice, as Hudi does where files can be appended to.
    val other = table.store.newInstantTime(table.refresh().timeline.lastTime.get)
    appended(storage, file, block(other, TestTables.schema))
    table.store.request(other, Action.DeltaCommit)
    table.store.toInflight(other, Action.DeltaCommit)
    table.store.complete(other, Action.DeltaCommit, io.hudilite.timeline.CommitMetadata("UPSERT", Map.empty, Map.empty))
    failed.rollback()
    assert(storage.exists(file))
    assertEquals(merged(table), Seq(other))
    val rollback = table.refresh().timeline.completed.find(_.action == Action.Rollback).get
    assertEquals(table.store.readRollback(rollback).partitions.map(_.rollbackLogFiles.size), Seq(1))
    assertEquals(table.store.readRollback(rollback).partitions.flatMap(_.deleted), Nil)
  }

  test("version 6: a log file with blocks of the instant alone, or with the beginning of one, is deleted") {
    for (cut <- Seq(0, 1, 7, 40)) {
      val (storage, table) = create(6, TableType.MergeOnRead)
      val failed = TextWrites.append.begin(table)
      val file = s"$path/${TestTables.appendLog(table, failed.instant, group(table)).path}"
      val whole = storage.read(file).get
      storage.replace(file, if (cut == 0) whole ++ whole else whole.take(cut))
      failed.rollback()
      assert(!storage.exists(file), s"cut at $cut")
    }
  }

  test("version 6: a marker of ours that names a log file of another write does not delete it") {
    val (storage, table) = create(6, TableType.MergeOnRead)
    TextWrites.append.run(table)
    val theirs = group(table.refresh()).logs.head
    val failed = TextWrites.append.begin(table.refresh())
    Markers.create(storage, path, failed.instant, Marker(theirs.relativePath, Markers.Append))
    failed.rollback()
    assert(storage.exists(s"$path/${theirs.relativePath}"))
    assertEquals(merged(table), Seq(table.refresh().timeline.writes.last.time))
  }

  test("version 6: a commit whose own stray lies in one file with another write's blocks is refused") {
    val (storage, table) = create(6, TableType.MergeOnRead)
    val transaction = TextWrites.append.begin(table)
    val lost = TestTables.appendLog(table, transaction.instant, group(table))
    appended(storage, s"$path/${lost.path}", block("20260101000000000", TestTables.schema))
    val stat = TestTables.appendLog(table, transaction.instant, group(table), attempt = 1)
    val error = intercept[io.hudilite.error.CommitConflict](transaction.commit(Seq(stat)))
    assert(error.parameters("reason").contains(lost.path), error.getMessage)
    transaction.rollback()
  }

  test("a rollback that was requested without a plan stands against no commit") {
    val (storage, table) = create(9)
    val transaction = TextWrites.rewrite.begin(table)
    storage.createNew(s"${table.store.folder}/99980101000000000.rollback.requested", Array.emptyByteArray)
    TextWrites.rewrite.commit(table, transaction)
    assertEquals(table.refresh().timeline.writes.size, 2)
  }

  test("a compaction that is taken back keeps its plan, and its permit is gone") {
    val (storage, table) = create(9, TableType.MergeOnRead)
    TextWrites.append.run(table)
    val plan = io.hudilite.service.compact.CompactionScheduler.schedule(table.refresh(),
      Services.of().compaction).get.instant.get
    val now = table.refresh()
    val running = Transaction.resume(now, now.timeline.pendingCompactions.head, "COMPACT")
    assert(running.permit.isValid(storage, path))
    TestTables.writeFile(now, plan, "p", "g-0", Some(group(table).instant))
    running.rollback()
    assertEquals(running.permit.isValid(storage, path), false)
    assertEquals(data(storage).filter(_.contains(s"_$plan.parquet")), Nil)
    assertEquals(table.refresh().timeline.pendingCompactions.map(i => (i.time, i.state.name)), Seq((plan, "REQUESTED")))
  }
}
