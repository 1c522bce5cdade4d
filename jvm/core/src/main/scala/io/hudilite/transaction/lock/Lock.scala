package io.hudilite.transaction.lock

import io.hudilite.error.CommitConflict

import java.nio.channels.{FileChannel, FileLock, OverlappingFileLockException}
import java.nio.file.{Files, Path, Paths, StandardOpenOption}
import java.util.concurrent.{ConcurrentHashMap, TimeUnit}
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.locks.ReentrantLock

import org.slf4j.LoggerFactory

/** The table lock for the writers of one machine: one lock a table inside the process, one lock file between processes.
  *
  * The lock file lies in the table's `.hoodie` folder and is ours alone; it is never deleted, because a deleted lock
  * file could be held twice. Where the table is not on the local file system only the process is covered.
  */
object Lock {

  private val FileName = ".hudilite.lock"
  private val PollMs = 20L

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Lock")
  private val locks = new ConcurrentHashMap[String, ReentrantLock]()
  private val warned = new AtomicBoolean(false)

  /** Runs `body` while holding the lock of the table; a thread that already holds it just runs `body`. */
  def withTableLock[T](basePath: String, waitMs: Long)(body: => T): T = {
    val folder = localFolder(basePath)
    val key = folder.map(_.toRealPath().toString).getOrElse(basePath.stripSuffix("/"))
    val lock = locks.computeIfAbsent(key, _ => new ReentrantLock())
    if (lock.isHeldByCurrentThread) body
    else {
      val deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs)
      if (!lock.tryLock(waitMs, TimeUnit.MILLISECONDS)) throw timeout(basePath, waitMs)
      try withFileLock(basePath, folder, waitMs, deadline)(body)
      finally lock.unlock()
    }
  }

  private def withFileLock[T](basePath: String, folder: Option[Path], waitMs: Long, deadline: Long)(body: => T): T =
    folder match {
      case None =>
        if (warned.compareAndSet(false, true))
          log.warn("The table {} is not on the local file system: only writers of this process exclude each other.",
            basePath)
        body
      case Some(path) =>
        val channel = FileChannel.open(path.resolve(FileName), StandardOpenOption.CREATE, StandardOpenOption.WRITE)
        try {
          acquire(channel, deadline).getOrElse(throw timeout(basePath, waitMs))
          body
        } finally channel.close()
    }

  @annotation.tailrec
  private def acquire(channel: FileChannel, deadline: Long): Option[FileLock] = {
    // Another class loader of this JVM holding the lock shows as an overlap, not as a failed try.
    val lock = try Option(channel.tryLock())
    catch { case _: OverlappingFileLockException => None }
    if (lock.isDefined) lock
    else if (System.nanoTime() >= deadline) None
    else {
      Thread.sleep(PollMs)
      acquire(channel, deadline)
    }
  }

  /** The table's `.hoodie` folder when it lies on this machine. */
  private def localFolder(basePath: String): Option[Path] = {
    val local =
      if (basePath.startsWith("file:")) Some(new org.apache.hadoop.fs.Path(basePath).toUri.getPath)
      else if (basePath.startsWith("/")) Some(basePath)
      else None
    local.map(Paths.get(_, ".hoodie")).filter(Files.isDirectory(_))
  }

  private def timeout(basePath: String, waitMs: Long): CommitConflict =
    CommitConflict("LOCK_TIMEOUT", "path" -> basePath, "waitMs" -> waitMs.toString)
}
