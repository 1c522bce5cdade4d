package io.hudilite.service.cluster

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.{CommitConflict, CorruptTable, InvalidInput, UnsupportedTable}
import io.hudilite.index.BucketIndex
import io.hudilite.service.{Services, TextServices}
import io.hudilite.service.compact.CompactionScheduler
import io.hudilite.service.undo.Rollbacks
import io.hudilite.storage.{CountingStorage, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata, Instant, State}
import io.hudilite.timeline.plan.{ClusteringGroupFacts, ClusteringInput, ClusteringPlan}
import io.hudilite.transaction.{Assumption, TextWrites, Transaction, TransactionOptions}

import java.util.concurrent.atomic.AtomicBoolean

import munit.FunSuite

/** Clusterings of tables in memory whose data files hold text. */
class ClusteringSchedulerSuite extends FunSuite {

  private val path = "/t"
  private val all = ClusteringRequest(Services.of().clustering)

  private def only(partitions: String*): ClusteringRequest =
    ClusteringRequest(all.conf.copy(partitions = all.conf.partitions.copy(selected = Some(partitions))))

  private def versions(name: String)(body: Int => Unit): Unit =
    for (version <- Seq(6, 8, 9)) test(s"version $version: $name")(body(version))

  private def table(storage: Storage): Table = Table.open(storage, path)

  /** A table with the file groups g-0 and h-0 in the partition p. */
  private def made(version: Int, tableType: TableType = TableType.CopyOnWrite): MemoryStorage = {
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, version, tableType)
    TextWrites.insert("h-0").run(table(storage))
    storage
  }

  private def schedule(storage: Storage): Option[String] = TextServices.planClustering(table(storage))

  private def run(storage: Storage, time: String): Instant = TextServices.runClustering(table(storage), time)

  private def visible(storage: Storage): Seq[String] = TestTables.visible(table(storage))

  versions("a plan names its slices, and its run takes their place and changes nothing else") { version =>
    val storage = made(version)
    val before = visible(storage)
    val time = schedule(storage).get
    val planned = table(storage)
    val (instant, plan) = planned.store.pendingClusterings(planned.timeline).head
    assertEquals((instant.state: State, instant.action),
      (State.Requested: State, if (version == 6) Action.ReplaceCommit else Action.Clustering))
    assertEquals(plan.groups.map(_.map(i => (i.partition, i.fileId)).sorted), Seq(Seq("p" -> "g-0", "p" -> "h-0")))
    assert(plan.groups.flatten.forall(i => i.baseFile.exists(_.startsWith(i.fileId)) && i.logFiles.isEmpty))
    assertEquals((plan.strategy, plan.params), (ClusteringPlanner.Execution, all.params))
    assertEquals(plan.facts.map(f => (f.outputs, f.metrics("TOTAL_LOG_FILES"))), Seq((1, 0.0)))
    assertEquals(visible(storage), before)
    assertEquals(schedule(storage), None, "both are taken")
    val completed = run(storage, time)
    assertEquals((completed.time, completed.action), (time, Action.ReplaceCommit))
    assertEquals(visible(storage), Seq(s"p/c-$time@$time"))
    val after = table(storage)
    val metadata = after.store.readCommit(completed)
    assertEquals((metadata.operation, metadata.replaced.map { case (p, ids) => p -> ids.sorted }, metadata.schema),
      ("CLUSTER", Map("p" -> Seq("g-0", "h-0")), after.schemaJson))
    assertEquals(after.timeline.pending, Nil)
    assertEquals(intercept[InvalidInput](run(storage, time)).condition, "CLUSTERING_NOT_FOUND")
  }

  versions("a write on a planned file group is refused, and one that began before the plan, too; others go on") {
    version =>
      val storage = made(version)
      val early = table(storage)
      val begun = TextWrites.rewrite.begin(early)
      val time = schedule(storage).get
      val refused = intercept[CommitConflict](TextWrites.rewrite.commit(early, begun))
      assert(refused.getMessage.contains("g-0"), refused.getMessage)
      begun.rollback()
      intercept[CommitConflict](TextWrites.rewrite.run(table(storage)))
      intercept[CommitConflict](TextWrites.overwrite.run(table(storage)))
      TextWrites.insert("new-0").run(table(storage))
      run(storage, time)
      assertEquals(visible(storage).map(_.takeWhile(_ != '@')), Seq(s"p/c-$time", "p/new-0"))
      TextWrites.insert("late-0").run(table(storage))
  }

  versions("a clustering of which a file group was changed all the same is refused, and given up") { version =>
    val storage = made(version)
    val before = table(storage)
    val time = schedule(storage).get
    val plan = before.store.pendingClusterings(table(storage).timeline).head._2
    // A program that does not look at plans does this.
    val planned = PendingClusterings.named(table(storage), time)
    before.store.delete(planned)
    TextWrites.rewrite.run(table(storage))
    before.store.requestClustering(time, plan)
    val error = intercept[CommitConflict](run(storage, time))
    assert(error.getMessage.contains("has changed since it was planned"), error.getMessage)
    assertEquals(table(storage).timeline.pending.map(_.state), Seq(State.Requested: State))
    assertEquals(PendingClusterings.withdrawOutdated(table(storage)).map(_._1), Seq(time))
    assertEquals(table(storage).timeline.pending, Nil)
    assert(schedule(storage).isDefined)
  }

  versions("a plan whose files are gone is an error, and the rest of the table is as it was") { version =>
    val storage = made(version)
    val time = schedule(storage).get
    val gone = table(storage).slices(Seq("p"))("p").find(_.fileId == "h-0").get.base.get
    storage.delete(s"$path/${gone.relativePath}")
    val error = intercept[CorruptTable](run(storage, time))
    assert(error.getMessage.contains(gone.name) && error.getMessage.contains(time), error.getMessage)
    assert(intercept[CorruptTable](visible(storage)).getMessage.contains(gone.name))
    assertEquals(PendingClusterings.withdrawOutdated(table(storage)), Nil)
    PendingClusterings.withdraw(table(storage), time)
    assertEquals(table(storage).timeline.pending, Nil)
  }

  versions("two clusterings of one file group: the second is refused whoever planned it") { version =>
    val storage = made(version)
    val time = schedule(storage).get
    val now = table(storage)
    val plan = now.store.pendingClusterings(now.timeline).head._2
    val second = now.store.newInstantTime(time)
    now.store.requestClustering(second, plan)
    assert(intercept[CommitConflict](run(storage, second)).getMessage.contains("an older clustering takes"))
    assertEquals(PendingClusterings.withdrawOutdated(table(storage)).map(_._1), Seq(second))
    run(storage, time)
    assertEquals(visible(storage), Seq(s"p/c-$time@$time"))
  }

  versions("a plan for buckets, or for a run that is not known, is refused") { version =>
    val storage = made(version)
    val now = table(storage)
    val inputs = now.slices(Seq("p"))("p").map(s => ClusteringInput("p", s.fileId, s.base.map(_.name), Nil))
    val time = now.store.newInstantTime(now.timeline.lastTime.get)
    now.store.requestClustering(time,
      ClusteringPlan(Seq(inputs),
        "org.apache.hudi.client.clustering.run.strategy.SparkConsistentBucketClusteringExecutionStrategy",
        facts = Seq(ClusteringGroupFacts())))
    intercept[UnsupportedTable](run(storage, time))
    assertEquals(table(storage).timeline.pending.map(_.state), Seq(State.Requested: State))
  }

  versions("a table of log files: what a compaction takes is left alone, and what a clustering takes by compactions") {
    version =>
      val storage = made(version, TableType.MergeOnRead)
      TextWrites.append.run(table(storage))
      val compaction = CompactionScheduler.schedule(table(storage), Services.of().compaction).get
      assertEquals(compaction.candidates.map(_.slice.fileId), Seq("g-0"))
      TextWrites.insert("i-0").run(table(storage))
      schedule(storage)
      assertEquals(table(storage).pendingClusterings.keySet.map(_.fileId), Set("h-0", "i-0"))
      val logged = made(version, TableType.MergeOnRead)
      TextWrites.append.run(table(logged))
      assert(schedule(logged).isDefined)
      val (_, plan) = table(logged).store.pendingClusterings(table(logged).timeline).head
      assertEquals(plan.groups.flatten.map(_.logFiles.size).sum, 1)
      assertEquals(CompactionScheduler.schedule(table(logged), Services.of().compaction), None)
      intercept[CommitConflict](TextWrites.append.run(table(logged)))
  }

  test("version 6: a table of log files is planned between writes") {
    val storage = made(6, TableType.MergeOnRead)
    val begun = TextWrites.append.begin(table(storage))
    assertEquals(intercept[CommitConflict](schedule(storage)).condition, "WRITE_PENDING")
    begun.rollback()
    assert(schedule(storage).isDefined)
  }

  /** A plan that is made while `meanwhile` happens: after its timeline was read, and before its folders are. */
  private def scheduledBeside(storage: MemoryStorage)(meanwhile: => Unit): Option[PlannedClustering] = {
    val once = new AtomicBoolean(true)
    val counting = new CountingStorage(storage,
      call => if (call.kind == "list" && call.path == s"$path/p" && once.compareAndSet(true, false)) meanwhile)
    ClusteringScheduler.schedule(table(storage).copy(storage = counting), all)
  }

  versions("planners at once: a file group is in one plan, and no lock is held while folders are listed") { version =>
    val storage = made(version)
    TestTables.write(table(storage), "q" -> "q-0", "q" -> "r-0")
    var other: Option[PlannedClustering] = None
    val late = scheduledBeside(storage) {
      val elsewhere = new Thread(() =>
        other = ClusteringScheduler.schedule(table(storage),
          only("p"), TransactionOptions(lockWaitMs = 10L)))
      elsewhere.start()
      elsewhere.join()
    }
    def groups(plan: Option[PlannedClustering]): Seq[String] =
      plan.toSeq.flatMap(_.groups.flatMap(_.slices.map(_.fileId)))
    assertEquals((groups(other).sorted, groups(late).sorted), (Seq("g-0", "h-0"), Seq("q-0", "r-0")))
    assertEquals(table(storage).timeline.pending.map(_.time).toSet, (other ++ late).flatMap(_.instant).toSet)
    assertEquals(scheduledBeside(storage)(TestTables.write(table(storage), "s" -> "s-0")), None)
  }

  versions("what is written beside the planning stays out of the plan, and what was undone lets it begin anew") {
    version =>
      val storage = made(version)
      TestTables.write(table(storage), "q" -> "q-0", "q" -> "r-0")
      val rewritten = scheduledBeside(storage)(TextWrites.rewrite.run(table(storage))).get
      assertEquals(rewritten.groups.map(_.partition), Seq("q"))
      PendingClusterings.withdraw(table(storage), rewritten.instant.get)
      val last = table(storage).timeline.lastCompleted.get.time
      val anew = scheduledBeside(storage) {
        Rollbacks.run(table(storage), Some(last))
        ()
      }
      assertEquals(anew.get.groups.map(_.partition), Seq("p", "q"))
      assert(!anew.get.groups.flatMap(_.slices).exists(_.instant == last))
  }

  private val inBuckets = all.copy(buckets = Some(BucketIndex(2, Seq("id"))))

  /** A table with the bucket 3, and a planned move of it. */
  private def moving(version: Int): (MemoryStorage, String) = {
    val storage = new MemoryStorage()
    TestTables.write(TestTables.create(storage, path, version), "p" -> "00000003-0")
    (storage, ClusteringScheduler.schedule(table(storage), inBuckets).flatMap(_.instant).get)
  }

  private def moved(storage: MemoryStorage, time: String)(meanwhile: => Unit): Unit = {
    val now = table(storage)
    val running = Transaction.resume(now, PendingClusterings.named(now, time), CommitMetadata.Cluster)
    try {
      val pending = PendingClusterings.open(now, now.timeline.pending.find(_.time == time).get)
      assertEquals(pending.buckets, inBuckets.buckets)
      meanwhile
      running.commit(Seq(TestTables.writeFile(now, time, "p", "00000001-1")), pending.replaced,
        assumption = Assumption.Replaces(_ => true), buckets = pending.buckets)
    } finally running.rollback()
    ()
  }

  versions("a move to other buckets takes all there is, and nobody deals rows by the old number beside it") { version =>
    val (storage, time) = moving(version)
    // A bucket of a partition that the plan does not know, before the run, and while it is under way.
    intercept[CommitConflict](moved(storage, time)(TestTables.write(table(storage), "q" -> "00000002-0")))
    val error = intercept[CommitConflict](moved(storage, time)(()))
    assert(error.getMessage.contains("'q' is newer than the plan"), error.getMessage)
    assertEquals(PendingClusterings.withdrawOutdated(table(storage)).map(_._1), Seq(time))
    val (late, other) = moving(version)
    val early = table(late)
    val begun = TestTables.begin(early)
    moved(late, other)(())
    val refused = intercept[CommitConflict](
      begun.commit(Seq(TestTables.writeFile(early, begun.instant, "q", "00000002-0")), assumption = Assumption.Nothing))
    assert(refused.getMessage.contains("another number of buckets"), refused.getMessage)
    begun.rollback()
    assertEquals(table(late).statedBuckets, inBuckets.buckets)
    assertEquals(visible(late), Seq(s"p/00000001-1@$other"))
  }

  test("inline it is due after so many commits, not while one is planned, and what was clustered stays") {
    val storage = made(9)
    def due(commits: Int): Option[PlannedClustering] = ClusteringScheduler.scheduleIfDue(table(storage),
      Services.of("hoodie.clustering.inline.max.commits" -> commits.toString,
        "hoodie.clustering.plan.strategy.sort.columns" -> "id").clustering)
    assertEquals(due(3), None)
    val planned = due(2).get
    assertEquals(due(1), None, "one is planned")
    run(storage, planned.instant.get)
    assertEquals(due(1), None, "no commit since")
    TestTables.write(table(storage), "q" -> "q-0")
    assertEquals(due(1).get.groups.map(_.partition), Seq("q"))
  }

  test("partitions that there are not are refused by name") {
    val error = intercept[InvalidInput](ClusteringScheduler.preview(table(made(9)), only("p", "none")))
    assert(error.getMessage.contains("none"), error.getMessage)
  }
}
