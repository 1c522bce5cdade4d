package io.hudilite.storage

import io.hudilite.error.InvalidInput

import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.{
  FileAlreadyExistsException,
  FileSystemException,
  Files,
  InvalidPathException,
  NoSuchFileException,
  NotDirectoryException,
  Path => LocalPath,
  Paths
}

import org.apache.hadoop.fs.Path
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Operations of the local file system that Hadoop's interface to it does not offer. */
private[storage] object LocalFiles {

  private val log = LoggerFactory.getLogger("io.hudilite.storage.LocalFiles")

  /** Gives `temporary`'s content the name `target` unless that is taken; exactly one caller gets `true`. */
  def linkNew(temporary: Path, target: Path): Boolean = {
    val won = try claim(local(temporary), local(target))
    catch {
      // A system call has done nothing later that it had not done when it returned.
      case e: Throwable => throw if (Files.notExists(local(target))) new NotPublished(target.toString, e) else e
    }
    // Hadoop's checksum sibling follows the name, or a later read through a stale one would fail. Without one the file
    // is read as it is, so from here on nothing fails any more.
    if (won)
      try moveChecksum(temporary, target)
      catch { case NonFatal(e) => log.warn(s"$target has no checksum: ${e.getMessage}") }
    won
  }

  private def claim(temporary: LocalPath, target: LocalPath): Boolean =
    try {
      Files.createLink(target, temporary)
      true
    } catch {
      case _: FileAlreadyExistsException => false
      case _: UnsupportedOperationException => moveNew(temporary, target)
      case e: FileSystemException => if (Files.exists(temporary)) moveNew(temporary, target) else throw e
    }

  /** Where there are no hard links: the name is claimed by an empty file, which the content then replaces whole. A
    * reader in between sees an empty file, and those count as absent in a timeline.
    */
  private[storage] def moveNew(temporary: LocalPath, target: LocalPath): Boolean =
    try {
      Files.createFile(target)
      try Files.move(temporary, target, ATOMIC_MOVE, REPLACE_EXISTING)
      catch {
        case e: Throwable =>
          if (Files.size(target) == 0L) Files.delete(target)
          throw e
      }
      true
    } catch { case _: FileAlreadyExistsException => false }

  /** Something lies in this folder, be it what Hadoop's listings hide. */
  private[storage] def holdsAny(folder: Path): Boolean =
    try {
      val entries = Files.newDirectoryStream(local(folder))
      try entries.iterator.hasNext
      finally entries.close()
    } catch { case _: NoSuchFileException | _: NotDirectoryException => false }

  private def moveChecksum(temporary: Path, target: Path): Unit = {
    val from = checksum(temporary)
    if (Files.exists(from)) Files.move(from, checksum(target), REPLACE_EXISTING)
  }

  private def checksum(path: Path): LocalPath = local(new Path(path.getParent, s".${path.getName}.crc"))

  /** The path as the machine spells it; a name that its encoding of file names has no letters for is `InvalidInput`. */
  private[storage] def local(path: Path): LocalPath =
    try Paths.get(path.toUri.getPath)
    catch { case e: InvalidPathException => throw unspeakable(path.toString, e) }

  private[storage] def unspeakable(path: String, cause: Throwable): InvalidInput =
    InvalidInput.because(cause, "UNREADABLE_FILE_NAME", "path" -> path,
      "encoding" -> System.getProperty("sun.jnu.encoding", "unknown"))
}
