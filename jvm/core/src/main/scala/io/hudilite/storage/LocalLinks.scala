package io.hudilite.storage

import io.hudilite.error.UnsupportedTable

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.attribute.BasicFileAttributes
import java.nio.file.{
  FileSystemException,
  Files,
  InvalidPathException,
  NoSuchFileException,
  NotDirectoryException,
  Path => LocalPath
}

import org.apache.hadoop.fs.Path

import scala.collection.JavaConverters._

/** Folders of the local file system, with the symbolic links in them told, which Hadoop follows without a word. One
  * question for each entry: Hadoop's own listing asks several, and those of checksum files, too.
  */
private[storage] object LocalLinks {

  private val Nowhere = ""

  /** Letter that stands in a name for bytes that are no letters in the encoding of file names. */
  private val Unspelled = "\ufffd"

  /** Entries of a directory; none when there is none. A name that cannot be spelled is `InvalidInput`.
    *
    * @param directory
    *   the path as it stands before the names
    */
  def list(path: Path, directory: String): Seq[FileInfo] = {
    val prefix = s"${directory.stripSuffix("/")}/"
    entriesIn(LocalFiles.local(path)).filterNot(file => isChecksum(nameOf(file)))
      .flatMap(file => entry(file, prefix + nameOf(file)))
  }

  private def nameOf(file: LocalPath): String = file.getFileName.toString

  private def entry(file: LocalPath, path: String): Option[FileInfo] =
    try {
      if (path.contains(Unspelled) && !isSpelled(file)) throw LocalFiles.unspeakable(file.toString, null)
      val found = Files.readAttributes(file, classOf[BasicFileAttributes])
      val link = if (found.isDirectory && Files.isSymbolicLink(file)) Some(file.toRealPath().toString) else None
      Some(FileInfo(path, found.size, found.lastModifiedTime.toMillis, found.isDirectory, link))
    } catch {
      case _: FileSystemException if Files.isSymbolicLink(file) =>
        Some(FileInfo(path, 0L, 0L, isDirectory = false, Some(Nowhere)))
      // It was deleted or replaced since.
      case _: NoSuchFileException => None
    }

  /** The file is found by what its name reads like. */
  private def isSpelled(file: LocalPath): Boolean =
    try Files.exists(file.resolveSibling(nameOf(file)), NOFOLLOW_LINKS)
    catch { case _: InvalidPathException => false }

  private def entriesIn(folder: LocalPath): Seq[LocalPath] =
    try {
      val stream = Files.newDirectoryStream(folder)
      try stream.iterator.asScala.toList
      finally stream.close()
    } catch {
      case _: NoSuchFileException | _: NotDirectoryException => Nil
      case _: FileSystemException if isTooLong(folder) => Nil
      case e: FileSystemException => throw withinDead(folder).map(dead).getOrElse(e)
    }

  // A folder that a query asks for by a value may have a name that no folder can have.
  private def isTooLong(folder: LocalPath): Boolean =
    folder.iterator.asScala.exists(_.toString.getBytes(UTF_8).length > NameLimit.LocalBytes)

  private def withinDead(folder: LocalPath): Option[LocalPath] =
    Iterator.iterate(folder)(_.getParent).takeWhile(_ != null).find(p => Files.isSymbolicLink(p) && !Files.exists(p))

  private def dead(link: LocalPath): UnsupportedTable = UnsupportedTable("UNSUPPORTED_LINK",
    "table" -> link.getParent.toString, "path" -> link.toString, "reason" -> "it leads nowhere")

  // Hadoop hides the siblings that hold checksums.
  private def isChecksum(name: String): Boolean = name.startsWith(".") && name.endsWith(".crc")

  /** As [[Storage.realFolder]]. */
  def realFolder(path: Path): String = {
    @annotation.tailrec
    def resolve(folder: LocalPath, below: List[LocalPath]): LocalPath =
      real(folder) match {
        case Some(found) => below.foldLeft(found)(_.resolve(_))
        case None if folder.getParent == null => folder
        case None => resolve(folder.getParent, folder.getFileName :: below)
      }
    resolve(LocalFiles.local(path).toAbsolutePath, Nil).toString
  }

  private def real(folder: LocalPath): Option[LocalPath] =
    try Some(folder.toRealPath())
    catch {
      // A file that is written to a link that leads nowhere would be made where it leads.
      case _: FileSystemException if Files.isSymbolicLink(folder) => throw dead(folder)
      case _: FileSystemException => None
    }

  def isLink(path: Path): Boolean = Files.isSymbolicLink(LocalFiles.local(path))
}
