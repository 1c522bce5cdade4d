package io.hudilite.storage

import java.io.{FileNotFoundException, IOException, OutputStream}
import java.nio.file.{NotDirectoryException, Paths}
import java.time.Clock

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{
  CommonPathCapabilities,
  FSDataInputStream,
  FileAlreadyExistsException,
  FileStatus,
  FileSystem,
  ParentNotDirectoryException,
  Path,
  PathIsNotEmptyDirectoryException
}

/** `Storage` on Hadoop's `FileSystem`.
  *
  * On `file` and `hdfs` a new file is written under a temporary dot-name and renamed, so that a reader never sees part
  * of it; object stores show a file only when it is closed.
  *
  * @param now
  *   clock of the process that uses it
  */
final class HadoopStorage(conf: Configuration, now: => Clock = Clock.systemDefaultZone(),
    override val caches: Caches = Caches.shared) extends Storage {

  override def clock: Clock = now

  override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] =
    Parallel.map(directories)(d => d -> listOne(d)).toMap

  private def listOne(directory: String): Seq[FileInfo] = {
    val path = new Path(directory)
    val fs = fileSystem(path)
    if (isLocal(fs)) LocalLinks.list(path, directory)
    else
      try fs.listStatus(path).toSeq.filter(_.getPath != path).map(info(directory, _))
      catch { case _: FileNotFoundException => Nil }
  }

  /** An object store has no folders to go through: it tells all names that begin alike in one answer. */
  override def listBelow(directory: String): Seq[FileInfo] = {
    val path = new Path(directory)
    val fs = fileSystem(path)
    if (NewFile.usesTemporary(fs)) super.listBelow(directory)
    else
      try {
        val top = fs.makeQualified(path).toUri.getPath.stripSuffix("/") + "/"
        val found = fs.listFiles(path, true)
        Iterator.continually(found).takeWhile(_.hasNext).map(_.next()).filter(_.isFile).map(status =>
          FileInfo(s"${directory.stripSuffix("/")}/${status.getPath.toUri.getPath.stripPrefix(top)}", status.getLen,
            status.getModificationTime, isDirectory = false)).toList
      } catch { case _: FileNotFoundException => Nil }
  }

  private def info(directory: String, status: FileStatus): FileInfo =
    FileInfo(s"${directory.stripSuffix("/")}/${status.getPath.getName}", status.getLen, status.getModificationTime,
      status.isDirectory)

  override def realFolder(path: String): Option[String] = {
    val p = new Path(path)
    if (isLocal(fileSystem(p))) Some(LocalLinks.realFolder(p)) else None
  }

  override def isLink(path: String): Boolean = {
    val p = new Path(path)
    isLocal(fileSystem(p)) && LocalLinks.isLink(p)
  }

  private def isLocal(fs: FileSystem): Boolean = fs.getScheme == "file"

  override def read(path: String): Option[Array[Byte]] = {
    val p = new Path(path)
    try {
      val in = fileSystem(p).open(p)
      try Some(in.readAllBytes())
      finally in.close()
    } catch { case _: FileNotFoundException => None }
  }

  override def readUnlessKnown(path: String, tag: Option[String]): Found = {
    val p = new Path(path)
    val fs = fileSystem(p)
    if (!fs.hasPathCapability(p, CommonPathCapabilities.ETAGS_AVAILABLE)) super.readUnlessKnown(path, tag)
    else
      try {
        val status = fs.getFileStatus(p)
        val now = HadoopFiles.tag(status)
        if (now.isDefined && now == tag) Found.Known
        else Found.Content(wholeOf(HadoopFiles.open(fs, status), status.getLen), now)
      } catch { case _: FileNotFoundException => Found.Nothing }
  }

  override def readAll(paths: Seq[String]): Map[String, Array[Byte]] =
    Parallel.map(paths)(p => read(p).map(p -> _)).flatten.toMap

  override def readListed(files: Seq[FileInfo]): Map[String, Array[Byte]] =
    Parallel.map(files)(f => readKnown(f).map(f.path -> _)).flatten.toMap

  private def readKnown(file: FileInfo): Option[Array[Byte]] = {
    val p = new Path(file.path)
    try {
      Some(wholeOf(HadoopFiles.open(fileSystem(p), p, file.length), file.length))
    } catch { case _: FileNotFoundException => None }
  }

  private def wholeOf(in: FSDataInputStream, length: Long): Array[Byte] =
    try {
      val content = new Array[Byte](Math.toIntExact(length))
      in.readFully(content)
      content
    } finally in.close()

  override def readRange(path: String, offset: Long, length: Int): Array[Byte] = {
    val file = open(path)
    try {
      val bytes = new Array[Byte](length)
      file.readFully(offset, bytes)
      bytes
    } finally file.close()
  }

  override def open(path: String): OpenFile = {
    val p = new Path(path)
    opened(fileSystem(p).open(p))
  }

  override def open(path: String, length: Long): OpenFile = {
    val p = new Path(path)
    opened(HadoopFiles.open(fileSystem(p), p, length))
  }

  private def opened(in: FSDataInputStream): OpenFile = new OpenFile {
    override def readFully(position: Long, target: Array[Byte]): Unit = in.readFully(position, target)
    override def close(): Unit = in.close()
  }

  override def createNew(path: String, content: Array[Byte]): Boolean = {
    val target = new Path(path)
    new NewFile(NotPublished.unless(path)(fileSystem(target)), target, content).create()
  }

  override def createStreamed(path: String)(write: OutputStream => Unit): Boolean = {
    val target = new Path(path)
    new StreamedFile(fileSystem(target), target).create(write)
  }

  override def usesTemporaries(path: String): Boolean = NewFile.usesTemporary(fileSystem(new Path(path)))

  override def replace(path: String, content: Array[Byte]): Unit = {
    val target = new Path(path)
    NewFile.writeWhole(fileSystem(target), target, content)
  }

  override def delete(path: String): Boolean = {
    val p = new Path(path)
    fileSystem(p).delete(p, false)
  }

  override def deleteOwn(directory: String): Unit = {
    val p = new Path(directory)
    fileSystem(p).delete(p, true)
    ()
  }

  override def deleteIfEmpty(directory: String): Unit = {
    val p = new Path(directory)
    val fs = fileSystem(p)
    try if (fs.exists(p) && fs.listStatus(p).isEmpty) fs.delete(p, false)
    catch {
      // Somebody put a file there between the look and the deletion, or removed the directory.
      case _: PathIsNotEmptyDirectoryException | _: FileNotFoundException => ()
      case _: IOException if isLocal(fs) && LocalFiles.holdsAny(p) => () // checksums count, too
    }
    ()
  }

  override def exists(path: String): Boolean = {
    val p = new Path(path)
    fileSystem(p).exists(p)
  }

  override def makeDirectory(path: String): Unit = {
    val p = new Path(path)
    try fileSystem(p).mkdirs(p)
    catch {
      case e @ (_: ParentNotDirectoryException | _: FileAlreadyExistsException) =>
        throw new NotDirectoryException(path).initCause(e)
    }
    ()
  }

  override def place(path: String): Place = {
    val p = new Path(path)
    val qualified = fileSystem(p).makeQualified(p)
    val uri = qualified.toUri
    if (uri.getScheme == "file") Place.local(Paths.get(uri.getPath)) else Place.remote(qualified.toString)
  }

  private def fileSystem(path: Path): FileSystem = HadoopFiles.fileSystem(path, conf)
}
