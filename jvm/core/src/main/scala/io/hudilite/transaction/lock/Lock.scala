package io.hudilite.transaction.lock

import io.hudilite.error.CommitConflict
import io.hudilite.storage.Place

import java.nio.file.{Files, Path}
import java.util.concurrent.{ConcurrentHashMap, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.locks.ReentrantLock

import org.slf4j.LoggerFactory

/** The table lock for the writers of one machine: one lock a table inside the process, one lock file between processes.
  *
  * Where the table is not on the local file system only the process is covered.
  */
object Lock {

  /** Names of the files in the table's `.hoodie` folder that make the lock, in the order in which they go with the table. */
  val FileNames: Seq[String] = Seq(LockFile.Name, LockHolder.Name)

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Lock")
  private val locks = new ConcurrentHashMap[String, ReentrantLock]()
  private val warned = new AtomicBoolean(false)

  /** Runs `body` while holding the lock of the table; a thread that already holds it just runs `body`.
    *
    * @param table
    *   its folder, which may not exist yet
    */
  def withTableLock[T](table: Place, waitMs: Long)(body: => T): T = {
    val lock = locks.computeIfAbsent(table.key, _ => new ReentrantLock())
    if (lock.isHeldByCurrentThread) body
    else {
      val deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs)
      if (!lock.tryLock(waitMs, TimeUnit.MILLISECONDS)) throw timeout(table, waitMs)
      try withFileLock(table, waitMs, deadline)(body)
      finally lock.unlock()
    }
  }

  private def withFileLock[T](table: Place, waitMs: Long, deadline: Long)(body: => T): T =
    table.local.map(_.resolve(".hoodie")) match {
      case None =>
        if (warned.compareAndSet(false, true))
          log.warn("The table {} is not on the local file system: only writers of this process exclude each other.",
            table.key)
        body
      // There is no table; who makes one makes the folder first.
      case Some(folder) if !Files.isDirectory(folder) => body
      case Some(folder) => held(folder, table, waitMs, deadline)(body)
    }

  private def held[T](folder: Path, table: Place, waitMs: Long, deadline: Long)(body: => T): T = {
    val file = LockFile.acquire(folder, deadline)
    if (file.isEmpty && Files.isDirectory(folder)) throw timeout(table, waitMs)
    try body
    finally file.foreach(_.release())
  }

  private def timeout(table: Place, waitMs: Long): CommitConflict =
    CommitConflict("LOCK_TIMEOUT", "path" -> table.key, "waitMs" -> waitMs.toString)
}
