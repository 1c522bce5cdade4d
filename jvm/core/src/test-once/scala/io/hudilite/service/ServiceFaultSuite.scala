package io.hudilite.service

import io.hudilite.error.{CommitConflict, CommitStateUnknown}
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.{Fault, TransactionOptions, World}
import io.hudilite.transaction.TextWrites.insert

import munit.FunSuite

/** Each service fails, or is killed, at each of its storage calls; and then the next one runs. Archiving and the doctor
  * have suites of their own for that.
  */
class ServiceFaultSuite extends FunSuite {

  override val munitTimeout = scala.concurrent.duration.Duration(5, "min")

  for (version <- Seq(6, 9); service <- Served.all)
    test(
      s"version $version: ${service.name} that fails or is killed at any call has happened or not, and can be ended") {
      new Trial(version, service).run()
    }

  private final class Trial(version: Int, service: Served) {

    private val origin = Served.origin(version, service)
    private val look = new Look(origin)

    def run(): Unit = {
      val whole = copyOfOrigin()
      val before = seen(whole)
      val calls = whole.calls(storage => service.run(Table.open(storage, Served.Path), World.Gone))
      val done = seen(whole)
      assert(before != done, "it has something to do")
      assert(calls > 5)
      Fault.inTurn(calls, version).foreach(fault => tried(fault, before, done))
    }

    private def tried(fault: Fault, before: Seen, done: Seen): Unit = {
      val world = copyOfOrigin()
      // A process that fails goes on to live, and is the next one itself.
      val self = if (fault.lasting) World.Gone else World.Next
      val failure = world.failing(fault)(storage => service.run(Table.open(storage, Served.Path), self))
      val clue = s"${fault.name}: $failure"
      val shown = seen(world)
      // Only a restore shows a state between the two.
      assert(isRestoring(world) || shown.rows == before.rows || shown.rows == done.rows, s"$clue: ${shown.rows}")
      assertSaved(world, clue)
      if (failure.isEmpty) assertEquals(shown, done, clue)
      // One that does not know itself how it ended leaves that to those who come when it is gone.
      val isUnknown = failure.exists(_.isInstanceOf[CommitStateUnknown])
      if (fault.lasting || isUnknown) world.later()
      val next = if (isUnknown) World.Last else World.Next
      // The one who called it may call it again at once, or others go on.
      if (fault.number % 2 == 0) assertEquals(nextWriter(world, next), shown.rows, clue)
      if (seen(world) != done) service.run(world.table, next)
      if (fault.number % 2 == 1) assertEquals(nextWriter(world, next), done.rows, clue)
      assertEquals(seen(world), done, clue)
      assertEquals(world.files.filter(Served.isTrace), Nil, clue)
      assertSaved(world, clue)
      insert("later").run(world.table, next)
    }

    /** Rows that readers see after a write has begun. Only a restore may forbid the write. */
    private def nextWriter(world: World, next: TransactionOptions): Seq[String] = {
      val restoring = isRestoring(world)
      try {
        insert("next").begin(world.table, next).rollback()
        assert(!restoring)
      } catch { case e: CommitConflict if restoring => assertEquals(e.condition, "RESTORE_PENDING") }
      seen(world).rows
    }

    private def isRestoring(world: World): Boolean = world.timeline.pending.exists(_.action == Action.Restore)

    private def copyOfOrigin(): World = origin.copy()

    private def seen(world: World): Seen = look.seen(world)

    private def assertSaved(world: World, clue: String): Unit =
      for (saved <- world.timeline.completed.filter(_.action == Action.Savepoint)) {
        val files = world.table.store.readSavepoint(saved).files
        for ((partition, names) <- files; name <- names)
          assert(world.memory.exists(s"${Served.Path}/$partition/$name"), clue)
      }
  }
}
