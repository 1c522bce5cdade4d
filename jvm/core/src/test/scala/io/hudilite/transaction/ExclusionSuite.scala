package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.CommitConflict
import io.hudilite.storage.{FileInfo, ForwardingStorage, MemoryStorage, Place, Storage}
import io.hudilite.table.Table
import io.hudilite.transaction.rollback.{Heartbeat, Owner}

import java.nio.file.Paths
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

/** Writers in processes that no lock joins. */
class ExclusionSuite extends FunSuite {

  private val path = "/t"
  private val hosts = Seq("a", "b").map(h => TransactionOptions(process = Owner.current.copy(host = h, process = h)))

  private def refused(body: => Any): CommitConflict = {
    val error = intercept[CommitConflict](body)
    assertEquals(error.condition, "WRITER_NOT_EXCLUDED")
    error
  }

  /** The storage as one process sees it: what it locks, no other one does. */
  private final class Process(to: Storage, name: String, before: String => Unit = _ => ())
      extends ForwardingStorage(to) {
    override def place(path: String): Place = super.place(path).copy(key = s"$name of ${super.place(path).key}")
    private def call[T](path: String)(made: => T): T = { before(path); made }
    override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] =
      call(directories.head)(super.list(directories))
    override def createNew(path: String, content: Array[Byte]): Boolean = call(path)(super.createNew(path, content))
    override def replace(path: String, content: Array[Byte]): Unit = call(path)(super.replace(path, content))
    override def delete(path: String): Boolean = call(path)(super.delete(path))
    override def exists(path: String): Boolean = call(path)(super.exists(path))
    override def read(path: String): Option[Array[Byte]] = call(path)(super.read(path))
  }

  private def open(storage: Storage): Table = Table.open(storage, path)

  test("while another process writes a begin is refused by name, and leaves nothing") {
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
    val first = TextWrites.insert("a-0").begin(open(storage), hosts(0))
    val before = storage.paths
    val error = refused(TextWrites.insert("b-0").begin(open(storage), hosts(1)))
    assertEquals(error.parameters("instant"), first.instant)
    assert(error.parameters("process").endsWith(" of a"), error.getMessage)
    assertEquals(storage.paths, before)
    TextWrites.insert("a-0").commit(open(storage), first)
    TextWrites.insert("b-0").run(open(storage), hosts(1))
    assertEquals(TestTables.visible(open(storage)).size, 3)
  }

  test("a process that comes back after it was taken for dead does not commit") {
    val now = new AtomicLong(1767225600000L)
    val storage = new MemoryStorage(() => now.get)
    TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
    val table = open(storage)
    val paused = TextWrites.rewrite.begin(table, hosts(0))
    now.addAndGet(2 * Heartbeat.ExpiryMs)
    val next = TextWrites.insert("b-0").begin(open(storage), hosts(1))
    refused(TextWrites.rewrite.commit(table, paused))
    TextWrites.insert("b-0").commit(open(storage), next)
    paused.rollback()
    assertEquals(TestTables.visible(open(storage)).map(_.take(5)), Seq("p/b-0", "p/g-0"))
    assertEquals(open(storage).timeline.pending, Nil)
  }

  test("two processes that a lock joins write at one time, and two writes of one process as well") {
    val storage = new MemoryStorage()
    val local = new ForwardingStorage(storage) {
      override def place(path: String): Place = super.place(path).copy(local = Some(Paths.get("/nowhere/t")))
    }
    TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
    val others = TransactionOptions(process = Owner.current.copy(process = "another class loader"))
    val both = Seq(TransactionOptions(), others).zip(Seq("a-0", "b-0"))
    for (here <- Seq(local, storage); options <- if (here eq local) Seq(others) else Seq(TransactionOptions())) {
      val first = TextWrites.insert("x-0").begin(open(here))
      TextWrites.insert("y-0").run(open(here), options)
      first.rollback()
    }
    assertEquals(both.size, 2)
    val elsewhere = TransactionOptions(process = Owner.current.copy(host = "elsewhere/1-2-3", process = "x"))
    val first = TextWrites.insert("x-0").begin(open(local))
    refused(TextWrites.insert("y-0").begin(open(local), elsewhere))
    first.rollback()
  }

  /** The first writer is held at a call while the second one does all that it does. */
  for (version <-
      Seq(6, 9);
    write <- Seq(TextWrites.rewrite, TextWrites.keyed))
    test(
      s"version $version, ${write.name}: a writer that is held at any call while another one runs loses nothing of its") {
      var held = 0
      var number = 0
      var done = false
      while (!done) {
        number += 1
        val storage = new MemoryStorage()
        TextWrites.table(storage, path, version, TableType.CopyOnWrite)
        var calls = 0
        var others: Option[Boolean] = None
        def outcome(run: => Unit): Boolean = try { run; true }
        catch { case _: CommitConflict => false }
        val process = new Process(storage, "a",
          _ => {
            calls += 1
            if (calls == number) others = Some(outcome(write.run(open(new Process(storage, "b")), hosts(1))))
          })
        val ours = outcome(write.run(open(process), hosts(0)))
        if (others.isEmpty) done = true else held += 1
        // A snapshot from before the other's commit conflicts; whoever was told that it committed is there, once.
        val committed = Seq(ours, others.getOrElse(false)).count(identity)
        val timeline = open(storage).timeline
        assertEquals(timeline.writes.size, 1 + committed, s"held at call $number")
        assertEquals(timeline.pending, Nil, s"held at call $number")
        val keyed = TestTables.visible(open(storage)).filter(_.startsWith("p/k"))
        assertEquals(keyed.size, if (write.name == "keyed") 1 else 0, s"held at call $number")
        assertEquals(storage.paths.filter(p => p.contains("/.temp/") || p.contains("/.hudilite/")), Nil,
          s"held at call $number")
      }
      assert(held > 20, s"$held calls")
    }
}
