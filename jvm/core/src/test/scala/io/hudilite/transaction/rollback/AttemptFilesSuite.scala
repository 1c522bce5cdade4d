package io.hudilite.transaction.rollback

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.storage.{Machine, MemoryStorage, Storage}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, WriteStat}
import io.hudilite.transaction.{Assumption, Transaction}

import java.time.{Duration, Instant => EpochInstant}

import munit.FunSuite

/** Task attempts that outlive their write. */
class AttemptFilesSuite extends FunSuite {

  private val path = "/t"

  private final class Write(val storage: MemoryStorage = new MemoryStorage()) {
    val table: Table = TestTables.create(storage, path, 9, TableType.CopyOnWrite)
    val transaction: Transaction = Transaction.begin(table, Action.Commit, "INSERT")

    def attempt(number: Int, through: Storage = storage): Attempt = new Attempt(transaction.permit, number, through)

    def commit(stats: Seq[WriteStat]): Unit = {
      transaction.commit(stats, assumption = Assumption.Nothing)
      ()
    }

    def data: Seq[String] = storage.paths.filter(_.endsWith(".parquet")).map(_.stripPrefix("/t/"))

    /** Markers and folders of them. */
    def leftovers: Seq[String] = storage.list("/t/.hoodie/.temp").map(_.path)
  }

  /** An attempt of the first task, which writes file groups one after the other. */
  private final class Attempt(permit: WritePermit, number: Int, storage: Storage) {
    private val files = new AttemptFiles(storage, path, permit)
    private var written = Seq.empty[WriteStat]

    def begin(): WriteStat = {
      Partitions.createMetadata(storage, path, "p", permit.instant)
      val fileId = FileNames.newFileId(permit.instant, 0, written.size)
      val name = FileNames.baseFile(fileId, s"0-0-$number", permit.instant)
      files.begin(Marker(s"p/$name", Markers.Create))
      written :+= WriteStat(fileId, s"p/$name", WriteStat.NoPreviousCommit, "p", numWrites = 1, numInserts = 1)
      written.last
    }

    def write(): WriteStat = {
      val stat = begin()
      storage.replace(s"$path/${stat.path}", Array[Byte](1))
      stat
    }

    def finish(): Seq[WriteStat] = { files.confirm(); written }
  }

  private def ended(body: => Any): Unit = {
    val error = intercept[CommitConflict](body)
    assertEquals(error.condition, "WRITE_ENDED")
  }

  test("an attempt keeps its files while its write runs") {
    val write = new Write
    val attempt = write.attempt(0)
    attempt.write()
    attempt.write()
    write.commit(attempt.finish())
    assertEquals(write.data.size, 2)
    assertEquals(write.leftovers, Nil)
  }

  test("a second attempt gives its file groups the same ids") {
    val write = new Write
    val stats = Seq(0, 1).map(n => { val a = write.attempt(n); Seq(a.write(), a.write()).map(_.fileId) })
    assertEquals(stats(0), stats(1))
    assertEquals(stats(0).distinct.size, 2)
    write.transaction.rollback()
  }

  test("the files of an attempt that lost go before the commit") {
    val write = new Write
    val (lost, won) = (write.attempt(0), write.attempt(1))
    lost.write()
    lost.finish()
    won.write()
    val stats = won.finish()
    write.commit(stats)
    assertEquals(write.data, stats.map(_.path))
  }

  test("an attempt whose write committed without it deletes its files at its end") {
    val write = new Write
    val (late, won) = (write.attempt(0), write.attempt(1))
    late.begin()
    won.write()
    val stats = won.finish()
    write.commit(stats)
    late.write()
    ended(late.finish())
    assertEquals(write.data, stats.map(_.path))
    assertEquals(write.leftovers, Nil)
  }

  test("the same after a rollback") {
    val write = new Write
    val late = write.attempt(0)
    late.write()
    write.transaction.rollback()
    late.write()
    ended(late.finish())
    assertEquals(write.data, Nil)
    assertEquals(write.leftovers, Nil)
  }

  test("an attempt that goes on for long after its write has ended begins no file") {
    val write = new Write
    val machine = new Machine(write.storage, EpochInstant.parse("2026-11-22T12:00:00Z"))
    val late = write.attempt(0, machine)
    write.commit(Nil)
    machine.pass(Duration.ofSeconds(11))
    ended(late.begin())
    assertEquals(write.leftovers, Nil)
  }

  test("an attempt of an earlier run of a compaction knows that it is not of this one") {
    val storage = new MemoryStorage()
    val instant = "20260101000000000"
    val (first, second) = (WritePermit.of(instant), WritePermit.of(instant))
    first.issue(storage, path)
    first.revoke(storage, path)
    second.issue(storage, path)
    val late = new Attempt(first, 0, storage)
    late.write()
    ended(late.finish())
    assertEquals(storage.paths.filter(_.endsWith(".parquet")), Nil)
  }

  test("what a dead attempt leaves in a committed instant is not read: in the same file groups, or in one more") {
    val write = new Write
    val (dead, won) = (write.attempt(0), write.attempt(1))
    won.write()
    val stats = won.finish()
    write.commit(stats)
    // It was killed between closing its files and asking for its permit.
    dead.write()
    dead.write()
    assertEquals(write.data.size, 3)
    val seen = write.table.refresh().allSlices().values.flatten.toSeq
    assertEquals(seen.flatMap(_.base).map(_.relativePath), stats.map(_.path))
  }

  for (step <- Seq("marker", "file", "look"))
    test(s"a commit while an attempt is before its $step leaves nothing of it") {
      val write = new Write
      val won = write.attempt(1)
      won.write()
      val stats = won.finish()
      var committed = false
      def commitOnce(): Unit = if (!committed) { committed = true; write.commit(stats) }
      val held = new io.hudilite.storage.ForwardingStorage(write.storage) {
        override def replace(file: String, content: Array[Byte]): Unit = {
          if ((step == "marker" && file.contains(".marker.")) || (step == "file" && file.endsWith(".parquet")))
            commitOnce()
          super.replace(file, content)
        }
        override def exists(file: String): Boolean = {
          if (step == "look" && file.contains("/.hudilite/")) commitOnce()
          super.exists(file)
        }
      }
      val late = write.attempt(0, held)
      late.write()
      ended(late.finish())
      assert(committed)
      assertEquals(write.data, stats.map(_.path))
      assertEquals(write.leftovers, Nil)
    }
}
