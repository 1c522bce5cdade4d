package io.hudilite.transaction.lock

import io.hudilite.error.CommitConflict
import io.hudilite.storage.HadoopStorage
import io.hudilite.transaction.OtherProcess

import java.nio.file.{Files, Path}
import java.util.concurrent.{CountDownLatch, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import munit.FunSuite

import org.apache.hadoop.conf.Configuration

class LockSuite extends FunSuite {

  private def newTable(): Path = {
    val base = Files.createTempDirectory("hudilite-lock")
    Files.createDirectories(base.resolve(".hoodie"))
    base
  }

  private val storage = new HadoopStorage(new Configuration())

  private def locked[T](path: String, waitMs: Long)(body: => T): T =
    Lock.withTableLock(storage.place(path), waitMs)(body)

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
