package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.TestTables.writeFile
import io.hudilite.config.{CommitNotes, WriteVersion}
import io.hudilite.error.CommitConflict
import io.hudilite.service.undo.Rollbacks
import io.hudilite.table.{StatedFacts, Table}
import io.hudilite.timeline.{Action, CommitMetadata, Instant}
import io.hudilite.transaction.rollback.ForeignWrites

import munit.FunSuite

/** Facts of the programs that write, from commit to commit. */
class CarriedFactsSuite extends FunSuite {

  private val Checkpoint = "deltastreamer.checkpoint.key"

  private def versions(name: String)(body: Table => Unit): Unit =
    for (version <- Seq(6, 9)) test(s"version $version: $name")(body(TestTables.create(version)))

  private def notes(application: String, number: Long): CommitNotes =
    CommitNotes(Map("_job" -> "nightly"), Some(WriteVersion(application, number)))

  private def begin(table: Table): Transaction = Transaction.begin(table.refresh(), Action.Commit, "UPSERT")

  private def commit(table: Table, run: Transaction, notes: CommitNotes): Instant =
    run.commit(Seq(writeFile(table, run.instant, "p", s"f${run.instant}-0")), assumption = Assumption.Nothing,
      notes = notes)

  private def write(table: Table, notes: CommitNotes = CommitNotes.Empty): Instant = commit(table, begin(table), notes)

  private def stated(table: Table): StatedFacts = StatedFacts.of(table.store, table.refresh().timeline)

  private def newest(table: Table): Map[String, String] = {
    val now = table.refresh()
    now.store.readCommit(now.timeline.lastCompleted.get).extra
  }

  /** A commit of another writer, begun now and completed by the call of the answer. */
  private def foreign(table: Table, extra: Map[String, String] = Map.empty): () => Unit = {
    val now = table.refresh()
    val time = now.store.newInstantTime(now.timeline.lastTime.getOrElse(""))
    now.store.request(time, Action.Commit)
    now.store.begin(time, Action.Commit)
    () => {
      now.store.complete(time, Action.Commit, CommitMetadata("UPSERT", Map.empty, extra))
      ()
    }
  }

  versions("of two writers of one version, the one that commits last is refused") { table =>
    val (first, second, other) = (begin(table), begin(table), begin(table))
    commit(table, first, notes("a", 5))
    val refused = intercept[CommitConflict](commit(table, second, notes("a", 5)))
    assert(refused.getMessage.contains("the version 5 of the application 'a'"), refused.getMessage)
    second.rollback()
    commit(table, other, notes("b", 5))
    assertEquals(stated(table).versions, Map("a" -> 5L, "b" -> 5L))
    assert(stated(table).seen(WriteVersion("a", 4)).contains(5L))
    assertEquals(stated(table).seen(WriteVersion("a", 6)), None)
    assertEquals(stated(table).seen(WriteVersion("c", 1)), None)
  }

  versions("numbers are carried on past commits of others, and end with a rollback of their write") { table =>
    write(table, notes("a", 1))
    write(table, notes("a \"b\"", -7))
    foreign(table)()
    write(table)
    assertEquals(stated(table).versions, Map("a" -> 1L, "a \"b\"" -> -7L))
    assertEquals(StatedFacts.ofPrograms(newest(table)), Map.empty[String, String])
    write(table, notes("a", 2))
    assertEquals(StatedFacts.ofPrograms(newest(table)),
      Map("_job" -> "nightly", "txnAppId" -> "a", "txnVersion" -> "2"))
    Rollbacks.run(table.refresh(), None)
    assertEquals(stated(table).versions("a"), 1L)
  }

  versions("a streamer's checkpoint is carried on, and the newest one counts") { table =>
    foreign(table, Map(Checkpoint -> "one", "else" -> "x"))()
    write(table)
    assertEquals(StatedFacts.ofPrograms(newest(table)), Map(Checkpoint -> "one"))
    foreign(table, Map("streamer.checkpoint.key.v2" -> "two"))()
    (1 to 3).foreach(_ => write(table))
    assertEquals(StatedFacts.ofPrograms(newest(table)), Map("streamer.checkpoint.key.v2" -> "two"))
  }

  versions("a checkpoint that is about to come is not hidden by an older one") { table =>
    foreign(table, Map(Checkpoint -> "one"))()
    val later = foreign(table, Map(Checkpoint -> "two"))
    val beside = TransactionOptions(foreignWrites = ForeignWrites.policy("NEVER"))
    commit(table, Transaction.begin(table.refresh(), Action.Commit, "UPSERT", beside), notes("a", 1))
    assertEquals(newest(table).get(Checkpoint), None)
    later()
    write(table)
    assertEquals(newest(table).get(Checkpoint), Some("two"))
    assertEquals(stated(table).versions, Map("a" -> 1L))
  }
}
