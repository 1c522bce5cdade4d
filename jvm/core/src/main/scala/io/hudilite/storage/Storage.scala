package io.hudilite.storage

import java.io.{ByteArrayOutputStream, IOException, OutputStream}
import java.time.Clock

/** One entry of a directory listing. `path` is absolute and ends in `name`; `modifiedMs` is epoch milliseconds.
  *
  * @param leadsTo
  *   of a symbolic link to a folder, that folder's path with all links followed; empty for a link that leads nowhere
  */
final case class FileInfo(
    path: String, length: Long, modifiedMs: Long, isDirectory: Boolean, leadsTo: Option[String] = None) {
  def name: String = path.substring(path.lastIndexOf('/') + 1)
}

/** The world as one machine sees it: a file system with what the format needs of it, and the machine's clock. Paths are
  * strings with `/`, absolute or with a scheme.
  *
  * Contract: `createNew` lets exactly one caller win a name and never shows partial content; a listing sees every file
  * whose creation finished before it began. Missing directories list as empty, missing files delete as `false`.
  */
trait Storage {

  /** Direct children of each directory, in no order; the directories are listed in parallel where that pays. */
  def list(directories: Seq[String]): Map[String, Seq[FileInfo]]

  final def list(directory: String): Seq[FileInfo] = list(Seq(directory)).getOrElse(directory, Nil)

  /** Files in a directory and in all that lie in it, in no order. */
  def listBelow(directory: String): Seq[FileInfo] = {
    @annotation.tailrec
    def descend(level: Seq[String], found: Seq[FileInfo]): Seq[FileInfo] =
      if (level.isEmpty) found
      else {
        val (directories, files) = list(level).values.flatten.toSeq.partition(_.isDirectory)
        descend(directories.map(_.path), found ++ files)
      }
    descend(Seq(directory), Nil)
  }

  /** Whole content, or `None` when the file does not exist. */
  def read(path: String): Option[Array[Byte]]

  /** Whole content of a file that changes rarely, unless it is the one whose tag is known. Where the storage has no tags it
    * is read each time.
    */
  def readUnlessKnown(path: String, tag: Option[String]): Found =
    read(path).fold[Found](Found.Nothing)(Found.Content(_, None))

  /** Whole contents of many small files, read in parallel; missing files are absent from the result. */
  def readAll(paths: Seq[String]): Map[String, Array[Byte]]

  /** Whole contents of listed files that never change, in parallel; by path, missing ones are absent. */
  def readListed(files: Seq[FileInfo]): Map[String, Array[Byte]] = readAll(files.map(_.path))

  /** Bytes `[offset, offset + length)` of a file. */
  def readRange(path: String, offset: Long, length: Int): Array[Byte]

  /** Opens a file for reads at many places; the caller closes it. */
  def open(path: String): OpenFile = OpenFile.byRanges(this, path)

  /** Opens a file whose length is known. */
  def open(path: String, length: Long): OpenFile = open(path)

  /** Creates the file with this content; `false` when a file of that name exists.
    *
    * Raises `NotPublished` when the file is not there and never will be; after any other error it may be there, now or
    * later.
    */
  def createNew(path: String, content: Array[Byte]): Boolean

  /** As [[createNew]], of content that is written bit by bit and need not fit into memory. It is for files of one writer:
    * where others may create the same one, either may win.
    */
  def createStreamed(path: String)(write: OutputStream => Unit): Boolean = {
    val content = new ByteArrayOutputStream()
    write(content)
    createNew(path, content.toByteArray)
  }

  /** Raises an error unless the file at this path may be written or deleted, also by other means than this storage. */
  def checkChange(path: String): Unit = ()

  /** Creates or replaces the file. */
  def replace(path: String, content: Array[Byte]): Unit

  /** Deletes a file, or a directory that holds nothing; `false` when there was none. A directory that holds something stays
    * and is an `IOException`: another writer may have put there what nobody here knows of.
    */
  def delete(path: String): Boolean

  /** Deletes a directory that holds nothing; one that holds something stays. */
  def deleteIfEmpty(directory: String): Unit = {
    if (exists(directory) && list(directory).isEmpty)
      try delete(directory)
      catch { case _: IOException if list(directory).nonEmpty => () }
    ()
  }

  /** Likewise, of these directories and those above them, up to `top` and with it. */
  final def deleteEmpty(directories: Seq[String], top: String): Unit =
    directories.flatMap(Iterator.iterate(_)(Storage.folderOf).takeWhile(_.startsWith(top))).distinct.sortBy(-_.length)
      .foreach(deleteIfEmpty)

  /** Deletes a directory with all it holds, of which only one writer can have written any: that of an instant's markers. */
  def deleteOwn(directory: String): Unit

  def exists(path: String): Boolean

  /** Raises `NotDirectoryException` where a file lies at the path or above it. */
  def makeDirectory(path: String): Unit

  /** The folder's path with all symbolic links followed, as far as it exists; `None` where there are no links. */
  def realFolder(path: String): Option[String] = None

  /** The path is a symbolic link itself. */
  def isLink(path: String): Boolean = false

  /** New files are written under other names first, which a crash leaves behind, see [[Temporaries]]. */
  def usesTemporaries(path: String): Boolean = false

  /** Where a path lies, the same for all its spellings. */
  def place(path: String): Place = Place.remote(path)

  /** The time of this machine, in its zone. Files bear the time of the storage, which may be another. */
  def clock: Clock = Clock.systemDefaultZone()

  /** Memory of the process that uses the storage: storages that share it see the same files. */
  def caches: Caches
}

object Storage {

  /** The directory that a file or directory lies in. */
  def folderOf(path: String): String = path.substring(0, path.lastIndexOf('/'))
}
