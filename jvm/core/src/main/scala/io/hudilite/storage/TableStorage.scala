package io.hudilite.storage

import io.hudilite.error.{CorruptTable, UnsupportedTable}

import java.io.OutputStream
import java.time.Clock

/** The storage of one table: what does not lie below its base path is refused, and so is what lies behind a symbolic link
  * when it is to be changed (docs/format.md#paths).
  *
  * A folder of the table that is a link to one outside is read, as Hadoop's readers do. A link that leads back to the
  * table, or to nowhere, or that lies behind another one is an `UnsupportedTable`, so that whoever follows the folders of a
  * table comes to an end and finds nothing twice.
  */
final class TableStorage private (private val inner: Storage, basePath: String) extends Storage {

  private val base = basePath.stripSuffix("/")
  private lazy val realBase = inner.realFolder(basePath)

  private def isOf(otherBasePath: String): Boolean = otherBasePath == basePath

  override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] = {
    directories.foreach(inside)
    val found = inner.list(directories)
    for ((directory, entries) <- found; entry <- entries; target <- entry.leadsTo) checkLink(directory, entry, target)
    found
  }

  /** Where folders are no more than parts of names there are no links among them either. */
  override def listBelow(directory: String): Seq[FileInfo] =
    if (inner.usesTemporaries(inside(directory))) super.listBelow(directory) else inner.listBelow(directory)

  override def readUnlessKnown(path: String, tag: Option[String]): Found = inner.readUnlessKnown(inside(path), tag)

  override def read(path: String): Option[Array[Byte]] = inner.read(inside(path))

  override def readAll(paths: Seq[String]): Map[String, Array[Byte]] = {
    paths.foreach(inside)
    inner.readAll(paths)
  }

  override def readListed(files: Seq[FileInfo]): Map[String, Array[Byte]] = {
    files.foreach(file => inside(file.path))
    inner.readListed(files)
  }

  override def readRange(path: String, offset: Long, length: Int): Array[Byte] =
    inner.readRange(inside(path), offset, length)

  override def open(path: String): OpenFile = inner.open(inside(path))

  override def open(path: String, length: Long): OpenFile = inner.open(inside(path), length)

  override def createNew(path: String, content: Array[Byte]): Boolean = inner.createNew(changeable(path), content)

  override def createStreamed(path: String)(write: OutputStream => Unit): Boolean =
    inner.createStreamed(changeable(path))(write)

  override def replace(path: String, content: Array[Byte]): Unit = {
    checkChange(path)
    inner.replace(path, content)
  }

  override def delete(path: String): Boolean = inner.delete(changeable(path))

  override def deleteOwn(directory: String): Unit = inner.deleteOwn(changeable(directory))

  /** Also that of the table itself, which whoever has made it takes away again. */
  override def deleteIfEmpty(directory: String): Unit = {
    if (directory != base && directory != basePath) changeable(directory)
    inner.deleteIfEmpty(directory)
  }

  override def exists(path: String): Boolean = inner.exists(inside(path))

  override def makeDirectory(path: String): Unit = {
    inside(path)
    checkFolder(path, path)
    inner.makeDirectory(path)
  }

  override def checkChange(path: String): Unit = {
    changeable(path)
    if (inner.isLink(path)) throw refused(path, "it is a symbolic link")
  }

  override def realFolder(path: String): Option[String] = inner.realFolder(inside(path))

  override def isLink(path: String): Boolean = inner.isLink(inside(path))

  override def usesTemporaries(path: String): Boolean = inner.usesTemporaries(inside(path))

  override def place(path: String): Place = inner.place(path)

  override def clock: Clock = inner.clock

  override def caches: Caches = inner.caches

  private def inside(path: String): String = {
    val below = path == base || path == basePath ||
      path.startsWith(base) && path.startsWith("/", base.length) && TablePath.isNormal(path.substring(base.length + 1))
    if (below) path else throw refused(path, "it does not lie below the table")
  }

  private def changeable(path: String): String = {
    inside(path)
    if (path == base || path == basePath) throw refused(path, "it is the table itself")
    checkFolder(path, path.substring(0, path.lastIndexOf('/')))
    path
  }

  private def checkFolder(path: String, folder: String): Unit =
    for (top <- realBase; real <- inner.realFolder(folder) if !isBelow(real, top))
      throw refused(path, s"a symbolic link leads from there to $real")

  private def checkLink(directory: String, entry: FileInfo, target: String): Unit = {
    def wrong(reason: String): UnsupportedTable = UnsupportedTable("UNSUPPORTED_LINK", "table" -> basePath,
      "path" -> entry.path, "reason" -> reason)
    if (target.isEmpty) throw wrong("it leads nowhere")
    realBase.foreach { top =>
      if (isBelow(target, top) || isBelow(top, target)) throw wrong(s"it leads back to $target")
      if (inner.realFolder(directory).exists(!isBelow(_, top))) throw wrong("it lies behind another link")
    }
  }

  private def isBelow(path: String, folder: String): Boolean =
    path == folder || path.startsWith(folder.stripSuffix("/") + "/")

  private def refused(path: String, reason: String): CorruptTable =
    CorruptTable("PATH_OUTSIDE_TABLE", "path" -> path, "table" -> basePath, "reason" -> reason)
}

object TableStorage {

  /** `storage` for the table at `basePath` alone. */
  def of(storage: Storage, basePath: String): Storage = storage match {
    case same: TableStorage if same.isOf(basePath) => same
    case other => new TableStorage(other, basePath)
  }

  /** The storage that this one is a part of, for a file that users have put beside the table. */
  private[hudilite] def whole(storage: Storage): Storage = storage match {
    case part: TableStorage => part.inner
    case all => all
  }
}
