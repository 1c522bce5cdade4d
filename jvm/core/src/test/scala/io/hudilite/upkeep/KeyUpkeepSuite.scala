package io.hudilite.upkeep

import io.hudilite.config.{IndexOptions, IndexesConf, KeyIndexConf, TableKeys, TableProperties}
import io.hudilite.error.{CommitConflict, InvalidInput, UnsupportedTable}
import io.hudilite.metadata.{IndexDefinitions, MetadataInstants, MetadataPartition}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.service.{Services, TextServices}
import io.hudilite.service.archive.Archiver
import io.hudilite.service.partition.PartitionDrops
import io.hudilite.service.undo.{Restores, Rollbacks, Savepoints}
import io.hudilite.storage.{CountingStorage, ForwardingStorage, MemoryStorage, OpenFile, Storage}
import io.hudilite.table.MetadataUse
import io.hudilite.timeline.{Action, CommitMetadata}
import io.hudilite.transaction.{Assumption, MetadataTablePolicy, Transaction, TransactionOptions}
import io.hudilite.transaction.named.{NamedIndexes, NamedKeys}
import io.hudilite.transaction.rollback.ForeignWrites

import java.util.UUID
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

import scala.util.Random

/** Record indexes that hudilite keeps up, beside the keys in the files of the table. */
class KeyUpkeepSuite extends FunSuite with KeyChecks {

  import KeyedTable.group

  private def memory(): Storage = {
    val time = new AtomicLong(1767225600000L)
    new MemoryStorage(() => time.addAndGet(10))
  }

  private def keyed(version: Int, isPartitioned: Boolean, tells: Boolean, deltas: Int = 10, storage: Storage = memory())
      : KeyedTable = new KeyedTable(storage, "/t", version, isPartitioned, tells, deltas).create()

  private val odd = Seq("é\uD83D\uDE00", "\uFFFD", "a/b", "A", "a", "x" * 200)

  for {
    (version, isPartitioned) <- Seq(6 -> false, 8 -> false, 9 -> false, 9 -> true)
    tells <- Seq(true, false)
    kind = s"version $version${if (isPartitioned) " by partition" else ""}, keys ${if (tells) "told" else "read"}"
  } {
    val (p1, p2, q1) = (group("p", 1), group("p", 2), group("q-1_x/v=1 é", 1))

    test(s"$kind: each action leaves a place for each row, and no other") {
      val table = keyed(version, isPartitioned, tells, deltas = 3)
      assertWhole(table, "an empty table")
      table.write("INSERT", Seq(p1 -> Seq("a", "b", "c"), q1 -> Seq("q", "r")),
        come(p1, "a", "b", "c") ++ come(q1, "q", "r"))
      assertWhole(table, "an insert")
      table.write("UPSERT", Seq(p1 -> Seq("a", "b", "c"), p2 -> Seq("d")), come(p2, "d"))
      assertWhole(table, "an upsert")
      table.write("DELETE", Seq(p1 -> Seq("b", "c")), leave("p", "a"))
      assertWhole(table, "a deletion")
      table.write("UPSERT", Seq(p1 -> Seq("c"), q1 -> Seq("b", "q", "r")), leave("p", "b") ++ come(q1, "b"))
      assertWhole(table, "a move")
      table.write("INSERT", Seq(group("p", 3) -> odd), come(group("p", 3), odd: _*))
      assertWhole(table, "odd keys")
      table.write(CommitMetadata.Cluster, Seq(group("p", 4) -> (Seq("c", "d") ++ odd)),
        come(group("p", 4), Seq("c", "d") ++ odd: _*), Map("p" -> Seq(p1, p2, group("p", 3)).map(_.fileId)))
      assertWhole(table, "a clustering")
      table.write("INSERT_OVERWRITE", Seq(group("p", 5) -> Seq("c", "n")), come(group("p", 5), "c", "n"),
        Map("p" -> Seq(group("p", 4).fileId)))
      assertWhole(table, "an overwrite")
      PartitionDrops.run(table.table, Seq(q1.partition), table.options)
      assertWhole(table, "a dropped partition")
      table.write("UPSERT", Seq(group("p", 5) -> Seq("n")), leave("p", "c"))
      table.write("UPSERT", Seq(group("p", 5) -> Seq("c", "n")), come(group("p", 5), "c"))
      assertWhole(table, "a key that comes back")
      assert(table.kept.home.timeline.completed.exists(_.action == Action.Commit), "it was compacted")
    }

    test(s"$kind: a write that dies with its record index written leaves none of it") {
      val table = keyed(version, isPartitioned, tells)
      table.write("INSERT", Seq(p1 -> Seq("a", "b")), come(p1, "a", "b"))
      val (files, before) = (table.kept.files, table.places)
      val now = table.table
      val transaction = Transaction.begin(now, Action.Commit, "UPSERT", table.options)
      val stats = Seq(table.file(now, transaction.instant, group("p", 7), Seq("x")))
      val commit = CommitMetadata("UPSERT", stats.groupBy(_.partitionPath), Map.empty)
      val keys = KeyWork(if (tells) Some(table.told(come(group("p", 7), "x"))) else None)
      def dying(): Unit =
        new ActionUpkeep(table.kept.home, table.table.timeline, _ => (), keys).written(transaction.instant, commit,
          now, None)
      dying()
      assertEquals(table.places, before)
      dying() // it is tried again
      assertNotEquals(table.kept.files, files)
      transaction.rollback()
      assertEquals(table.kept.files.filter(_.contains("record_index")), files.filter(_.contains("record_index")))
      assertWhole(table, "the rollback")
    }

    test(s"$kind: rolled back and restored, it is made anew of the rows that are there") {
      val table = keyed(version, isPartitioned, tells)
      table.write("INSERT", Seq(p1 -> Seq("a", "b")), come(p1, "a", "b"))
      val saved = table.table.timeline.writes.last.time
      Savepoints.create(table.table, Some(saved), "", "", table.options)
      table.write("UPSERT", Seq(p1 -> Seq("a", "b"), q1 -> Seq("c")), come(q1, "c"))
      table.write("DELETE", Seq(p1 -> Seq("a")), leave("p", "b"))
      Rollbacks.run(table.table, None, table.options)
      assertWhole(table, "a rollback")
      Restores.run(table.table, saved, table.options)
      assertWhole(table, "a restore")
      table.write("UPSERT", Seq(p1 -> Seq("a", "b", "z")), come(p1, "z"))
      assertWhole(table, "a write after it")
    }

    test(s"$kind: a table that is there gets its index of the keys in its files") {
      val storage = memory()
      val plain = new KeyedTable(storage, "/t", version, isPartitioned, tells)
      plain.create()
      MetadataTablePolicy.clear(storage, "/t", plain.table.config)
      val without = plain.options.copy(indexes = IndexesConf())
      val transaction = Transaction.begin(plain.table, Action.Commit, "INSERT", without)
      transaction.commit(Seq(p1 -> odd, q1 -> Seq("1", "2")).map { case (g, keys) =>
          plain.file(plain.table, transaction.instant, g, keys)
        }, assumption = Assumption.Nothing)
      assertEquals(plain.kept.partitions, Nil)
      plain.write("UPSERT", Seq(q1 -> Seq("1", "2", "3")), come(q1, "3"))
      assertWhole(plain, "made beside a write")
      val base = plain.kept.files.filter(f => f.contains("record_index") && f.endsWith(".hfile"))
      assertEquals(base.size, if (isPartitioned) 4 else 2, plain.kept.files)
    }
  }

  test("a key that leaves a partition where it no longer is keeps its place") {
    for (version <- Seq(6, 8, 9); tells <- Seq(true, false)) {
      val (p1, q1) = (group("p", 1), group("q", 1))
      val table = keyed(version, isPartitioned = false, tells)
      table.write("INSERT", Seq(p1 -> Seq("a", "b")), come(p1, "a", "b"))
      // The row of `a` in `p` stays in its file, as one that a log file deletes does.
      table.write("INSERT", Seq(q1 -> Seq("a")), come(q1, "a"))
      PartitionDrops.run(table.table, Seq("p"), table.options)
      assertEquals(table.places, Seq("a" -> q1))
    }
  }

  test("an update alone writes nothing to the record index, and a compaction neither") {
    val table = keyed(9, isPartitioned = false, tells = true)
    table.write("INSERT", Seq(group("p", 1) -> Seq("a", "b")), come(group("p", 1), "a", "b"))
    def ofKeys: Seq[String] = table.kept.files.filter(_.contains("/record_index/"))
    val before = ofKeys
    table.write("UPSERT", Seq(group("p", 1) -> Seq("a", "b")), Nil)
    assertEquals(ofKeys, before)
    val read = new KeyedTable(table.storage, "/t", 9, isPartitioned = false, tells = false)
    read.write("UPSERT", Seq(group("p", 1) -> Seq("a", "b")), Nil)
    assertEquals(ofKeys, before)
  }

  test("an insert of one key writes one file of the index, and opens none of the table's") {
    val counting = new CountingStorage(memory())
    val table = keyed(9, isPartitioned = false, tells = true, storage = counting)
    table.write("INSERT", Seq(group("p", 1) -> Seq("a", "b")), come(group("p", 1), "a", "b"))
    val (_, calls) = counting.during(table.write("INSERT", Seq(group("p", 2) -> Seq("c")), come(group("p", 2), "c")))
    assertEquals(calls.paths("put").count(_.contains("/record_index/")), 1, calls.details)
    assert(!calls.paths("get").exists(_.endsWith(".parquet")), calls.details)
  }

  test("new keys on top of a base file are counted by its filter, and its blocks are left alone") {
    var taken = 0L
    val counting = new ForwardingStorage(memory()) {
      override def open(path: String): OpenFile = {
        val file = super.open(path)
        new OpenFile {
          override def readFully(position: Long, target: Array[Byte]): Unit = {
            if (path.endsWith(".hfile")) taken += target.length.toLong
            file.readFully(position, target)
          }
          override def close(): Unit = file.close()
        }
      }
    }
    val table = keyed(9, isPartitioned = false, tells = true, deltas = 2, storage = counting)
    def add(number: Int, count: Int): Unit = {
      val random = new Random(number.toLong)
      val keys = (0 until count).map(_ => new UUID(random.nextLong(), random.nextLong()).toString)
      val _ = table.write("INSERT", Seq(group("p", number) -> keys), come(group("p", number), keys: _*))
    }
    add(1, 40000)
    (2 to 4).foreach(add(_, 20))
    val index = table.table.readingMetadata(MetadataUse(isAsked = true)).recordIndex.fold(fail(_), identity)
    val bases = index.shards.slices.flatMap(_.base).map(_.length).sum
    assert(bases > 1000000 && index.shards.slices.forall(_.logs.nonEmpty), index.shards.slices.toString)
    taken = 0L
    assertEquals(index.entries, Right(40060L))
    assert(taken < bases / 2, s"$taken of $bases")
  }

  test("a write that asks for no metadata table is refused while the index would go, and drops it when told so") {
    val table = keyed(9, isPartitioned = false, tells = true)
    table.write("INSERT", Seq(group("p", 1) -> Seq("a")), come(group("p", 1), "a"))
    val without = table.options.copy(keepsMetadata = Some(false), indexes = IndexesConf())
    val error = intercept[UnsupportedTable](
      Transaction.begin(table.table, Action.Commit, "INSERT", without))
    assertEquals(error.condition, "METADATA_TABLE_LOST")
    Transaction.begin(table.table, Action.Commit, "INSERT",
      without.copy(metadata = MetadataTablePolicy.DropAll)).rollback()
    assertEquals(table.kept.partitions, Nil)
  }

  test("an index of the other kind is refused, and one that the table cannot have") {
    def refused(table: KeyedTable, asked: IndexesConf): String = {
      val error = intercept[InvalidInput](
        Transaction.begin(table.table, Action.Commit, "INSERT", TransactionOptions(indexes = asked)))
      assertEquals(error.condition, "INVALID_OPTION_VALUE")
      error.parameters("option")
    }
    val asked = KeyIndexConf(Some(true), 1, 1)
    val global = IndexesConf(keys = asked)
    val local = IndexesConf(partitionKeys = asked)
    assertEquals(refused(keyed(9, isPartitioned = true, tells = true), global), IndexOptions.Keys.name)
    assertEquals(refused(keyed(9, isPartitioned = false, tells = true), local), IndexOptions.PartitionKeys.name)
    assertEquals(refused(keyed(8, isPartitioned = false, tells = true), local), IndexOptions.PartitionKeys.name)
    assertEquals(intercept[InvalidInput](IndexOptions.of(Map(IndexOptions.Keys.name -> "true",
            IndexOptions.PartitionKeys.name -> "true"))).condition, "INVALID_OPTION_VALUE")
  }

  test("a write that wants no record index removes it where that may go") {
    val table = keyed(9, isPartitioned = false, tells = true)
    val unwanted = TransactionOptions(indexes = IndexesConf(keys = KeyIndexConf(Some(false), 1, 1)))
    assertEquals(intercept[UnsupportedTable](Transaction.begin(table.table, Action.Commit, "INSERT",
          unwanted)).condition,
      "METADATA_TABLE_LOST")
    Transaction.begin(table.table, Action.Commit, "INSERT",
      unwanted.copy(metadata = MetadataTablePolicy.DropAll)).rollback()
    assertEquals(table.kept.partitions, Seq("files"))
    assertEquals(table.kept.files.filter(_.contains("record_index")), Nil)
  }

  for ((version, isPartitioned) <- Seq(6 -> false, 9 -> false, 9 -> true))
    test(
      s"version $version${if (isPartitioned) " by partition" else ""}: a statement makes the index of the rows, once") {
      val table = keyed(version, isPartitioned, tells = true)
      table.write("INSERT", Seq(group("p", 1) -> Seq("a", "b")), come(group("p", 1), "a", "b"))
      assert(NamedIndexes.drop(table.table, "record_index", TransactionOptions()))
      assertEquals(table.kept.partitions, Seq("files"))
      val columns = table.table.config.recordKeyFields
      def refused(columns: Seq[String], options: TransactionOptions, byBuckets: Boolean = false): String = {
        val error = intercept[InvalidInput](NamedKeys.create(table.table, columns, options, byBuckets))
        assertEquals(error.condition, "STATEMENT_NOT_SUPPORTED")
        error.parameters("reason")
      }
      assert(refused(columns :+ "ts", table.options).startsWith(
          s"it is of the record key, ${columns.mkString(", ")}, and"))
      assert(refused(columns, table.options.copy(keepsMetadata = Some(false))).contains("hoodie.metadata.enable"))
      assert(refused(columns, TransactionOptions(indexes = IndexesConf(keys = KeyIndexConf(Some(false), 1, 1))))
          .contains("next write removes it"))
      assertEquals(table.kept.partitions, Seq("files"), "nothing is changed before")
      NamedKeys.create(table.table, columns.reverse, table.options, byBuckets = false)
      assertWhole(table, "a statement")
      table.write("UPSERT", Seq(group("p", 1) -> Seq("a", "b"), group("p", 2) -> Seq("d")), come(group("p", 2), "d"))
      assertWhole(table, "an upsert")
      assert(refused(columns, table.options).contains("has one by now"))
    }

  test("places that an index was made with stay when its timeline is archived") {
    val q1 = group("q-1_x/v=1 é", 1)
    for (isPartitioned <- Seq(false, true)) {
      val table = keyed(9, isPartitioned, tells = true, deltas = 5)
      table.write("INSERT", Seq(q1 -> Seq("1", "2")), come(q1, "1", "2"))
      NamedIndexes.drop(table.table, "record_index", table.options)
      NamedKeys.create(table.table, table.table.config.recordKeyFields, table.options, byBuckets = false)
      for (_ <- 1 to 40) {
        table.write("UPSERT", Seq(q1 -> Seq("1", "2")), Nil)
        TextServices.clean(table.table, table.options)
        new Archiver(table.table, Services.of().archiving.copy(minCommits = 4, maxCommits = 8)).runIfDue()
      }
      assert(table.kept.home.store.archivedCompleted().exists(i => MetadataInstants.isInitial(i.time)))
      assertWhole(table, "an archiving")
    }
  }

  test("an index is not made while a write of another program goes on, which would tell it nothing") {
    val table = keyed(9, isPartitioned = false, tells = true)
    val beside = table.options.copy(foreignWrites = ForeignWrites.Beside)
    NamedIndexes.drop(table.table, "record_index", beside)
    val store = table.table.store
    val theirs = store.newInstantTime("")
    store.request(theirs, Action.Commit)
    store.toInflight(theirs, Action.Commit)
    table.storage.replace(s"/t/.hoodie/.heartbeat/$theirs", Array.emptyByteArray)
    def create(): Unit = NamedKeys.create(table.table, table.table.config.recordKeyFields, beside, byBuckets = false)
    val error = intercept[CommitConflict](create())
    assertEquals((error.condition, error.parameters("instant")), ("WRITE_PENDING", theirs))
    Transaction.begin(table.table, Action.Commit, "UPSERT", beside).rollback()
    assertEquals(table.kept.partitions, Seq("files"))
    store.delete(table.table.timeline.pending.find(_.time == theirs).get)
    create()
    assertWhole(table, "it has ended")
  }

  test("the definition says if the index is by partition, and others stay as they are") {
    for (isPartitioned <- Seq(false, true)) {
      val table = keyed(9, isPartitioned, tells = true)
      val now = table.table
      val defined = new MetadataTable(now.store, now.timeline).definitions(MetadataPartition.RecordIndex.name)
      assertEquals((defined.kind, defined.isPartitioned, defined.version, defined.columns),
        ("record_index", isPartitioned, Some("V1"), Nil))
      assertEquals(TableProperties.read(table.storage, "/t").properties.get(TableKeys.IndexDefinitionsPath),
        Some(IndexDefinitions.Path))
    }
  }
}
