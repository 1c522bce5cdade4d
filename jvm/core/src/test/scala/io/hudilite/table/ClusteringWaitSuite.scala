package io.hudilite.table

import io.hudilite.TestTables
import io.hudilite.storage.MemoryStorage
import io.hudilite.timeline.{Action, CommitMetadata}
import io.hudilite.timeline.plan.{ClusteringInput, ClusteringPlan}
import io.hudilite.transaction.Transaction

import munit.FunSuite

/** Waiting for clusterings that others run. */
class ClusteringWaitSuite extends FunSuite {

  private val path = "/t"

  private def versions(name: String)(body: Table => Unit): Unit =
    for (version <- Seq(6, 9)) test(s"version $version: $name") {
      val made = TestTables.create(new MemoryStorage(), path, version)
      TestTables.write(made, "p" -> "g-0")
      body(made.refresh())
    }

  /** The table with one more planned clustering of `g-0`, and its instant. */
  private def planned(table: Table): (Table, String) = {
    val time = table.store.newInstantTime(table.timeline.lastTime.get)
    val inputs = table.slices(Seq("p"))("p").map(s => ClusteringInput("p", s.fileId, s.base.map(_.name), Nil))
    table.store.requestClustering(time, ClusteringPlan(Seq(inputs), ""))
    (table.refresh(), time)
  }

  private def run(table: Table, time: String): Unit = {
    val instant = table.timeline.pending.find(_.time == time).get
    val running = Transaction.resume(table, instant, CommitMetadata.Cluster)
    running.commit(Seq(TestTables.writeFile(table, time, "p", s"c-$time")), Map("p" -> Seq("g-0")))
    ()
  }

  private val never: Long => Unit = millis => fail(s"waited for $millis ms")

  versions("a table without a pending clustering is not waited for, nor one of a write that does not wait") { table =>
    assert(ClusteringWait.ended(table, 60000, never) eq table)
    val open = Transaction.begin(table, Action.ReplaceCommit, "INSERT_OVERWRITE")
    val now = table.refresh()
    assert(ClusteringWait.ended(now, 60000, never) eq now, "an overwrite is no clustering")
    open.rollback()
    val (pending, _) = planned(table)
    assert(ClusteringWait.ended(pending, 0, never) eq pending)
  }

  versions("the wait ends when the clustering completes, and goes on for one that was planned meanwhile") { table =>
    val (pending, time) = planned(table)
    var pauses = Seq.empty[Long]
    var second = Option.empty[String]
    val after = ClusteringWait.ended(pending, 60000,
      { millis =>
        pauses :+= millis
        if (pauses.size == 3) {
          run(pending.refresh(), time)
          second = Some(planned(table.refresh())._2)
        }
        if (pauses.size == 5)
          pending.store.delete(pending.refresh().timeline.pending.find(i => second.contains(i.time)).get)
      })
    assertEquals(after.slices(Seq("p"))("p").map(_.fileId), Seq(s"c-$time"))
    assertEquals(after.timeline.pending, Nil)
    assertEquals(pauses, Seq(20L, 40L, 80L, 20L, 40L))
  }

  versions("the wait ends when its time is over, with what is pending still there, and when it is interrupted") {
    table =>
      val (pending, time) = planned(table)
      assertEquals(ClusteringWait.ended(pending, 5).pendingClusterings.values.toSeq, Seq(time))
      Thread.currentThread().interrupt()
      val interrupted =
        try { ClusteringWait.ended(pending, 60000); false }
        catch { case _: InterruptedException => true }
        finally { Thread.interrupted(); () }
      assert(interrupted)
  }
}
