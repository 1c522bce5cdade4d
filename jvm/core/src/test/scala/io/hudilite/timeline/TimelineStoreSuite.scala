package io.hudilite.timeline

import io.hudilite.config.TableConfig
import io.hudilite.error.{CommitConflict, CommitStateUnknown, CorruptTable}
import io.hudilite.storage.{Caches, ForwardingStorage, MemoryStorage, Storage}
import io.hudilite.timeline.plan.{
  CompactionOperation,
  CompactionPlan,
  InstantName,
  RollbackMetadata,
  RollbackPlan,
  RollbackRequest,
  RolledBackPartition,
  SavepointMetadata
}

import java.nio.charset.StandardCharsets.UTF_8

import munit.FunSuite

class TimelineStoreSuite extends FunSuite {

  private val layouts = Seq(6 -> 1, 9 -> 2)

  private def store(storage: Storage, version: Int, more: (String, String)*): TimelineStore =
    new TimelineStore(storage, "/t",
      TableConfig(Map("hoodie.table.name" -> "t", "hoodie.table.version" -> s"$version",
        "hoodie.table.timeline.timezone" -> "UTC") ++ more))

  private def write(store: TimelineStore, action: String, metadata: CommitMetadata): Instant = {
    val time = store.newInstantTime()
    store.request(time, action)
    store.toInflight(time, action)
    store.complete(time, action, metadata)
  }

  private def insert(schema: String = "", operation: String = "INSERT"): CommitMetadata =
    CommitMetadata(operation, Map("p" -> Seq(WriteStat("f-0", "p/f-0_0-0-0_1.parquet", "null", "p"))),
      Map("schema" -> schema))

  layouts.foreach { case (version, layout) =>
    test(s"a write goes through its three states in version $version") {
      val s = store(new MemoryStorage, version)
      val time = s.newInstantTime()
      s.request(time, Action.Commit)
      assertEquals(s.load().instants.map(_.state), Seq[State](State.Requested))
      s.toInflight(time, Action.Commit)
      assertEquals(s.load().instants.map(_.state), Seq[State](State.Inflight))
      val done = s.complete(time, Action.Commit, insert())
      assertEquals(s.load().instants, Seq(done))
      assertEquals(s.readCommit(done), insert())
      assertEquals(done.completionTime.isDefined, layout == 2)
      assert(done.completionTime.forall(_ > time))
    }

    test(s"compactions and clusterings complete as commits in version $version") {
      val s = store(new MemoryStorage, version)
      write(s, Action.Compaction, insert())
      write(s, Action.Clustering, insert().copy(replaced = Map("p" -> Seq("old-0"))))
      assertEquals(s.load().writes.map(_.action), Seq("commit", "replacecommit"))
      assertEquals(s.load().pending, Nil)
    }

    test(s"a deleted instant is gone with all its files, others stay, in version $version") {
      val storage = new MemoryStorage
      val s = store(storage, version)
      val kept = write(s, Action.DeltaCommit, insert())
      val gone = write(s, Action.Commit, insert())
      s.delete(gone)
      assertEquals(s.load().instants, Seq(kept))
      assertEquals(storage.paths.count(_.contains(gone.time)), 0)
    }
  }

  test("of two writers of one instant the second is refused") {
    val s = store(new MemoryStorage, 9)
    s.request("20260101000000000", Action.Commit)
    val e = intercept[CommitConflict](s.request("20260101000000000", Action.Commit))
    assertEquals((e.condition, e.parameters("instant")), ("INSTANT_TAKEN", "20260101000000000"))
  }

  test("an instant completes once") {
    layouts.foreach { case (version, _) =>
      val s = store(new MemoryStorage, version)
      val done = write(s, Action.Commit, insert())
      assertEquals(intercept[CommitConflict](s.complete(done.time, Action.Commit, insert())).condition, "INSTANT_TAKEN")
    }
  }

  test("an instant that somebody rolled back cannot complete") {
    val s = store(new MemoryStorage, 9)
    val time = s.newInstantTime()
    s.request(time, Action.Commit)
    s.toInflight(time, Action.Commit)
    s.delete(s.load().instants.head)
    assertEquals(intercept[CommitConflict](s.complete(time, Action.Commit, insert())).condition, "INSTANT_REMOVED")
  }

  test("when creating the completed file fails midway the state is unknown, unless the file landed") {
    Seq(true, false).foreach { lands =>
      val memory = new MemoryStorage
      val s = store(new FailingStorage(memory, lands), 9)
      val time = s.newInstantTime()
      s.request(time, Action.Commit)
      s.toInflight(time, Action.Commit)
      if (lands) assert(s.complete(time, Action.Commit, insert()).isCompleted)
      else assertEquals(intercept[CommitStateUnknown](s.complete(time, Action.Commit, insert())).condition,
        "COMMIT_STATE_UNKNOWN")
    }
  }

  test("completed metadata is parsed once, also for another store of the same files") {
    val storage = new MemoryStorage
    val first = store(storage, 9)
    val commits = (1 to 3).map(_ => write(first, Action.Commit, insert()))
    first.readCommits(commits)
    val reads = storage.reads
    assertEquals(store(storage, 9).readCommits(commits.reverse).map(_._1), commits.reverse)
    assertEquals(storage.reads, reads)
  }

  test("loading is one listing and reads no file but the one of the write that completed last, once in a process") {
    val storage = new MemoryStorage
    val s = store(storage, 9)
    (1 to 5).foreach(_ => write(s, Action.Commit, insert()))
    val (listings, reads) = (storage.listings, storage.reads)
    s.load()
    assertEquals((storage.listings - listings, storage.reads - reads), (1, 0), "what was written here is known")
    val elsewhere = new ForwardingStorage(storage) { override val caches: Caches = new Caches }
    for (loads <- 2 to 3) {
      store(elsewhere, 9).load()
      assertEquals((storage.listings - listings, storage.reads - reads), (loads, 1))
    }
  }

  test("a commit that was damaged since this process wrote it is not taken for what it was") {
    val storage = new MemoryStorage
    val s = store(storage, 9)
    write(s, Action.Commit, insert())
    val written = s.load().writes.last
    assertEquals(s.readCommit(written), insert())
    val path = s"${s.folder}/${written.fileName}"
    storage.replace(path, storage.read(path).get.take(40))
    intercept[CorruptTable](s.readCommit(s.load().writes.last))
  }

  test("a legacy JSON commit in the folder of layout 2 is read by its content") {
    val storage = new MemoryStorage
    storage.replace("/t/.hoodie/timeline/20260101000000000.commit", CommitCodec.write(insert("s"), Action.Commit, 1))
    val s = store(storage, 9)
    assertEquals(s.readCommits(s.load().writes).map(_._2), Seq(insert("s")))
  }

  test("the schema is that of the newest write that has one; services and empty ones are passed over") {
    val s = store(new MemoryStorage, 9)
    write(s, Action.Commit, insert("\"old\""))
    write(s, Action.Commit, insert("\"new\""))
    write(s, Action.Commit, insert(""))
    write(s, Action.Compaction, insert("\"planned earlier\"", "COMPACT"))
    assertEquals(s.schema(s.load()).map(_.avroJson), Some("\"new\""))
  }

  test("without a write the schema is that of a service, else that of the table's creation, else none") {
    val created = store(new MemoryStorage, 9, "hoodie.table.create.schema" -> "\"created\"")
    assertEquals(created.schema(created.load()).map(_.avroJson), Some("\"created\""))
    write(created, Action.Compaction, insert("\"compacted\"", "COMPACT"))
    assertEquals(created.schema(created.load()).map(_.avroJson), Some("\"compacted\""))
    assertEquals(store(new MemoryStorage, 9).schema(Timeline.Empty), None)
  }

  test("meta columns inside a recorded schema are stripped") {
    val s = store(new MemoryStorage, 9)
    write(s, Action.Commit,
      insert("""{"type":"record","name":"r","fields":[""" +
        """{"name":"_hoodie_record_key","type":"string"},""" +
        """{"name":"_hoodie_is_deleted","type":"boolean"},{"name":"id","type":"long"}]}"""))
    assertEquals(s.schema(s.load()).map(_.avroJson),
      Some("""{"type":"record","name":"r","fields":[""" +
        """{"name":"_hoodie_is_deleted","type":"boolean"},{"name":"id","type":"long"}]}"""))
  }

  test("a rollback records its plan and what it did") {
    val s = store(new MemoryStorage, 9)
    val plan = RollbackPlan(InstantName("20260101000000000", "commit"), Seq(RollbackRequest("p", Seq("p/x"))))
    val time = s.newInstantTime()
    s.requestRollback(time, plan)
    assertEquals(s.readRollbackPlan(s.load().instants.head), Some(plan))
    s.toInflight(time, Action.Rollback)
    val metadata = RollbackMetadata(time, 1, Seq(plan.target), Seq(RolledBackPartition("p", Seq("p/x"))))
    s.completeRollback(time, metadata)
    assertEquals(s.load().completed.map(s.readRollback), Seq(metadata))
  }

  test("a pending compaction taken back to requested keeps its plan") {
    val s = store(new MemoryStorage, 9)
    val plan = CompactionPlan(Seq(CompactionOperation("p", "f-0", "10", None, Seq(".f-0_10.log.1_0-0-0"))))
    val time = s.newInstantTime()
    s.requestCompaction(time, plan)
    s.toInflight(time, Action.Compaction)
    s.revertToRequested(s.load().instants.head)
    assertEquals(s.load().instants.map(_.state), Seq[State](State.Requested))
    assertEquals(s.pendingCompactions(s.load()).map(_._2), Seq(plan))
  }

  test("a replace commit that is no clustering has no clustering plan") {
    val s = store(new MemoryStorage, 6)
    s.request(s.newInstantTime(), Action.ReplaceCommit)
    assertEquals(s.load().pending.size, 1)
    assertEquals(s.pendingClusterings(s.load()), Nil)
  }

  test("a savepoint stands beside the commit that it saves") {
    val s = store(new MemoryStorage, 9)
    val saved = write(s, Action.Commit, insert())
    val metadata = SavepointMetadata("me", 1L, "", Map("p" -> Seq("f-0_0-0-0_1.parquet")))
    val savepoint = s.savepoint(saved.time, metadata)
    assertEquals(s.load().instants, Seq(saved, savepoint))
    assertEquals(s.readSavepoint(savepoint), metadata)
  }

  test("damaged files name their path") {
    val storage = new MemoryStorage
    storage.replace("/t/.hoodie/timeline/20260101000000000_20260101000000001.commit", "rubbish".getBytes(UTF_8))
    storage.replace("/t/.hoodie/timeline/20260101000000002.compaction.requested", "rubbish".getBytes(UTF_8))
    storage.replace("/t/.hoodie/timeline/history/manifest_1", "rubbish".getBytes(UTF_8))
    val s = store(storage, 9)
    val timeline = s.load()
    assertEquals(intercept[CorruptTable](s.readCommits(timeline.writes)).parameters("path"),
      "/t/.hoodie/timeline/20260101000000000_20260101000000001.commit")
    assertEquals(intercept[CorruptTable](s.pendingCompactions(timeline)).parameters("path"),
      "/t/.hoodie/timeline/20260101000000002.compaction.requested")
    assertEquals(intercept[CorruptTable](s.archivedCompleted()).parameters("path"),
      "/t/.hoodie/timeline/history/manifest_1")
  }

  test("a file of the archive that its manifest lists and that is missing is damage, not absence") {
    val storage = new MemoryStorage
    val folder = "/t/.hoodie/timeline/history"
    val manifest = """{"files":[{"fileName":"1_2_0.parquet","fileLen":9}]}"""
    storage.replace(s"$folder/manifest_1", manifest.getBytes(UTF_8))
    assertEquals(intercept[CorruptTable](store(storage, 9).archivedCompleted()).parameters("path"),
      s"$folder/1_2_0.parquet")
  }

  test("a table without an archive has no archived instants") {
    layouts.foreach { case (version, _) => assertEquals(store(new MemoryStorage, version).archivedCompleted(), Nil) }
  }
}

/** Fails when a completed commit is created, after the file is there or before. */
private final class FailingStorage(storage: Storage, afterwards: Boolean) extends ForwardingStorage(storage) {
  override def createNew(path: String, content: Array[Byte]): Boolean =
    if (!path.endsWith(".commit")) storage.createNew(path, content)
    else {
      if (afterwards) storage.createNew(path, content)
      throw new java.io.IOException("connection reset")
    }
}
