package io.hudilite.storage

import java.io.FileNotFoundException
import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FSDataInputStream, FileAlreadyExistsException, FileStatus, FileSystem, Path}

/** `Storage` on Hadoop's `FileSystem`.
  *
  * On `file` and `hdfs` a new file is written under a temporary dot-name and renamed, so that a reader never sees part
  * of it; object stores show a file only when it is closed.
  */
final class HadoopStorage(conf: Configuration) extends Storage {

  import HadoopStorage._

  override def list(directories: Seq[String]): Map[String, Seq[FileInfo]] =
    Parallel.map(directories)(d => d -> listOne(d)).toMap

  private def listOne(directory: String): Seq[FileInfo] = {
    val path = new Path(directory)
    try fileSystem(path).listStatus(path).toSeq.filter(_.getPath != path).map(info(directory, _))
    catch { case _: FileNotFoundException => Nil }
  }

  private def info(directory: String, status: FileStatus): FileInfo =
    FileInfo(s"${directory.stripSuffix("/")}/${status.getPath.getName}", status.getLen, status.getModificationTime,
      status.isDirectory)

  override def read(path: String): Option[Array[Byte]] = {
    val p = new Path(path)
    try {
      val in = fileSystem(p).open(p)
      try Some(in.readAllBytes())
      finally in.close()
    } catch { case _: FileNotFoundException => None }
  }

  override def readAll(paths: Seq[String]): Map[String, Array[Byte]] =
    Parallel.map(paths)(p => read(p).map(p -> _)).flatten.toMap

  override def readListed(files: Seq[FileInfo]): Map[String, Array[Byte]] =
    Parallel.map(files)(f => readKnown(f).map(f.path -> _)).flatten.toMap

  private def readKnown(file: FileInfo): Option[Array[Byte]] = {
    val p = new Path(file.path)
    try {
      val in = HadoopFiles.open(fileSystem(p), p, file.length)
      try {
        val content = new Array[Byte](Math.toIntExact(file.length))
        in.readFully(content)
        Some(content)
      } finally in.close()
    } catch { case _: FileNotFoundException => None }
  }

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
    val fs = fileSystem(target)
    if (!RenameSchemes(fs.getScheme)) writeDirect(fs, target, content)
    else if (fs.exists(target)) false
    else {
      val temporary = new Path(target.getParent, s".${target.getName}.${UUID.randomUUID()}")
      try {
        writeWhole(fs, temporary, content)
        // LocalFileSystem renames over an existing file, so the winner is decided by a hard link where there are any.
        if (fs.getScheme == "file") LocalFiles.linkNew(temporary, target) else fs.rename(temporary, target)
      } finally fs.delete(temporary, false)
    }
  }

  private def writeDirect(fs: FileSystem, target: Path, content: Array[Byte]): Boolean =
    try {
      val out = fs.create(target, false)
      try out.write(content)
      finally out.close()
      true
    } catch { case _: FileAlreadyExistsException => false }

  override def replace(path: String, content: Array[Byte]): Unit = {
    val target = new Path(path)
    writeWhole(fileSystem(target), target, content)
  }

  private def writeWhole(fs: FileSystem, target: Path, content: Array[Byte]): Unit = {
    val out = HadoopFiles.create(fs, target, overwrite = true)
    try out.write(content)
    finally out.close()
  }

  override def delete(path: String): Boolean = {
    val p = new Path(path)
    fileSystem(p).delete(p, true)
  }

  override def exists(path: String): Boolean = {
    val p = new Path(path)
    fileSystem(p).exists(p)
  }

  override def makeDirectory(path: String): Unit = {
    val p = new Path(path)
    fileSystem(p).mkdirs(p)
  }

  // Paths name the same files whichever configuration opens them.
  override def cacheScope: AnyRef = HadoopStorage

  private def fileSystem(path: Path): FileSystem = HadoopFiles.fileSystem(path, conf)
}

object HadoopStorage {

  private val RenameSchemes = Set("file", "hdfs", "viewfs")
}
