package io.hudilite.transaction.lock

import java.nio.channels.{FileChannel, OverlappingFileLockException}
import java.nio.file.{Files, NoSuchFileException, Path, StandardOpenOption}
import java.nio.file.attribute.BasicFileAttributes

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** A held lock on a table's lock file; closing the file gives it back. */
private[lock] final class LockFile(channel: FileChannel) {

  /** Gives the lock back. What was done under it is done, so a failure here must not undo it. */
  def release(): Unit =
    try channel.close()
    catch { case NonFatal(e) => LockFile.log.warn("A lock file could not be closed.", e) }
}

/** The lock file lies in the table's `.hoodie` folder and is ours alone. It goes only with its table, under the lock:
  * who waited for it then finds that the file at its path is another, or none, and takes that one.
  */
private[lock] object LockFile {

  val Name = ".hudilite.lock"

  private val PollMs = 20L
  private val log = LoggerFactory.getLogger("io.hudilite.transaction.LockFile")

  /** The lock, or `None` when it could not be had until the deadline, which is one of `System.nanoTime`, or when the
    * folder is gone.
    */
  @annotation.tailrec
  def acquire(folder: Path, deadline: Long): Option[LockFile] = attempt(folder.resolve(Name)) match {
    case Some(held) => Some(held)
    case None if System.nanoTime() >= deadline || !Files.isDirectory(folder) => None
    case None =>
      Thread.sleep(PollMs)
      acquire(folder, deadline)
  }

  private def attempt(path: Path): Option[LockFile] = {
    if (identity(path) == Missing) open(path).foreach(_.close())
    val before = identity(path)
    val channel = open(path)
    val held = channel.exists(c => isLocked(c) && before != Missing && before == identity(path))
    if (!held) channel.foreach(_.close())
    channel.filter(_ => held).map(new LockFile(_))
  }

  // The folder goes with its table, and may do so at any time before the lock is held.
  private def open(path: Path): Option[FileChannel] =
    try Some(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE))
    catch { case _: NoSuchFileException => None }

  // Another class loader of this JVM holding the lock shows as an overlap, not as a failed try.
  private def isLocked(channel: FileChannel): Boolean =
    try channel.tryLock() != null
    catch { case _: OverlappingFileLockException => false }

  private val Missing = "missing"
  private val NotTold = "not told"

  /** What tells this file from another one of its name, as far as the file system says it. */
  private def identity(path: Path): AnyRef =
    try Option(Files.readAttributes(path, classOf[BasicFileAttributes]).fileKey()).getOrElse(NotTold)
    catch { case _: NoSuchFileException => Missing }
}
