package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.{CommitConflict, CommitStateUnknown, InvalidInput}
import io.hudilite.storage.{ForwardingStorage, MemoryStorage, Place, Storage}
import io.hudilite.table.Table
import io.hudilite.transaction.rollback.{Claim, Heartbeat}

import java.nio.file.Paths
import java.time.Duration
import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

/** Writers in processes that no lock joins. */
class ExclusionSuite extends FunSuite {

  private val path = "/t"
  private val hosts = Seq("a", "b").map(TwoProcesses.options)

  private def refused(body: => Any): CommitConflict = {
    val error = intercept[CommitConflict](body)
    assertEquals(error.condition, "WRITER_NOT_EXCLUDED")
    error
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

  test(
    "a claim that gives way to a write as that looks for others before it commits does not fail it, one that stays does") {
    for (stays <- Seq(false, true)) {
      val storage = new MemoryStorage()
      TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
      val look = s"list $path/.hoodie/.hudilite"
      var (committing, looks) = (false, 0)
      var claim: Option[Claim] = None
      val table = open(new ProcessView(storage,
          call =>
            if (committing && call == look) {
              looks += 1
              if (looks == 1) claim = Some(Claim.take(storage, path, hosts(1).process))
              else if (!stays) claim.foreach(_.end())
            }))
      val write = TextWrites.insert("a-0").begin(table, hosts(0))
      committing = true
      if (stays) refused(TextWrites.insert("a-0").commit(table, write))
      else TextWrites.insert("a-0").commit(table, write)
      assert(looks > 1, looks)
      claim.foreach(_.end())
      write.rollback()
      assertEquals(TestTables.visible(open(storage)).size, if (stays) 1 else 2)
    }
  }

  test("two processes that a lock joins write at one time, and two writes of one process as well") {
    val storage = new MemoryStorage()
    val local = new ForwardingStorage(storage) {
      override def place(path: String): Place = super.place(path).copy(local = Some(Paths.get("/nowhere/t")))
    }
    TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
    val others = TransactionOptions(process = Processes.named(_.copy(process = "another class loader")))
    val both = Seq(TransactionOptions(), others).zip(Seq("a-0", "b-0"))
    for (here <- Seq(local, storage); options <- if (here eq local) Seq(others) else Seq(TransactionOptions())) {
      val first = TextWrites.insert("x-0").begin(open(here))
      TextWrites.insert("y-0").run(open(here), options)
      first.rollback()
    }
    assertEquals(both.size, 2)
    val elsewhere = TransactionOptions(process = Processes.elsewhere("elsewhere/1-2-3", "x"))
    val first = TextWrites.insert("x-0").begin(open(local))
    refused(TextWrites.insert("y-0").begin(open(local), elsewhere))
    first.rollback()
  }

  /** The first writer is held at a request while the second one goes on to one of its own. On the second storage both find
    * a name free that both then take, and both choose the next millisecond after the newest instant.
    */
  for (version <-
      Seq(6, 9);
    write <-
      Seq(TextWrites.rewrite, TextWrites.keyed);
    exclusive <- Seq(true, false))
    test(
      s"version $version, ${write.name}: of two writers held at any of their requests none loses what it was told is " +
        s"there${if (exclusive) "" else ", where a name may be won twice"}") {
      val number = TwoProcesses.heldAnywhere(step = 3) { (number, other) =>
        val storage = new MemoryStorage()
        TextWrites.table(storage, path, version, TableType.CopyOnWrite)
        def run(process: Int)(view: Storage): Unit = write.run(open(view), hosts(process))
        val ended = TwoProcesses.run(storage, number, other, exclusive, Duration.ofHours(1))(run(0), run(1))
        check(storage, Seq(ended.first) ++ ended.second, write, s"held at $number and $other")
        ended
      }
      assert(number > 20, s"$number requests")
    }

  for (version <- Seq(6, 9); write <- Seq(TextWrites.rewrite, TextWrites.keyed); exclusive <- Seq(true, false))
    test(s"version $version, ${write.name}: of two writers that take turns none loses what it was told is there" +
      s"${if (exclusive) "" else ", where a name may be won twice"}") {
      for (n <- 1 to 4; m <- 1 to 4; early <- 0 to 6) {
        val storage = new MemoryStorage()
        TextWrites.table(storage, path, version, TableType.CopyOnWrite)
        def run(process: Int)(view: Storage): Unit = write.run(open(view), hosts(process))
        val ended = TwoProcesses.alternating(storage, n, m, exclusive, Duration.ofHours(1))(
          view => { (1 to early).foreach(_ => view.exists("/elsewhere")); run(0)(view) }, run(1))
        check(storage, Seq(ended.first) ++ ended.second, write, s"turns of $n and $m, $early")
      }
    }

  private def check(storage: MemoryStorage, outcomes: Seq[Either[Throwable, Unit]], write: TextWrite, clue: String)
      : Unit = {
    outcomes.flatMap(_.left.toOption).foreach {
      case _: CommitConflict =>
      case e => throw new AssertionError(clue, e)
    }
    // A snapshot from before the other's commit conflicts; whoever was told that it committed is there, once.
    val timeline = open(storage).timeline
    assertEquals(timeline.writes.size, 1 + outcomes.count(_.isRight), clue)
    assertEquals(timeline.pending, Nil, clue)
    val keyed = TestTables.visible(open(storage)).filter(_.startsWith("p/k"))
    assertEquals(keyed.size, if (write.name == "keyed" && outcomes.exists(_.isRight)) 1 else 0, clue)
    assertEquals(storage.paths.filter(p => p.contains("/.temp/") || p.contains("/.hudilite/")), Nil, clue)
  }

  test("a write whose instant another process has as well, for it was taken for dead, is of unknown state") {
    val storage = new MemoryStorage()
    TextWrites.table(storage, path, 9, TableType.CopyOnWrite)
    val table = open(storage)
    val write = TextWrites.rewrite.begin(table, hosts(0))
    storage.replace(s"$path/.hoodie/.hudilite/${write.instant}.another-run", Array.emptyByteArray)
    val error = intercept[CommitStateUnknown](TextWrites.rewrite.commit(table, write))
    assert(error.getCause.getMessage.contains("same instant"), error.getCause.getMessage)
    val before = storage.paths
    write.rollback()
    assertEquals((storage.paths, write.isRolledBack), (before, false))
  }

  test("a first write is refused while another process is at work, and leaves the table to it") {
    val storage = new MemoryStorage()
    def first(host: Int): FirstWrite = FirstWrite.create(new ProcessView(storage), path,
      TextWrites.facts(9, TableType.CopyOnWrite), hosts(host))
    val made = first(0)
    val write = TextWrites.insert("b-0")
    val theirs = write.begin(open(storage), hosts(1))
    refused(made.begin(write.action, "INSERT"))
    made.remove("")
    write.commit(open(storage), theirs)
    assertEquals(TestTables.visible(open(storage)).map(_.take(5)), Seq("p/b-0"))
    val claim = s"$path/other/.hoodie/.hudilite/claim-1"
    storage.replace(claim, storage.read(s"$path/.hoodie/.hudilite/${held(storage)}").get)
    refused(FirstWrite.create(new ProcessView(storage), s"$path/other",
        TextWrites.facts(9, TableType.CopyOnWrite), hosts(0)))
    assertEquals(storage.paths.filter(_.startsWith(s"$path/other")), Seq(claim))
  }

  // An owner file of the other process.
  private def held(storage: Storage): String = TextWrites.insert("c-0").begin(open(storage), hosts(1)).instant

  test(
    "a first writer that takes its table back, held at any request, takes away nothing that others were told is there") {
    val number = TwoProcesses.heldAnywhere(step = 1) { (number, other) =>
      val storage = new MemoryStorage()
      def failing(view: Storage): Unit =
        FirstWrite.create(view, path, TextWrites.facts(9, TableType.CopyOnWrite), hosts(0)).remove("")
      val ended = TwoProcesses.run(storage, number, other)(failing,
        view => TextWrites.insert("b-0").run(open(view), hosts(1)))
      val clue = s"held at $number and $other"
      (Seq(ended.first) ++ ended.second).flatMap(_.left.toOption).foreach {
        case _: CommitConflict | _: InvalidInput =>
        case e => throw new AssertionError(clue, e)
      }
      if (ended.second.exists(_.isRight))
        assertEquals(TestTables.visible(open(storage)).map(_.take(5)), Seq("p/b-0"), clue)
      ended
    }
    assert(number > 8, s"$number requests")
  }
}
