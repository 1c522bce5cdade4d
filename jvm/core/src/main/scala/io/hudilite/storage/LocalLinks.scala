package io.hudilite.storage

import io.hudilite.error.UnsupportedTable

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.LinkOption.NOFOLLOW_LINKS
import java.nio.file.{FileSystemException, Files, NoSuchFileException, NotDirectoryException, Path => LocalPath}

import org.apache.hadoop.fs.Path

import scala.collection.JavaConverters._

/** Symbolic links of the local file system, which Hadoop follows without a word. */
private[storage] object LocalLinks {

  private val Nowhere = ""

  /** What stands in a name for bytes that are no letters in the encoding of file names. */
  private val Unspelled = "\ufffd"

  private val MostNameBytes = 255

  /** Hadoop's listing of a directory with the links in it told. Entries that Hadoop leaves out because it cannot find them
    * are links that lead nowhere, or have names that it cannot spell.
    *
    * @param found
    *   Hadoop's listing, taken after the names
    */
  def complete(path: Path, directory: String)(found: => Seq[FileInfo]): Seq[FileInfo] = {
    val folder = LocalFiles.local(path)
    val names = namesIn(folder)
    val listed = found
    val known = listed.iterator.map(_.name).toSet
    val lost = names.filterNot(name => known(name) || isChecksum(name)).map(folder.resolve)
      .filter(Files.exists(_, NOFOLLOW_LINKS))
    // Others are files that were gone for a moment, such as the table properties while they are replaced.
    lost.find(_.toString.contains(Unspelled)).foreach(p => throw LocalFiles.unspeakable(p.toString, null))
    listed.map(withLink(folder)) ++ lost.filter(Files.isSymbolicLink(_)).map(p =>
      FileInfo(s"${directory.stripSuffix("/")}/${p.getFileName}", 0L, 0L, isDirectory = false, Some(Nowhere)))
  }

  private def namesIn(folder: LocalPath): Seq[String] =
    try {
      val stream = Files.newDirectoryStream(folder)
      try stream.iterator.asScala.map(_.getFileName.toString).toList
      finally stream.close()
    } catch {
      case _: NoSuchFileException | _: NotDirectoryException => Nil
      case _: FileSystemException if isTooLong(folder) => Nil
      case e: FileSystemException => throw withinDead(folder).map(dead).getOrElse(e)
    }

  // A folder that a query asks for by a value may have a name that no folder can have.
  private def isTooLong(folder: LocalPath): Boolean =
    folder.iterator.asScala.exists(_.toString.getBytes(UTF_8).length > MostNameBytes)

  private def withinDead(folder: LocalPath): Option[LocalPath] =
    Iterator.iterate(folder)(_.getParent).takeWhile(_ != null).find(p => Files.isSymbolicLink(p) && !Files.exists(p))

  private def dead(link: LocalPath): UnsupportedTable = UnsupportedTable("UNSUPPORTED_LINK",
    "table" -> link.getParent.toString, "path" -> link.toString, "reason" -> "it leads nowhere")

  // Hadoop hides the siblings that hold checksums.
  private def isChecksum(name: String): Boolean = name.startsWith(".") && name.endsWith(".crc")

  private def withLink(folder: LocalPath)(entry: FileInfo): FileInfo = {
    val path = if (entry.isDirectory) Some(folder.resolve(entry.name)).filter(Files.isSymbolicLink(_)) else None
    path.fold(entry)(p => entry.copy(leadsTo = Some(p.toRealPath().toString)))
  }

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
      // What is written to a link that leads nowhere would be made where it leads.
      case _: FileSystemException if Files.isSymbolicLink(folder) => throw dead(folder)
      case _: FileSystemException => None
    }

  def isLink(path: Path): Boolean = Files.isSymbolicLink(LocalFiles.local(path))
}
