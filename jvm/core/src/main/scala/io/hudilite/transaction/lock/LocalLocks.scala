package io.hudilite.transaction.lock

import io.hudilite.error.CommitConflict
import io.hudilite.storage.Place

import java.nio.file.{Files, Path}
import java.util.UUID
import java.util.concurrent.{ConcurrentHashMap, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.locks.ReentrantLock

import org.slf4j.LoggerFactory

/** Table locks for the writers of one machine: one lock a table inside the process, and one lock file between
  * processes.
  *
  * A table that is not on the local file system is locked inside the process only.
  */
final class LocalLocks extends LockProvider {

  import LocalLocks.log

  // Id that tells holds under these locks from those of others in this JVM.
  private val id = UUID.randomUUID().toString
  private val locks = new ConcurrentHashMap[String, ReentrantLock]()
  private val warned = new AtomicBoolean(false)

  override val fileNames: Seq[String] = Seq(LockFile.Name, LockHolder.Name)

  // The lock file works between processes of one running system.
  override def joins(table: Place, machine: String, other: String): Boolean =
    table.local.isDefined && machine == other

  override def withTableLock[T](table: Place, waitMs: Long)(body: => T): T = {
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
      // There is no table, since its folder is made first.
      case Some(folder) if !Files.isDirectory(folder) => body
      case Some(folder) => held(folder, table, waitMs, deadline)(body)
    }

  private def held[T](folder: Path, table: Place, waitMs: Long, deadline: Long)(body: => T): T = {
    val file = LockFile.acquire(folder, deadline, id)
    if (file.isEmpty && Files.isDirectory(folder)) throw timeout(table, waitMs)
    try body
    finally file.foreach(_.release())
  }

  private def timeout(table: Place, waitMs: Long): CommitConflict =
    CommitConflict("LOCK_TIMEOUT", "path" -> table.key, "waitMs" -> waitMs.toString)
}

object LocalLocks {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Lock")

  /** Locks of this process. */
  val shared: LocalLocks = new LocalLocks
}
