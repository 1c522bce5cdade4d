package io.hudilite.service.doctor

import io.hudilite.{GoldenFolder, TestTables}
import io.hudilite.codec.avro.AvroFile
import io.hudilite.error.{CorruptTable, InvalidInput}
import io.hudilite.service.{StoredTables, TextServices}
import io.hudilite.service.undo.Savepoints
import io.hudilite.storage.MemoryStorage
import io.hudilite.timeline._
import io.hudilite.timeline.plan.{CompactionPlan, InstantName, RestorePlan, RollbackPlan}
import io.hudilite.transaction.{Processes, TextWrites, TransactionOptions}
import io.hudilite.transaction.rollback.{ForeignWrites, Heartbeat, Markers, OwnerFile}

import org.apache.avro.Schema
import org.apache.avro.generic.GenericData

/** Findings and mends of the doctor in tables in memory whose data files hold text. */
class DoctorSuite extends StoredTables {

  // A process of this machine that is not there any more.
  private val gone = Processes.gone()

  private def versions(name: String)(body: (Int, MemoryStorage) => Unit): Unit = versions(6, 9)(name)(body)

  private def doctor(storage: MemoryStorage, options: TransactionOptions = TransactionOptions()): Doctor =
    new Doctor(storage, path, options, TextServices.deleting)

  private def kinds(found: Seq[Finding]): Seq[String] = found.map(_.kind.name)

  private def later(): Unit = now += Heartbeat.ExpiryMs + 1000L

  private def data(storage: MemoryStorage): Seq[String] = storage.paths.filterNot(_.contains("/.hoodie/"))

  private def instant(storage: MemoryStorage): String = {
    val all = table(storage)
    all.store.newInstantTime(all.timeline.lastTime.getOrElse(""))
  }

  /** Finds just this kind, changes nothing without being asked to, and mends it: nothing is found after that. */
  private def mends(storage: MemoryStorage, kind: FindingKind): Finding = {
    val before = storage.paths
    val found = doctor(storage).run(fix = false)
    assertEquals(kinds(found), Seq(kind.name), found)
    assertEquals(storage.paths, before)
    assertEquals(doctor(storage).run(fix = true).map(f => (f.kind, f.isMended)), Seq((kind, true)))
    assertEquals(doctor(storage).run(fix = false), Nil)
    found.head
  }

  /** Finds just this kind, and leaves it to the user. */
  private def leaves(storage: MemoryStorage, kind: FindingKind): Finding = {
    val before = storage.paths
    val found = doctor(storage).run(fix = true)
    assertEquals(found.map(f => (f.kind, f.isMended)), Seq((kind, false)), found)
    assert(found.head.reason.nonEmpty)
    assertEquals(storage.paths.filterNot(_.contains("/.hudilite/")), before.filterNot(_.contains("/.hudilite/")))
    found.head
  }

  versions("a table without faults is told so with one look at each file of the timeline and each folder") {
    (_, storage) =>
      later()
      val files = storage.list(table(storage).store.folder).count(!_.isDirectory)
      val (listings, reads, paths) = (storage.listings, storage.reads, storage.paths)
      assertEquals(doctor(storage).run(fix = true), Nil)
      assertEquals(storage.paths, paths)
      // Properties and traces beside the timeline and the partition.
      assert(storage.listings - listings <= 10, storage.listings - listings)
      assert(storage.reads - reads <= files + 8, storage.reads - reads)
  }

  test("nothing is wrong with tables of Apache Hudi but writes that it announced and never began") {
    for (name <- GoldenFolder.names if name.endsWith("-v6") || name.endsWith("-v9")) {
      val all = new Doctor(TestTables.storage, GoldenFolder.table(name), TransactionOptions(), TextServices.deleting)
      assertEquals(kinds(all.run(fix = false)), if (name.startsWith("unbegun")) Seq("DEAD_WRITER") else Nil, name)
    }
  }

  versions("a writer at work is not called dead, and nothing of its is touched") { (_, storage) =>
    val running = TextWrites.append.begin(table(storage))
    val stats = TextWrites.append.stage(table(storage), running.instant)
    later()
    val before = storage.paths
    assertEquals(doctor(storage).run(fix = true), Nil)
    assertEquals(storage.paths, before)
    running.commit(stats)
    assertEquals(doctor(storage).run(fix = true), Nil)
  }

  versions("the write of a process that is gone is rolled back") { (_, storage) =>
    val before = data(storage)
    val dead = TextWrites.rewrite.begin(table(storage), TransactionOptions(process = gone))
    TextWrites.rewrite.stage(table(storage), dead.instant)
    val found = mends(storage, FindingKind.DeadWriter)
    assertEquals(found.subject, dead.instant)
    assertEquals(data(storage), before)
  }

  versions("another program's write goes when its heartbeat is lost, or when writers are told to expect no other") {
    (version, storage) =>
      def foreign(): String = {
        val time = instant(storage)
        table(storage).store.request(time, Action.Commit)
        table(storage).store.toInflight(time, Action.Commit)
        TestTables.writeFile(table(storage), time, "p", "theirs-0")
        time
      }
      val before = data(storage)
      val beating = foreign()
      storage.replace(s"${WriteFolders.heartbeats(path)}/$beating", Array.emptyByteArray)
      assertEquals(doctor(storage).run(fix = true), Nil)
      later()
      mends(storage, FindingKind.DeadWriter)
      foreign()
      later()
      assert(leaves(storage, FindingKind.UnknownWriter).what.contains("heartbeat"))
      val eager = doctor(storage, TransactionOptions(foreignWrites = ForeignWrites.All)).run(fix = true)
      assertEquals(eager.map(f => (f.kind: FindingKind, f.isMended)), Seq((FindingKind.DeadWriter: FindingKind, true)))
      assertEquals(data(storage), before)
      assertEquals(table(storage).timeline.pendingWrites, Nil)
  }

  versions("a compaction that nobody runs becomes a plan again") { (_, storage) =>
    val time = instant(storage)
    val store = table(storage).store
    store.requestCompaction(time, CompactionPlan(Nil))
    later()
    assertEquals(doctor(storage).run(fix = true), Nil, "what is only planned is nobody's")
    store.toInflight(time, Action.Compaction)
    storage.replace(s"${WriteFolders.heartbeats(path)}/$time", Array.emptyByteArray)
    assertEquals(doctor(storage).run(fix = true), Nil)
    later()
    mends(storage, FindingKind.DeadWriter)
    assertEquals(
      store.load().pendingCompactions.map(i => (i.time, i.state: State)), Seq((time, State.Requested: State)))
  }

  versions("a cleaning that was cut off is run, a rollback ended, a savepoint that saved nothing removed") {
    (version, storage) =>
      val store = table(storage).store
      val old = data(storage).filter(_.endsWith(".parquet")).min.stripPrefix(s"$path/")
      val clean = instant(storage)
      store.requestClean(clean, CleanPlan("KEEP_LATEST_COMMITS", None, "", Map("p" -> Seq(old))))
      store.toInflight(clean, Action.Clean)
      assertEquals(doctor(storage).run(fix = true), Nil, "somebody may be at it")
      later()
      mends(storage, FindingKind.UnfinishedAction)
      assert(!storage.exists(s"$path/$old") && table(storage).timeline.completed.exists(_.time == clean))

      val dead = TextWrites.rewrite.begin(table(storage), TransactionOptions(process = gone))
      val rollback = instant(storage)
      store.requestRollback(rollback, RollbackPlan(InstantName(dead.instant, Action.Commit), Nil))
      later()
      assertEquals(doctor(storage).run(fix = true).map(f => (f.subject, f.isMended)).sorted,
        Seq((rollback, true)))
      assertEquals(table(storage).timeline.pending, Nil)

      store.toInflight(table(storage).timeline.writes.last.time, Action.Savepoint)
      later()
      mends(storage, FindingKind.UnfinishedAction)
      assertEquals(Savepoints.list(table(storage)), Nil)
  }

  versions("a rollback of a completed write that was only planned is removed, and the write stays") { (_, storage) =>
    val store = table(storage).store
    val write = table(storage).timeline.writes.last
    val shown = TestTables.visible(table(storage))
    store.requestRollback(instant(storage), RollbackPlan(InstantName(write.time, write.action), Nil))
    assertEquals(doctor(storage).run(fix = true), Nil, "somebody may be at it")
    later()
    val found = doctor(storage).run(fix = true)
    assert(found.head.what.contains(s"completed write ${write.time}"), found.toString)
    assertEquals((found.map(_.isMended), table(storage).timeline.pending), (Seq(true), Nil))
    assertEquals(TestTables.visible(table(storage)), shown)
  }

  versions("a restore that was begun is the user's to end") { (_, storage) =>
    val store = table(storage).store
    val write = table(storage).timeline.writes.last
    val restore = instant(storage)
    store.requestRestore(restore, RestorePlan(Seq(InstantName(write.time, write.action)), write.time))
    later()
    assert(leaves(storage, FindingKind.UnfinishedAction).what.contains("nobody can commit"))
  }

  versions("a clustering that a restore took back and left pending is removed") { (version, storage) =>
    val store = table(storage).store
    val (clustering, restore) = (instant(storage), instant(storage))
    store.request(clustering, if (version == 6) Action.ReplaceCommit else Action.Clustering, Restored.clustering)
    store.toInflight(clustering, if (version == 6) Action.ReplaceCommit else Action.Clustering)
    assertEquals(kinds(doctor(storage).run(fix = false)), Nil, "it may be under way")
    later()
    assertEquals(kinds(doctor(storage).run(fix = false)), Seq("UNKNOWN_WRITER"))
    store.request(restore, Action.Restore, Restored.plan(clustering))
    store.toInflight(restore, Action.Restore)
    val completed = if (version == 6) s"$restore.restore" else s"${restore}_${instant(storage)}.restore"
    storage.createNew(s"${store.folder}/$completed", Restored.plan(clustering))
    later()
    mends(storage, FindingKind.RestoredClustering)
    assertEquals(table(storage).timeline.pending, Nil)
    TextWrites.rewrite.run(table(storage))
  }

  versions("an empty plan is removed, and a cut one of a cleaning; a completed file that is damaged is left") {
    (version, storage) =>
      val store = table(storage).store
      val time = instant(storage)
      storage.createNew(s"${store.folder}/$time.clean.requested", Array.emptyByteArray)
      assertEquals(doctor(storage).run(fix = true), Nil, "its writer may be at it")
      TextServices.clean(table(storage))
      Savepoints.create(table(storage), None, "me", "neither minds a plan that says nothing")
      later()
      mends(storage, FindingKind.BrokenInstant)
      val cut = instant(storage)
      store.requestClean(cut, CleanPlan("KEEP_LATEST_COMMITS", None, "", Map("p" -> Seq("p/x.parquet"))))
      val plan = s"${store.folder}/$cut.clean.requested"
      storage.replace(plan, storage.read(plan).get.dropRight(20))
      later()
      mends(storage, FindingKind.BrokenInstant)
      val first = table(storage).timeline.writes.head
      storage.replace(s"${store.folder}/${first.fileName}", "no commit".getBytes)
      later()
      assert(leaves(storage, FindingKind.BrokenInstant).what.contains(first.fileName))
  }

  versions("files whose names no write gives are told, wherever they lie, and stay") { (_, storage) =>
    Seq("p/part-00000-a1b2.snappy.parquet", "p/_SUCCESS", "notes_of_2026.csv").foreach(name =>
      storage.createNew(s"$path/$name", Array.emptyByteArray))
    val found = doctor(storage).run(fix = true)
    assertEquals(
      found.map(f => (f.kind.name, f.subject, f.isMended)),
      Seq(("STRAY_FILES", "p/part-00000-a1b2.snappy.parquet", false), ("STRAY_FILES", "notes_of_2026.csv", false)))
  }

  versions("what ended writes left goes, with the files of a process that is gone, and what may be committed stays") {
    (_, storage) =>
      val before = data(storage)
      val completed = table(storage).timeline.writes.last.time
      storage.replace(s"${Markers.folder(path, completed)}/p/x.marker.CREATE", Array.emptyByteArray)
      storage.replace(s"${WriteFolders.heartbeats(path)}/$completed", Array.emptyByteArray)
      assertEquals(doctor(storage).run(fix = true), Nil, "its writer may be about to remove them")
      later()
      mends(storage, FindingKind.LeftTraces)
      val unknown = instant(storage)
      TestTables.writeFile(table(storage), unknown, "p", "never-0")
      later()
      assertEquals(doctor(storage).run(fix = true).map(f => (f.kind.name, f.isMended)).sorted,
        Seq(("LEFT_TRACES", false), ("STRAY_FILES", false)))
      OwnerFile.write(storage, path, unknown, gone)
      later()
      assertEquals(doctor(storage).run(fix = true).map(f => (f.kind.name, f.isMended)).sorted,
        Seq(("LEFT_TRACES", true), ("STRAY_FILES", true)))
      assertEquals(doctor(storage).run(fix = false), Nil)
      assertEquals(data(storage), before)
  }

  versions("files of a write that was rolled back are deleted, those that the timeline does not explain are not") {
    (_, storage) =>
      val before = data(storage)
      val transaction = TextWrites.insert("h-0").begin(table(storage))
      transaction.rollback()
      // A task that nobody waited for.
      TestTables.writeFile(table(storage), transaction.instant, "p", "h-0")
      Markers.delete(storage, path, transaction.instant)
      assertEquals(doctor(storage).run(fix = true), Nil, "young files may be somebody's")
      later()
      mends(storage, FindingKind.StrayFiles)
      assertEquals(data(storage), before)

      val (unknown, completed) = (instant(storage), table(storage).timeline.writes.last.time)
      Seq(unknown, completed).foreach(TestTables.writeFile(table(storage), _, "p", "h-1"))
      Seq(unknown, completed).foreach(Markers.delete(storage, path, _))
      later()
      val left = doctor(storage).run(fix = true)
      assertEquals(left.map(f => (f.kind.name, f.isMended)), Seq(("STRAY_FILES", false), ("STRAY_FILES", false)))
      assertEquals(data(storage).size, before.size + 2)
  }

  versions("a partition that lost its marker is marked again") { (_, storage) =>
    val visible = TestTables.visible(table(storage))
    storage.delete(s"$path/p/.hoodie_partition_metadata")
    assertEquals(intercept[CorruptTable](TestTables.visible(table(storage))).condition, "CORRUPT_FILE")
    mends(storage, FindingKind.UnmarkedPartition)
    assertEquals(TestTables.visible(table(storage)), visible)
  }

  versions("damaged properties are brought back from their backup, and nothing else is looked at without one") {
    (_, storage) =>
      val file = s"$path/.hoodie/hoodie.properties"
      val whole = storage.read(file).get
      storage.createNew(s"$file.backup", whole)
      storage.replace(file, whole.take(whole.length / 2))
      mends(storage, FindingKind.DamagedProperties)
      assertEquals(storage.read(file).get.toSeq, whole.toSeq)
      storage.replace(file, whole.take(20))
      leaves(storage, FindingKind.DamagedProperties)
      storage.delete(file)
      assertEquals(intercept[InvalidInput](doctor(storage).run(fix = true)).condition, "TABLE_NOT_FOUND")
  }

  versions("a lock file of Apache Hudi is told and left") { (_, storage) =>
    storage.replace(s"$path/.hoodie/lock", Array.emptyByteArray)
    assertEquals(doctor(storage).run(fix = true), Nil)
    later()
    leaves(storage, FindingKind.LeftLock)
  }
}

/** Files of Apache Hudi about a restore and a clustering, as far as the doctor looks. */
private object Restored {

  private val plans = new Schema.Parser().parse("""{"type":"record","name":"HoodieRestorePlan","fields":[
    {"name":"instantsToRollback","type":{"type":"array","items":{"type":"record","name":"HoodieInstantInfo","fields":[
      {"name":"commitTime","type":"string"},{"name":"action","type":"string"}]}}}]}""")

  private val requests = new Schema.Parser().parse("""{"type":"record","name":"HoodieRequestedReplaceMetadata",
    "fields":[{"name":"clusteringPlan","type":["null",{"type":"record","name":"HoodieClusteringPlan","fields":[
      {"name":"inputGroups","type":["null",{"type":"array","items":"string"}],"default":null}]}]}]}""")

  def plan(instant: String): Array[Byte] = {
    val item = new GenericData.Record(plans.getField("instantsToRollback").schema.getElementType)
    item.put("commitTime", instant)
    item.put("action", "replacecommit")
    val record = new GenericData.Record(plans)
    record.put("instantsToRollback", java.util.Arrays.asList(item))
    AvroFile.write(record)
  }

  def clustering: Array[Byte] = {
    val plan = new GenericData.Record(requests.getField("clusteringPlan").schema.getTypes.get(1))
    val record = new GenericData.Record(requests)
    record.put("clusteringPlan", plan)
    AvroFile.write(record)
  }
}
