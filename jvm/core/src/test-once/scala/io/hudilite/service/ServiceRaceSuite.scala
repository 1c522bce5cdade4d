package io.hudilite.service

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.filegroup.FileSlice
import io.hudilite.storage.{FaultyStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.{TextWrite, TextWrites, TransactionOptions, World}

import java.util.concurrent.TimeUnit

import munit.FunSuite

/** Actions that got to their end. */
private final case class Ended(service: Boolean, write: Boolean)

/** Each service is held at each of its storage calls while a write of the same application runs from its begin to its end:
  * both, or one of them, have then happened one after the other. At every other call the write brings new rows, and at the
  * calls between it changes rows; in the other table version it is the other way round.
  */
class ServiceRaceSuite extends FunSuite {

  override val munitTimeout = scala.concurrent.duration.Duration(5, "min")

  // Whoever holds the table's lock is held itself, so that nobody need wait for it.
  private val hasty = TransactionOptions(lockWaitMs = 1L)

  /** New rows, and changes of rows in the file group that is there, whatever a service has made of it. */
  private def writes(service: Served): Seq[TextWrite] = Seq(TextWrites.insert("w-0"),
    if (service.tableType == TableType.MergeOnRead)
      TextWrites.append.copy(stage = (t, i) => Seq(TestTables.appendLog(t, i, group(t), attempt = 9)))
    else TextWrites.rewrite.copy(stage = (t, i) => Seq(changed(t, i, group(t)))))

  private def group(table: Table): FileSlice = table.slices(Seq("p"))("p").minBy(_.fileId)

  private def changed(table: Table, instant: String, group: FileSlice): WriteStat =
    TestTables.writeFile(table, instant, "p", group.fileId, Some(group.instant)).copy(numInserts = 0,
      numUpdateWrites = 1)

  for (version <- Seq(6, 9); service <- Served.all)
    test(s"version $version: ${service.name} that is held at any call while a write runs") {
      val races = writes(service).map(new Race(version, service, _))
      var number = 1
      while (races((number + version) % 2).heldAt(number)) number += 1
      assert(number > 5, s"$number calls")
    }

  private final class Race(version: Int, service: Served, write: TextWrite) {

    private val origin = Served.origin(version, service)
    private val look = new Look(origin)

    /** Possible final states, by the actions that got to their end: as if one had run after the other. */
    private lazy val serial: Map[Ended, Set[Seq[String]]] = {
      def rows(steps: Map[String, World => Boolean], order: String*): (Ended, Seq[String]) = {
        val world = origin.copy()
        val done = order.filter(steps(_)(world)).toSet
        (Ended(done("service"), done("write")), look.seen(world).rows)
      }
      val steps = Map[String, World => Boolean]("service" -> (w => serves(w.memory)), "write" -> (writesTo(_)))
      Seq(rows(steps, "service", "write"), rows(steps, "write", "service"), rows(steps, "service"),
        rows(steps, "write"),
        rows(steps))
        .groupBy(_._1).map { case (ended, all) => ended -> all.map(_._2).toSet }
    }

    /** `false` when the service has fewer calls. */
    def heldAt(number: Int): Boolean = {
      val world = origin.copy()
      var written: Option[Boolean] = None
      val held = new FaultyStorage(world.memory,
        call => {
          if (call == number) written = Some(elsewhere(writesTo(world)))
          false
        },
        () => new IllegalStateException, afterEffect = false)
      val served = serves(held)
      written.foreach { wrote =>
        val clue = s"${write.name}, held at call $number, ${Ended(served, wrote)}"
        val rows = look.seen(world).rows
        val expected = serial.getOrElse(Ended(served, wrote), Set.empty)
        assert(expected(rows), s"$clue: $rows, not ${expected.mkString(" or ")}")
        assertEquals(world.files.filter(Served.isTrace), Nil, clue)
        TextWrites.insert("later").run(world.table)
      }
      written.isDefined
    }

    private def serves(storage: Storage): Boolean = ended(service.run(Table.open(storage, Served.Path), hasty))

    private def writesTo(world: World): Boolean = ended(write.run(world.table, hasty))

    // Nothing may be left to do after the other one; an error says so then.
    private def ended(run: => Unit): Boolean =
      try { run; true }
      catch { case _: CommitConflict | _: InvalidInput => false }

    private def elsewhere(run: => Boolean): Boolean = {
      var outcome: Either[Throwable, Boolean] = Left(new IllegalStateException("it goes on for ever"))
      val thread = new Thread(() =>
        outcome = try Right(run)
        catch { case e: Throwable => Left(e) })
      thread.start()
      thread.join(TimeUnit.SECONDS.toMillis(60))
      outcome.fold(throw _, identity)
    }
  }
}
