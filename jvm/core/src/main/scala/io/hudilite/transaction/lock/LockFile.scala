package io.hudilite.transaction.lock

import java.nio.channels.{FileChannel, OverlappingFileLockException}
import java.nio.file.{Files, NoSuchFileException, Path, StandardOpenOption}
import java.nio.file.attribute.BasicFileAttributes

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** A held lock on a table's lock file; closing the file gives it back. */
private[lock] final class LockFile(folder: Path, channel: FileChannel, holder: LockHolder) {

  /** Gives the lock back. Work under the lock is done, so a failure here must not undo it. */
  def release(): Unit = {
    quietly(LockHolder.remove(folder, holder))
    quietly(channel.close())
  }

  private def quietly(step: => Unit): Unit =
    try step
    catch { case NonFatal(e) => LockFile.log.warn(s"The lock of $folder could not be given back whole.", e) }
}

/** The lock file, which lies in the table's `.hoodie` folder and which only hudilite knows. It is removed only with its
  * table, under the lock. A waiting process then finds another file or none at the path, and starts over with that.
  *
  * The lock on the file is the table's lock only once its [[LockHolder]] stands beside it.
  */
private[lock] object LockFile {

  val Name = ".hudilite.lock"

  private val PollMs = 20L
  private val log = LoggerFactory.getLogger("io.hudilite.transaction.LockFile")

  /** The lock; `None` when it was not free until the deadline (of `System.nanoTime`), or when the folder is gone.
    *
    * @param locks
    *   id of the locks inside the process that cover this one
    */
  @annotation.tailrec
  def acquire(folder: Path, deadline: Long, locks: String): Option[LockFile] = attempt(folder, locks) match {
    case Some(held) => Some(held)
    case None if System.nanoTime() >= deadline || !Files.isDirectory(folder) => None
    case None =>
      Thread.sleep(PollMs)
      acquire(folder, deadline, locks)
  }

  // The lock file is not opened where the holder runs, because to close it again would take the lock from a holder in
  // this very process.
  private def attempt(folder: Path, locks: String): Option[LockFile] = if (isHeld(folder, locks)) None
  else {
    val path = folder.resolve(Name)
    if (identity(path) == Missing) open(path).foreach(_.close())
    val before = identity(path)
    val channel = open(path)
    try {
      val locked = channel.filter(c => isLocked(c) && before != Missing && before == identity(path))
      val held = locked.flatMap(c => taken(folder, locks).map(new LockFile(folder, c, _)))
      if (held.isEmpty) channel.foreach(_.close())
      held
    } catch {
      case e: Throwable =>
        channel.foreach(_.close())
        throw e
    }
  }

  private def isHeld(folder: Path, locks: String): Boolean =
    LockHolder.read(folder).exists(h => h.isRunning && !h.isOf(locks))

  /** A new holder in place of one that died, if one did; `None` when another was faster. */
  private def taken(folder: Path, locks: String): Option[LockHolder] =
    try LockHolder.read(folder) match {
        case Some(other) if other.isRunning && !other.isOf(locks) => None
        case before =>
          before.foreach(LockHolder.remove(folder, _))
          Some(LockHolder.of(locks)).filter(LockHolder.write(folder, _))
      }
    catch { case _: NoSuchFileException => None }

  // The folder may vanish with its table at any time before the lock is held.
  private def open(path: Path): Option[FileChannel] =
    try Some(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE))
    catch { case _: NoSuchFileException => None }

  // A lock held by another class loader of this JVM shows as an overlap, not as a failed try.
  private def isLocked(channel: FileChannel): Boolean =
    try channel.tryLock() != null
    catch { case _: OverlappingFileLockException => false }

  private val Missing = "missing"
  private val NotTold = "not told"

  /** Key of this file, which tells it from another one of its name where the file system has such keys. */
  private def identity(path: Path): AnyRef =
    try Option(Files.readAttributes(path, classOf[BasicFileAttributes]).fileKey()).getOrElse(NotTold)
    catch { case _: NoSuchFileException => Missing }
}
