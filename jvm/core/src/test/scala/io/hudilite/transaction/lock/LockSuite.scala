package io.hudilite.transaction.lock

import io.hudilite.error.CommitConflict
import io.hudilite.storage.{HadoopStorage, Place}
import io.hudilite.transaction.OtherProcess

import java.net.URLClassLoader
import java.nio.channels.FileChannel
import java.nio.file.{Files, Path, Paths, StandardOpenOption}
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import org.apache.hadoop.conf.Configuration

import scala.collection.JavaConverters._

class LockSuite extends FunSuite {

  private def newTable(): Path = {
    val base = Files.createTempDirectory("hudilite-lock")
    Files.createDirectories(base.resolve(".hoodie"))
    base
  }

  private val storage = new HadoopStorage(new Configuration())

  private def locked[T](path: String, waitMs: Long)(body: => T): T =
    LocalLocks.shared.withTableLock(storage.place(path), waitMs)(body)

  test("of many threads one at a time holds the lock") {
    val base = newTable().toString
    val inside = new AtomicInteger()
    val most = new AtomicInteger()
    val pool = Executors.newFixedThreadPool(4)
    val tasks = (1 to 40).map(_ =>
      pool.submit[Unit](() =>
        locked(base, 60000L) {
          most.accumulateAndGet(inside.incrementAndGet(), Math.max(_, _))
          inside.decrementAndGet()
          ()
        }))
    tasks.foreach(_.get(60, TimeUnit.SECONDS))
    pool.shutdown()
    assertEquals(most.get, 1)
  }

  test("a lock that stays held ends the wait with LOCK_TIMEOUT") {
    val base = newTable().toString
    val held = new CountDownLatch(1)
    val done = new CountDownLatch(1)
    val holder = new Thread(() => locked(base, 1000L) { held.countDown(); done.await() })
    holder.start()
    held.await()
    val error = intercept[CommitConflict](locked(base, 10L)(()))
    done.countDown()
    holder.join()
    assertEquals(error.condition, "LOCK_TIMEOUT")
    assertEquals(error.parameters("waitMs"), "10")
  }

  test("another process holding the lock file ends the wait with LOCK_TIMEOUT") {
    val base = newTable()
    val file = base.resolve(".hoodie").resolve(".hudilite.lock")
    Files.createFile(file)
    val holder = OtherProcess.holdingLock(file)
    try assertEquals(intercept[CommitConflict](locked(base.toString, 50L)(())).condition, "LOCK_TIMEOUT")
    finally holder.end()
    assertEquals(locked(base.toString, 10000L)(1), 1)
  }

  private def lockFile(base: Path): Path = base.resolve(".hoodie").resolve(".hudilite.lock")

  test("no other process gets the lock of one that has lost the lock of the file, and the next one gets it") {
    val base = newTable()
    locked(base.toString, 1000L) {
      // Whoever closes a descriptor of the file takes the operating system's lock from the whole process.
      FileChannel.open(lockFile(base), StandardOpenOption.READ).close()
      val other = OtherProcess.trying(base, 300L)
      try assertEquals(other.said, '-')
      finally other.end()
    }
    val next = OtherProcess.trying(base, 10000L)
    try {
      assertEquals(next.said, '+')
      assertEquals(intercept[CommitConflict](locked(base.toString, 50L)(())).condition, "LOCK_TIMEOUT")
    } finally next.end()
    assertEquals(locked(base.toString, 10000L)(1), 1, "the lock of a process that was killed is free")
  }

  test("another class loader of this process neither gets the lock nor takes it from the one that has it") {
    val base = newTable()
    val urls =
      System.getProperty("java.class.path").split(java.io.File.pathSeparator).map(f => Paths.get(f).toUri.toURL)
    val loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader)
    val main = loader.loadClass("io.hudilite.transaction.lock.TriedLock")
    def tried(): Boolean = main.getMethod("tried", classOf[String]).invoke(null, base.toString).asInstanceOf[Boolean]
    locked(base.toString, 1000L) {
      assertEquals(tried(), false)
      val other = OtherProcess.trying(base, 300L)
      try assertEquals(other.said, '-')
      finally other.end()
    }
    assertEquals(tried(), true)
    assertEquals(Files.list(base.resolve(".hoodie")).iterator.asScala.map(_.getFileName.toString).toList,
      List(".hudilite.lock"))
  }

  test("what a holder left that is gone, or that a crash cut short, is in nobody's way") {
    val base = newTable()
    val holder = base.resolve(".hoodie").resolve(LockHolder.Name)
    val self = MachineProcess.current
    val gone =
      Seq(self.copy(pid = Int.MaxValue.toLong), self.copy(started = 1L, ticks = 1L), self.copy(host = "elsewhere"))
        .map(p => s"${p.host}\n${p.pid}\n${p.started}\n${p.ticks}\nx\n")
    for (left <- gone ++ Seq("", s"${self.host}\n${self.pid}\n")) {
      Files.write(holder, left.getBytes("UTF-8"))
      assertEquals(locked(base.toString, 0L)(Files.exists(holder)), true)
      assert(!Files.exists(holder))
    }
    Files.write(holder, s"${self.host}\n${self.pid}\n${self.started}\n${self.ticks}\nx\n".getBytes("UTF-8"))
    assertEquals(intercept[CommitConflict](locked(base.toString, 0L)(())).condition, "LOCK_TIMEOUT")
  }

  test("a thread that holds the lock takes it again") {
    val base = newTable().toString
    assertEquals(locked(base, 1000L)(locked(base, 0L)(1)), 1)
  }

  test("spellings of one local path share the lock") {
    val base = newTable().toString
    val entered = new AtomicInteger()
    val other = new Thread(() => { locked(s"file:$base/", 10L)(entered.incrementAndGet()); () })
    other.setUncaughtExceptionHandler((_, _) => ())
    locked(base, 1000L) { other.start(); other.join() }
    assertEquals(entered.get, 0)
  }

  test("a body that fails gives the lock back") {
    val base = newTable().toString
    intercept[IllegalStateException](locked(base, 1000L)(throw new IllegalStateException("no")))
    assertEquals(locked(base, 0L)(1), 1)
  }
}

/** Called by its name out of another class loader. */
object TriedLock {

  /** True when the lock of the table at the path is free. */
  def tried(basePath: String): Boolean =
    try LocalLocks.shared.withTableLock(Place.local(Paths.get(basePath)), 100L)(true)
    catch { case e: CommitConflict if e.condition == "LOCK_TIMEOUT" => false }
}
