package io.hudilite.transaction.lock

import io.hudilite.config.TableType
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.storage.{FaultyStorage, ForwardingStorage, HadoopStorage, Machine, Place, Storage}
import io.hudilite.table.Table
import io.hudilite.transaction.{FirstWrite, Processes, TextWrites, TransactionOptions}
import io.hudilite.transaction.rollback.{ForeignWrites, Heartbeat}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.util.concurrent.{Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import org.apache.hadoop.conf.Configuration

/** The lock file that processes of several machines share. */
class StorageLockSuite extends FunSuite {

  private val storage: Storage = new HadoopStorage(new Configuration())

  private def newPath(): String = Files.createTempDirectory("hudilite-lock-file").resolve("t").toString

  private def file(path: String): Path = java.nio.file.Paths.get(path, ".hoodie", "lock")

  private def theirs(path: String): Unit = {
    Files.write(file(path), "{}".getBytes(UTF_8))
    ()
  }

  // Locks of processes that share no machine.
  private object Apart extends LockProvider {
    override def withTableLock[T](table: Place, waitMs: Long)(body: => T): T = body
    override def joins(table: Place, machine: String, other: String): Boolean = false
    override val fileNames: Seq[String] = Nil
  }

  private def of(host: String, settings: StorageLockSettings = StorageLockSettings(), waitMs: Long = 60000L)
      : TransactionOptions =
    TransactionOptions(waitMs,
      process = new Process(Processes.elsewhere(host, host).owner, Apart).under(settings.folder.getOrElse(".hoodie")),
      lockFile = Some(settings), foreignWrites = ForeignWrites.Beside)

  private def table(path: String): Table = TextWrites.table(storage, path, 9, TableType.CopyOnWrite)

  test("of threads whose processes share nothing but the file one at a time holds the lock") {
    val path = newPath()
    table(path)
    val inside, most = new AtomicInteger()
    val pool = Executors.newFixedThreadPool(4)
    val tasks = (1 to 12).map(n =>
      pool.submit[Unit] { () =>
        val options = of(s"m$n")
        options.locked(storage, path) {
          most.accumulateAndGet(inside.incrementAndGet(), Math.max(_, _))
          options.locked(storage, path)(assert(Files.exists(file(path))))
          inside.decrementAndGet()
          ()
        }
      })
    tasks.foreach(_.get(60, TimeUnit.SECONDS))
    pool.shutdown()
    assertEquals(most.get, 1)
    assert(!Files.exists(file(path)))
  }

  test("a lock file of another program is waited for, and stays where the wait ends") {
    val path = newPath()
    val before = table(path)
    theirs(path)
    val error = intercept[CommitConflict](TextWrites.insert("g-1").run(before, of("a", waitMs = 150L)))
    assertEquals(error.condition, "LOCK_TIMEOUT")
    assert(Files.exists(file(path)))
    val freed = new Thread(() => { Thread.sleep(300L); Files.delete(file(path)) })
    freed.start()
    TextWrites.insert("g-1").run(before, of("a"))
    freed.join()
    assertEquals(before.refresh().timeline.writes.size, 2)
    assert(!Files.exists(file(path)))
  }

  test("a lock file that was made does not stay, whichever call fails") {
    val path = newPath()
    table(path)
    def held(faulty: FaultyStorage): Boolean = {
      var ran = false
      try new StorageLock(faulty, path, StorageLockSettings()).held(1000L) { ran = true }
      catch { case _: Throwable => () }
      Thread.interrupted()
      ran
    }
    val whole = new FaultyStorage(storage, _ => false, () => new AssertionError(), afterEffect = false)
    assert(held(whole))
    var failed = 0
    for ((name, failure) <- FaultyStorage.Failures; after <- Seq(true, false); call <- 1 to whole.calls) {
      val ran = held(new FaultyStorage(storage, _ == call, failure, after))
      if (!ran) failed += 1
      // Under the lock's release a virtual machine that fails or is stopped is not asked again.
      val mayStay = ran && Set("an Error", "an interrupt")(name)
      assert(mayStay || !Files.exists(file(path)), s"call $call with $name, after its effect: $after, ran: $ran")
      Files.deleteIfExists(file(path))
    }
    assert(failed >= 16, failed.toString)
  }

  test("a lock file that is older than its expiry is nobody's, and one without an expiry is somebody's for good") {
    val path = newPath()
    table(path)
    theirs(path)
    Files.setLastModifiedTime(file(path), FileTime.fromMillis(System.currentTimeMillis() - 61000L))
    assertEquals(intercept[CommitConflict](of("a", waitMs = 100L).locked(storage, path)(())).condition, "LOCK_TIMEOUT")
    val young = of("a", StorageLockSettings(expiryMs = 120000L), waitMs = 100L)
    assertEquals(intercept[CommitConflict](young.locked(storage, path)(())).condition, "LOCK_TIMEOUT")
    of("a", StorageLockSettings(expiryMs = 60000L)).locked(storage, path)(())
    assert(!Files.exists(file(path)))
  }

  test("neither a clock that is wrong nor a lock file that is made anew ends another's lock") {
    val path = newPath()
    table(path)
    val settings = StorageLockSettings(expiryMs = 60000L)
    def aged(seconds: Long): Unit = {
      theirs(path)
      Files.setLastModifiedTime(file(path), FileTime.fromMillis(System.currentTimeMillis() - seconds * 1000L))
      ()
    }
    def refused(as: Storage): Unit = {
      assertEquals(intercept[CommitConflict](new StorageLock(as, path, settings).held(250L)(())).condition,
        "LOCK_TIMEOUT")
      assert(Files.exists(file(path)))
    }
    def by(seconds: Long) = new Machine(storage, java.time.Instant.now().plusSeconds(seconds))
    aged(10)
    refused(by(3600))
    aged(70)
    refused(by(-3600))
    // The holder gives it back as it expires, and another takes it.
    var reads = 0
    val anew = new ForwardingStorage(storage) {
      override def read(at: String): Option[Array[Byte]] = {
        val found = super.read(at)
        if (at.endsWith("/lock")) reads += 1
        if (at.endsWith("/lock") && reads == 1) Files.write(file(path), "{\"lockHolder\":\"b\"}".getBytes(UTF_8))
        if (at.endsWith("/lock")) Files.setLastModifiedTime(file(path), FileTime.fromMillis(0L))
        found
      }
    }
    assertEquals(intercept[CommitConflict](new StorageLock(anew, path, settings).held(0L)(())).condition,
      "LOCK_TIMEOUT")
    assert(new String(Files.readAllBytes(file(path)), UTF_8).contains("b"))
    assert(reads >= 2, reads.toString)
    new StorageLock(by(60), path, settings).held(250L)(())
    assert(!Files.exists(file(path)))
    val left = storage.list(s"$path/.hoodie").map(_.name).filter(_.contains("now"))
    assertEquals(left, Nil)
  }

  test("a write whose lock file is taken away before it completes leaves nothing") {
    val path = newPath()
    val before = table(path)
    for (thief <- Seq[() => Unit](() => Files.delete(file(path)), () => theirs(path))) {
      val options = of("a")
      val hook = new io.hudilite.transaction.CommitHook {
        override def beforeComplete(metadata: io.hudilite.timeline.CommitMetadata,
            state: io.hudilite.transaction.CommitState): Unit = thief()
      }
      val begun = TextWrites.insert("g-1").begin(before.refresh(), options.copy(hooks = Seq(hook)))
      val error = intercept[CommitConflict](TextWrites.insert("g-1").commit(before, begun))
      assertEquals(error.condition, "COMMIT_CONFLICT")
      Files.deleteIfExists(file(path))
      begun.rollback()
      assert(before.refresh().timeline.pending.isEmpty)
    }
    assertEquals(before.refresh().timeline.writes.size, 1)
  }

  test("writers of several machines go on beside each other where both take the file, and only there") {
    val path = newPath()
    val before = table(path)
    val first = TextWrites.insert("a-0").begin(before, of("a"))
    TextWrites.insert("b-0").run(before.refresh(), of("b"))
    val alone = TransactionOptions(process = Processes.elsewhere("c", "c"))
    assertEquals(intercept[CommitConflict](TextWrites.insert("c-0").run(before.refresh(), alone)).condition,
      "WRITER_NOT_EXCLUDED")
    val apart = of("d", StorageLockSettings(folder = Some(s"$path-locks")))
    assertEquals(intercept[CommitConflict](TextWrites.insert("d-0").run(before.refresh(), apart)).condition,
      "WRITER_NOT_EXCLUDED")
    TextWrites.insert("a-0").commit(before, first)
    assertEquals(before.refresh().timeline.writes.size, 3)
    val (one, two) = (TextWrites.rewrite.begin(before.refresh(), of("a")), before.refresh())
    TextWrites.rewrite.run(two, of("b"))
    assertEquals(intercept[CommitConflict](TextWrites.rewrite.commit(two, one)).condition, "COMMIT_CONFLICT")
    one.rollback()
  }

  test("a new table that fails takes its lock file along, and a storage that lets two create a file is refused") {
    val path = newPath()
    val made = FirstWrite.create(storage, path, TextWrites.facts(9, TableType.CopyOnWrite), of("a"))
    made.remove("")
    assert(!Files.exists(java.nio.file.Paths.get(path)))
    val other = "s3a://bucket/t"
    assertEquals(
      intercept[InvalidInput](FirstWrite.create(storage, other, TextWrites.facts(9, TableType.CopyOnWrite), of("a")))
        .condition, "OPTION_NOT_SUPPORTED")
    new StorageLock(storage, other, StorageLockSettings(vouched = Set("s3a"))).check()
    val apart = StorageLockSettings(folder = Some("/locks"))
    new StorageLock(storage, path, apart).check()
    val said = intercept[InvalidInput](new StorageLock(storage, "hdfs://host/t", apart).check())
    assert(said.parameters("reason").contains("on this machine"), said)
  }

  test("a write of another program that is alive goes on beside, one that is dead is rolled back") {
    val path = newPath()
    val before = table(path)
    def began(time: String): Unit = {
      Files.write(java.nio.file.Paths.get(path, ".hoodie", "timeline", s"$time.commit.requested"), Array.emptyByteArray)
      Files.write(java.nio.file.Paths.get(path, ".hoodie", "timeline", s"$time.inflight"), "{}".getBytes(UTF_8))
      Files.createDirectories(java.nio.file.Paths.get(path, ".hoodie", ".heartbeat"))
      Files.write(java.nio.file.Paths.get(path, ".hoodie", ".heartbeat", time), Array.emptyByteArray)
      ()
    }
    def after(ms: Int): String = (before.timeline.lastTime.get.toLong + ms).toString
    val (alive, dead) = (after(1), after(2))
    began(alive)
    began(dead)
    Files.setLastModifiedTime(java.nio.file.Paths.get(path, ".hoodie", ".heartbeat", dead),
      FileTime.fromMillis(System.currentTimeMillis() - 2 * Heartbeat.ExpiryMs))
    assertEquals(intercept[CommitConflict](TextWrites.insert("g-1").run(before, TransactionOptions())).condition,
      "WRITE_PENDING")
    TextWrites.insert("g-1").run(before.refresh(), of("a"))
    assertEquals(before.refresh().timeline.pendingWrites.map(_.time), Seq(alive))
  }
}
