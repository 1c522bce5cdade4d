package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.CommitConflict
import io.hudilite.storage.Storage
import io.hudilite.table.Table
import io.hudilite.transaction.lock.{LocalLocks, Owner, Process}
import io.hudilite.transaction.rollback.OwnerFile

import java.nio.file.Files
import java.time.{Clock, Duration}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Two processes in one JVM, at work on one table on the local disk. */
class ProcessSuite extends FunSuite {

  /** A process, and how it sees the table. */
  private final class Seen(path: String, val process: Process) {
    val options: TransactionOptions = TransactionOptions(process = process, claimWaitMs = 0L)
    def table: Table = Table.open(process.storage(new Configuration()), path)
    def begin(write: TextWrite): Transaction = write.begin(table, options)
  }

  private def processes(test: String)(first: Owner => Owner)(body: (Seen, Seen) => Unit): Unit = this.test(test) {
    val path = Files.createTempDirectory("hudilite-processes").resolve("t").toString
    TextWrites.table(TestTables.storage, path, 9, TableType.CopyOnWrite)
    body(new Seen(path, Processes.named(first)), new Seen(path, Processes.named(_.copy(process = "second"))))
  }

  private def condition(body: => Any): String = intercept[CommitConflict](body).condition

  private def ofThisMachine(owner: Owner): Owner = owner.copy(process = "first")

  processes("a write gives way to what another process has committed since, which leaves it alone while it is alive")(
    ofThisMachine) { (first, second) =>
    val before = first.table
    val write = TextWrites.rewrite.begin(before, first.options)
    TextWrites.rewrite.run(second.table, second.options)
    assertEquals(OwnerFile.read(before.storage, before.basePath, write.instant), Some(first.process.owner))
    assertEquals(condition(TextWrites.rewrite.commit(before, write)), "COMMIT_CONFLICT")
    write.rollback()
    assertEquals(first.table.timeline, second.table.timeline)
    assertEquals(first.table.timeline.writes.size, 2)
  }

  processes("the lock that one process holds another one waits for, also on the same thread")(ofThisMachine) {
    (first, second) =>
      val place = first.table.place
      first.process.locks.withTableLock(place, 1000L)(
        assertEquals(condition(second.process.locks.withTableLock(place, 50L)(())), "LOCK_TIMEOUT"))
      assertEquals(second.process.locks.withTableLock(place, 1000L)(1), 1)
  }

  processes("while a process of another machine writes a write is refused")(_.copy(host = "a/b/c", process = "first")) {
    (first, second) =>
      val write = first.begin(TextWrites.rewrite)
      assertEquals(condition(second.begin(TextWrites.insert("h-0"))), "WRITER_NOT_EXCLUDED")
      write.rollback()
      TextWrites.insert("h-0").run(second.table, second.options)
  }

  processes("what a dead process began the next one takes back")(
    _.copy(pid = Int.MaxValue.toLong, process = "first")) { (first, second) =>
    val table = first.table
    val write = TextWrites.rewrite.begin(table, first.options)
    TextWrites.insert("h-0").run(second.table, second.options)
    assertEquals(second.table.timeline.pending, Nil)
    assertEquals(condition(TextWrites.rewrite.commit(table, write)), "COMMIT_CONFLICT")
  }

  processes("a process that begins anew under the name of one that ended takes back what that one began")(
    ofThisMachine) {
    (first, second) =>
      val write = first.begin(TextWrites.rewrite)
      assertEquals(first.table.timeline.pending.map(_.time).distinct, Seq(write.instant))
      val again = new Seen(first.table.basePath, new Process(first.process.owner))
      TextWrites.insert("h-0").run(again.table, again.options)
      assertEquals(second.table.timeline.pending, Nil)
  }

  test("each process has a clock and a memory of its own, and one memory for all its storages") {
    val late = Clock.offset(Clock.systemUTC(), Duration.ofDays(3650))
    val process = new Process(Process.current.owner, new LocalLocks, late)
    def one: Storage = process.storage(new Configuration())
    assert(one.clock.millis() > Clock.systemUTC().millis() + Duration.ofDays(3649).toMillis)
    assert(one.caches eq one.caches)
    assert(one.caches ne new Process(Process.current.owner).storage(new Configuration()).caches)
    assert(Process.current.storage(new Configuration()).caches eq TestTables.storage.caches)
  }
}
