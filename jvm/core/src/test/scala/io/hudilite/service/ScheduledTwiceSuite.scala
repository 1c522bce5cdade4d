package io.hudilite.service

import io.hudilite.TestTables
import io.hudilite.error.InvalidInput
import io.hudilite.service.archive.Archiver
import io.hudilite.service.clean.{CleanScheduler, Cleaning}
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler}
import io.hudilite.service.undo.{Rollbacks, Savepoints}
import io.hudilite.storage.{MemoryStorage, Storage}
import io.hudilite.timeline._
import io.hudilite.timeline.plan.{
  ClusteringInput,
  ClusteringPlan,
  CompactionOperation,
  CompactionPlan,
  InstantName,
  RollbackPlan
}
import io.hudilite.transaction.TransactionOptions
import io.hudilite.transaction.TextWrites.{append, insert, rewrite}

/** Services that are asked for a second time before the first plan was run, be that ours or another program's. */
class ScheduledTwiceSuite extends StoredTables {

  private val one = Services.of("hoodie.clean.fileversions.retained" -> "1").cleaning
  private val compaction = Services.of("hoodie.log.compaction.blocks.threshold" -> "2").compaction

  private def versions(name: String)(body: MemoryStorage => Unit): Unit = versions(6, 8, 9)(name)((_, s) => body(s))

  private def next(storage: Storage): String =
    table(storage).store.newInstantTime(table(storage).timeline.lastTime.get)

  private def pending(storage: Storage): Seq[String] = table(storage).timeline.pending.map(_.time)

  /** Nothing is written by what is done. */
  private def still[T](storage: MemoryStorage)(body: => T): T = {
    val before = storage.paths
    val result = body
    assertEquals(storage.paths, before)
    result
  }

  private def schedule(storage: Storage): Option[(String, Set[String])] =
    CleanScheduler.schedule(table(storage), one).map { case (i, plan) => i.time -> plan.files.values.flatten.toSet }

  versions("a cleaning that is planned is the answer until it was run") { storage =>
    rewrite.run(table(storage))
    val first = schedule(storage).get
    assertEquals(first._2.size, 2)
    assertEquals(still(storage)(schedule(storage)), Some(first))
    rewrite.run(table(storage))
    assertEquals(still(storage)(schedule(storage)), Some(first), "another is planned when that one was run")
    assertEquals(pending(storage), Seq(first._1))
    val runs = new Cleaning(TransactionOptions(), TextServices.deleting).run(table(storage), one)
    assertEquals(runs.map(_.partitions.map(_.deleted.size).sum), Seq(2, 1))
    assertEquals(still(storage)(schedule(storage)), None)
  }

  versions("a cleaning that another program has planned or begun is the answer, too") { storage =>
    rewrite.run(table(storage))
    val (store, time) = (table(storage).store, next(storage))
    val old = s"p/g-0_0-0-0_${table(storage).timeline.writes.head.time}.parquet"
    store.requestClean(time, CleanPlan("KEEP_LATEST_COMMITS", None, "", Map("p" -> Seq(old))))
    assertEquals(still(storage)(schedule(storage)), Some(time -> Set(old)))
    store.toInflight(time, Action.Clean)
    assertEquals(still(storage)(schedule(storage)), Some(time -> Set(old)))
  }

  versions("a plan that is empty does not stand for a cleaning") { storage =>
    rewrite.run(table(storage))
    storage.createNew(s"${table(storage).store.folder}/${next(storage)}.clean.requested", Array.emptyByteArray)
    assertEquals(schedule(storage).map(_._2.size), Some(2))
  }

  versions("file groups that a clustering has planned are not planned again, whoever planned them") { storage =>
    insert("h-0").run(table(storage))
    val first = TextServices.planClustering(table(storage))
    assert(first.isDefined)
    assertEquals(still(storage)(TextServices.planClustering(table(storage))), None)
    Seq("i-0", "i-1").foreach(insert(_).run(table(storage)))
    val second = TextServices.planClustering(table(storage)).get
    assertEquals(table(storage).pendingClusterings.toSeq.map { case (g, time) => g.fileId -> time }.sorted,
      Seq("g-0" -> first.get, "h-0" -> first.get, "i-0" -> second, "i-1" -> second))
    Seq("j-0", "j-1").foreach(insert(_).run(table(storage)))
    val theirs = next(storage)
    val inputs = table(storage).slices(Seq("p"))("p").filter(_.fileId.startsWith("j"))
      .map(s => ClusteringInput("p", s.fileId, s.base.map(_.name), Nil))
    table(storage).store.requestClustering(theirs, ClusteringPlan(Seq(inputs)))
    assertEquals(still(storage)(TextServices.planClustering(table(storage))), None)
  }

  for (kind <- CompactionKind.All)
    versions(s"file groups whose logs are planned by a ${kind.name} compaction are not planned again") { storage =>
      append.run(table(storage))
      append.run(table(storage))
      def again(): Option[String] =
        CompactionScheduler.schedule(table(storage), compaction, kind = kind).flatMap(_.instant)
      val first = again().get
      assertEquals(still(storage)(again()), None)
      assertEquals(pending(storage), Seq(first))
      table(storage).store.delete(table(storage).timeline.pending.head)
      val (slice, theirs) = (table(storage).slices(Seq("p"))("p").head, next(storage))
      table(storage).store.requestCompaction(theirs,
        CompactionPlan(Seq(CompactionOperation("p", slice.fileId, slice.instant, slice.base.map(_.name),
              slice.logs.map(_.name)))), kind.action)
      assertEquals(still(storage)(again()), None)
      assertEquals(pending(storage), Seq(theirs))
    }

  versions("what is archived is not archived again, nor what another program's plan rests on") { storage =>
    val conf = Services.of().archiving.copy(minCommits = 2, maxCommits = 4, deltaCommits = None)
    def archive(): Seq[String] = new Archiver(table(storage), conf).run().instants.map(_.time)
    (1 to 6).foreach(_ => rewrite.run(table(storage)))
    assert(archive().nonEmpty)
    assertEquals(still(storage)(archive()), Nil)
    val rests = table(storage).timeline.writes.last.time
    table(storage).store.requestClean(next(storage), CleanPlan("KEEP_LATEST_COMMITS", None, "", Map.empty))
    (1 to 6).foreach(_ => rewrite.run(table(storage)))
    assert(archive().forall(_ < rests))
    assertEquals(still(storage)(archive()), Nil)
    assertEquals(table(storage).timeline.writes.head.time, rests)
  }

  versions("a write that was taken back is not taken back again, nor another in its place") { storage =>
    rewrite.run(table(storage))
    val newest = table(storage).timeline.writes.last.time
    Rollbacks.run(table(storage), Some(newest))
    val visible = TestTables.visible(table(storage))
    val e = intercept[InvalidInput](still(storage)(Rollbacks.run(table(storage), Some(newest))))
    assert(e.condition == "ROLLBACK_NOT_POSSIBLE" && !e.getMessage.contains("\n"), e.getMessage)
    assertEquals(TestTables.visible(table(storage)), visible)
  }

  versions("a rollback that another program has planned ends with ours, and the write goes once") { storage =>
    rewrite.run(table(storage))
    val writes = table(storage).timeline.writes
    val theirs = next(storage)
    table(storage).store.requestRollback(theirs, RollbackPlan(InstantName(writes.last.time, writes.last.action), Nil))
    assertEquals(still(storage)(Rollbacks.preview(table(storage), None)).write, writes.last.time)
    assertEquals(Rollbacks.run(table(storage), None).write, writes.last.time)
    assertEquals((table(storage).timeline.writes, pending(storage)), (writes.init, Nil))
    assert(!table(storage).timeline.contains(theirs))
  }

  versions("a state is saved once, and one that another program has begun to save is saved by ours") { storage =>
    val (first, last) = (table(storage).timeline.writes.head.time, table(storage).timeline.writes.last.time)
    Savepoints.create(table(storage), Some(first), "me", "")
    for (instant <- Seq(Some(first), None, None))
      if (instant.isEmpty && !table(storage).timeline.savepoints.contains(last)) {
        table(storage).store.toInflight(last, Action.Savepoint)
        assertEquals(Savepoints.create(table(storage), None, "me", "").instant, last)
      } else {
        val e = intercept[InvalidInput](still(storage)(Savepoints.create(table(storage), instant, "you", "")))
        assert(e.condition == "SAVEPOINT_NOT_POSSIBLE" && e.getMessage.contains("savepoint already"), e.getMessage)
      }
    assertEquals(Savepoints.list(table(storage)).map(s => (s.instant, s.by)), Seq((first, "me"), (last, "me")))
  }
}
