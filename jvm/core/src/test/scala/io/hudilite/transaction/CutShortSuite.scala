package io.hudilite.transaction

import io.hudilite.TestTables
import io.hudilite.config.TableType
import io.hudilite.error.CorruptTable
import io.hudilite.service.Services
import io.hudilite.service.compact.CompactionScheduler
import io.hudilite.storage.MemoryStorage
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.rollback.Heartbeat

import java.util.concurrent.atomic.AtomicLong

import munit.FunSuite

/** Completed files that end early, as a writer leaves them that died on a store that publishes what it has when it closes. */
class CutShortSuite extends FunSuite {

  private val path = "/t"

  /** A table whose last commit was cut to `length` bytes of its file, by a process that is gone. */
  private final class Torn(version: Int, length: Int => Int) {
    val now = new AtomicLong(1767225600000L)
    private val first = new MemoryStorage(() => now.get)
    private val made = TextWrites.table(first, path, version, TableType.CopyOnWrite)
    val before: Seq[String] = TestTables.visible(made)
    private val gone = TransactionOptions(process = Processes.elsewhere("gone", "gone"))
    private val transaction = TextWrites.rewrite.begin(made, gone)
    val instant: String = transaction.instant
    private val stats = TextWrites.rewrite.stage(made, instant)
    private val marks = first.paths.filter(p => p.contains("/.hudilite/") || p.contains("/.temp/"))
      .map(p => p -> first.read(p).get)
    transaction.commit(stats, assumption = TextWrites.rewrite.assumption)
    val after: Seq[String] = TestTables.visible(made)

    /** The files as another process sees them, which has read none of them yet. */
    val storage: MemoryStorage = seenAnew(first, now)
    val file: String = storage.list(made.store.folder).map(_.path)
      .find(p => p.contains(instant) && p.endsWith(".commit")).get
    private val whole = storage.read(file).get
    val size: Int = whole.length
    storage.replace(file, whole.take(length(size)))

    /** The writer did not come to removing its traces. */
    def withTraces(): Torn = {
      marks.foreach { case (p, bytes) => storage.replace(p, bytes) }
      this
    }

    def table: Table = Table.open(storage, path)
  }

  private def seenAnew(files: MemoryStorage, now: AtomicLong): MemoryStorage = {
    val other = new MemoryStorage(() => now.get)
    files.paths.foreach(p => other.replace(p, files.read(p).get))
    other
  }

  private val cuts: Seq[(String, Int => Int)] = Seq("one byte" -> (_ => 1), "three bytes" -> (_ => 3),
    "a quarter" -> (_ / 4), "half" -> (_ / 2), "all but one byte" -> (_ - 1), "all but sixteen" -> (_ - 16))

  for (version <- Seq(6, 9); (name, length) <- cuts) {

    test(
      s"version $version: of a commit cut to $name whose writer died nothing is visible, and the next one takes it back") {
      val torn = new Torn(version, length).withTraces()
      assertEquals(TestTables.visible(torn.table), torn.before)
      assert(torn.table.timeline.isPendingWrite(torn.instant))
      torn.now.addAndGet(2 * Heartbeat.ExpiryMs)
      TextWrites.insert("next-0").run(torn.table)
      assertEquals(TestTables.visible(torn.table).filterNot(_.contains("next-0")), torn.before)
      assertEquals(torn.storage.paths.filter(p => p.contains(torn.instant) && !p.endsWith("_metadata")), Nil)
    }

    test(s"version $version: a commit cut to $name after its writer had finished is damage, and its files stay") {
      val torn = new Torn(version, length)
      if (version == 6 && length(torn.size) == torn.size - 1) () // a final line feed is no loss
      else {
        val error = intercept[CorruptTable](torn.table)
        assertEquals((error.condition, error.parameters("path")), ("CORRUPT_FILE", torn.file))
        intercept[CorruptTable](TextWrites.insert("next-0").run(torn.table))
        assertEquals(torn.storage.paths.count(p => p.contains(s"_${torn.instant}.parquet")), 1)
      }
    }
  }

  test("a whole commit counts although its writer has not removed its traces yet") {
    val torn = new Torn(9, identity).withTraces()
    assertEquals(TestTables.visible(torn.table), torn.after)
    torn.now.addAndGet(2 * Heartbeat.ExpiryMs)
    TextWrites.insert("next-0").run(torn.table)
    assertEquals(TestTables.visible(torn.table).filterNot(_.contains("next-0")), torn.after)
  }

  test("a commit that is damaged in its middle is damage, be its writer dead or not") {
    val torn = new Torn(9, identity).withTraces()
    val bytes = torn.storage.read(torn.file).get
    java.util.Arrays.fill(bytes, bytes.length - 40, bytes.length - 20, 0x7f.toByte)
    torn.storage.replace(torn.file, bytes)
    intercept[CorruptTable](TestTables.visible(torn.table))
  }

  test("the commit of a compaction that was cut short leaves the plan to be run again") {
    val now = new AtomicLong(1767225600000L)
    val first = new MemoryStorage(() => now.get)
    val made = TextWrites.table(first, path, 9, TableType.MergeOnRead)
    TextWrites.append.run(made)
    val plan = CompactionScheduler.schedule(made.refresh(), Services.of().compaction).get.instant.get
    val table = made.refresh()
    val gone = TransactionOptions(process = Processes.elsewhere("gone", "gone"))
    val running = Transaction.resume(table, table.timeline.pendingCompactions.head, "COMPACT", gone)
    val owner = first.read(s"/t/.hoodie/.hudilite/$plan").get
    val slice = table.slices(Seq("p"))("p").head
    running.commit(Seq(TestTables.writeFile(table, plan, "p", "g-0", Some(slice.instant))))
    val storage = seenAnew(first, now)
    val file = storage.list(table.store.folder).map(_.path).find(p => p.contains(s"/${plan}_")).get
    storage.replace(file, storage.read(file).get.take(100))
    storage.replace(s"/t/.hoodie/.hudilite/$plan", owner)
    now.addAndGet(2 * Heartbeat.ExpiryMs)
    TextWrites.append.run(Table.open(storage, path))
    val after = Table.open(storage, path).timeline
    assertEquals(after.pendingCompactions.map(i => (i.time, i.state.name)), Seq((plan, "REQUESTED")))
    assertEquals(after.writes.map(_.action), Seq(Action.Commit, Action.DeltaCommit, Action.DeltaCommit))
  }
}
