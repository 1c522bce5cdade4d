package io.hudilite.service

import io.hudilite.TestTables
import io.hudilite.error.{CommitConflict, CorruptTable, InvalidInput}
import io.hudilite.filegroup.FileSlice
import io.hudilite.service.clean.{Cleaning, FinishedCleaning}
import io.hudilite.service.compact.CompactionScheduler
import io.hudilite.service.doctor.{Doctor, Finding, FindingKind, Mend}
import io.hudilite.service.undo.{Restores, Savepoints}
import io.hudilite.storage.{Caches, CountingStorage, ForwardingStorage, MemoryStorage, Storage}
import io.hudilite.timeline.{Action, CleanMetadata, CleanPlan, Instant, State}
import io.hudilite.transaction.{TextWrites, Transaction, TransactionOptions}
import io.hudilite.transaction.TextWrites.rewrite
import io.hudilite.transaction.rollback.{ForeignWrites, Heartbeat}

/** Files of a timeline without content, as a store leaves them that crashed behind their writers' backs. */
class BlankFilesSuite extends StoredTables {

  private val two = Services.of("hoodie.clean.commits.retained" -> "2").cleaning

  private def clean(storage: Storage): Seq[FinishedCleaning] =
    new Cleaning(TransactionOptions(), TextServices.deleting).run(table(storage), two)

  private def rewritten(storage: Storage, times: Int): Unit = (1 to times).foreach(_ => rewrite.run(table(storage)))

  private def data(storage: MemoryStorage): Seq[String] = storage.paths.filter(_.endsWith(".parquet"))

  private def newest(storage: Storage, action: String): Instant =
    table(storage).timeline.instants.filter(_.action == action).last

  private def fileOf(storage: Storage, instant: Instant): String = s"${table(storage).store.folder}/${instant.fileName}"

  private def blanked(storage: MemoryStorage, instant: Instant): String = {
    storage.replace(fileOf(storage, instant), Array.emptyByteArray)
    instant.time
  }

  /** As another process sees it, which remembers nothing. */
  private def elsewhere(storage: Storage): Storage =
    new ForwardingStorage(storage) { override val caches: Caches = new Caches }

  private def doctor(storage: MemoryStorage, policy: ForeignWrites.Policy = ForeignWrites.Expired): Seq[Finding] = {
    now += Heartbeat.ExpiryMs + 1000L
    new Doctor(storage, path, TransactionOptions(foreignWrites = policy), TextServices.deleting).run(fix = true)
  }

  private def refusedAsOf(storage: Storage, time: String): Boolean =
    try { table(storage).checkRetained(time); false }
    catch { case e: InvalidInput => assertEquals(e.condition, "STATE_NOT_RETAINED"); true }

  versions(6, 8, 9)(
    "a cleaning that does not say what it did is passed over by the next one and by readers of the past") {
    (_, storage) =>
      TestTables.write(table(storage), "q" -> "q-0")
      rewritten(storage, 3)
      assertEquals(clean(storage).size, 1)
      rewritten(storage, 2)
      val earliest = clean(storage).head.earliestRetained
      blanked(storage, newest(storage, Action.Clean))
      val other = new CountingStorage(elsewhere(storage))
      val writes = table(other).timeline.writes.map(_.time)
      // The state before the first one that was to stay still has its files.
      assertEquals(writes.filterNot(refusedAsOf(other, _)), writes.takeRight(3))
      assertEquals(writes.takeRight(2).head, earliest)
      assertEquals(clean(elsewhere(storage)), Nil)
      rewritten(storage, 1)
      val calls = new CountingStorage(elsewhere(storage))
      assertEquals(clean(calls).flatMap(_.partitions).flatMap(_.deleted).size, 1)
      val listed = calls.calls.all.filter(c => c.kind == "list" && !c.path.contains("/.hoodie")).map(_.path).distinct
      assertEquals(listed, Seq("/t/p"))
      assertEquals(data(storage).size, 4)
  }

  versions(6, 8, 9)("the doctor runs a cleaning again that does not say what it did") { (_, storage) =>
    rewritten(storage, 4)
    clean(storage)
    val (done, files) = (newest(storage, Action.Clean), data(storage))
    val said = table(storage).store.readClean(done)
    for (content <- Seq(Array.emptyByteArray, "no Avro".getBytes)) {
      storage.replace(fileOf(storage, newest(storage, Action.Clean)), content)
      val found = doctor(storage)
      assertEquals(
        found.map(f => (f.kind: FindingKind, f.subject, f.isMended, f.mend)),
        Seq((FindingKind.BrokenInstant: FindingKind, done.time, true, Some(Mend.EndCleaning(done.time): Mend))))
      val again = table(storage).store.readClean(newest(storage, Action.Clean))
      assertEquals(again.copy(timeTakenMs = 0L), said.copy(timeTakenMs = 0L))
      assertEquals((data(storage), table(storage).timeline.pending), (files, Nil: Seq[Instant]))
      assertEquals(doctor(storage), Nil)
    }
  }

  /** A cleaning without a plan: completed or only begun, with an empty file for its plan or none. */
  private def unplanned(storage: MemoryStorage, isDone: Boolean, isEmpty: Boolean): String = {
    val store = table(storage).store
    val time = store.newInstantTime(table(storage).timeline.lastTime.get)
    store.requestClean(time, CleanPlan("KEEP_LATEST_COMMITS", None, "", Map.empty))
    store.toInflight(time, Action.Clean)
    if (isDone) {
      store.completeClean(time, CleanMetadata(time, 1L, "", "", Nil))
      blanked(storage, newest(storage, Action.Clean))
    }
    val plan = s"${store.folder}/$time.clean.requested"
    if (isEmpty) storage.replace(plan, Array.emptyByteArray) else storage.delete(plan)
    time
  }

  for (isDone <- Seq(true, false); isEmpty <- Seq(true, false)) {
    val state = if (isDone) "completed" else "begun"
    val plan = if (isEmpty) "an empty plan" else "no plan"
    versions(6, 8, 9)(s"the doctor ends a cleaning that is $state and has $plan as one of which nothing is known") {
      (_, storage) =>
        rewritten(storage, 2)
        val time = unplanned(storage, isDone, isEmpty)
        val (lost, files) = (table(storage).timeline.writes.head.time, data(storage))
        storage.delete(s"$path/p/g-0_0-0-0_$lost.parquet") // what it may have deleted
        assert(refusedAsOf(elsewhere(storage), lost))
        assertEquals(doctor(storage).map(f => (f.subject, f.isMended)), Seq((time, true)))
        assertEquals(doctor(storage), Nil)
        assertEquals(table(storage).timeline.pending, Nil: Seq[Instant])
        assertEquals(table(storage).store.readClean(newest(storage, Action.Clean)).earliestCommitToRetain, "")
        assert(refusedAsOf(elsewhere(storage), lost))
        assertEquals(data(storage).size, files.size - 1)
        rewritten(storage, 2)
        clean(elsewhere(storage))
        assertEquals(data(storage).size, 3)
    }
  }

  versions(6, 8, 9)("a cleaning removes an empty plan once its writer cannot be about to fill it") { (_, storage) =>
    val store = table(storage).store
    val time = store.newInstantTime(table(storage).timeline.lastTime.get)
    storage.createNew(s"${store.folder}/$time.clean.requested", Array.emptyByteArray)
    clean(storage)
    assertEquals(table(storage).timeline.pending.map(_.time), Seq(time))
    now += Heartbeat.ExpiryMs + 1000L
    clean(storage)
    assertEquals(table(storage).timeline.pending, Nil: Seq[Instant])
  }

  versions(6, 8, 9)("a cleaning says which damaged savepoint or cleaning is in its way, and what helps") {
    (_, storage) =>
      rewritten(storage, 3)
      val saved = Savepoints.create(table(storage), None, "me", "")
      blanked(storage, newest(storage, Action.Savepoint))
      val first = intercept[CorruptTable](clean(elsewhere(storage))).getMessage
      assert(first.contains(s"delete_savepoint gives the state ${saved.instant} free") && !first.contains("\n"), first)
      Savepoints.delete(table(storage), saved.instant)
      clean(storage)
      val done = newest(storage, Action.Clean)
      storage.replace(fileOf(storage, done), "no Avro".getBytes)
      rewritten(storage, 1)
      val second = intercept[CorruptTable](clean(elsewhere(storage))).getMessage
      assert(second.contains(s"runs the plan of the cleaning ${done.time} again") && !second.contains("\n"), second)
      assertEquals(doctor(storage).map(_.isMended), Seq(true))
      assertEquals(clean(elsewhere(storage)).size, 1)
  }

  private def group(storage: Storage): FileSlice = table(storage).slices(Seq("p"))("p").head

  versions(6, 8, 9)("a compaction whose completed file is empty becomes a plan again, and can be run") { (_, storage) =>
    TextWrites.append.run(table(storage))
    CompactionScheduler.schedule(table(storage), Services.of().compaction)
    val before = TestTables.visible(table(storage))
    val pending = table(storage).timeline.pendingCompactions.head
    val running = Transaction.resume(table(storage), pending, "COMPACT")
    val slice = group(storage)
    running.commit(Seq(TestTables.writeFile(table(storage), pending.time, "p", slice.fileId, Some(slice.instant))))
    blanked(storage, newest(storage, Action.Commit))
    val other = elsewhere(storage)
    assertEquals(TestTables.visible(table(other)), before)
    assertEquals(doctor(storage, ForeignWrites.All).map(f => (f.kind: FindingKind, f.isMended)),
      Seq((FindingKind.DeadWriter: FindingKind, true)))
    assertEquals(table(other).timeline.pendingCompactions.map(i => (i.time, i.state: State)),
      Seq((pending.time, State.Requested: State)))
    TextServices.compact(table(other))
    assertEquals(TestTables.visible(table(other)), Seq(s"p/g-0@${pending.time}"))
  }

  versions(6, 8, 9)("a restore that was cut off is ended although a rollback of it does not say what it did") {
    (_, storage) =>
      val (to, before) = (table(storage).timeline.writes.last.time, TestTables.visible(table(storage)))
      rewritten(storage, 2)
      val gone = table(storage).timeline.writes.takeRight(2).map(_.time).reverse
      var asked = 0 // at its beginning, and before each write
      intercept[CommitConflict](Restores.run(table(storage), to, isStopped = () => { asked += 1; asked == 3 }))
      blanked(storage, newest(storage, Action.Rollback))
      assertEquals(Restores.run(table(elsewhere(storage)), to).writes.map(_.time), gone)
      assertEquals(TestTables.visible(table(storage)), before)
      assertEquals(table(storage).timeline.pending, Nil: Seq[Instant])
  }

  versions(6, 8, 9)("an empty file of a rollback that is done is told, and needs no mend") { (_, storage) =>
    TextWrites.insert("h-0").begin(table(storage)).rollback()
    blanked(storage, newest(storage, Action.Rollback))
    val found = doctor(storage)
    assertEquals(found.map(f => (f.kind: FindingKind, f.mend)), Seq((FindingKind.BrokenInstant: FindingKind, None)))
    assert(found.head.advice.contains("needs the file no more"), found.head.advice)
    rewritten(storage, 4)
    assertEquals(clean(elsewhere(storage)).size, 1)
  }
}
