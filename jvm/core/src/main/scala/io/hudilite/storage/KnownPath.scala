package io.hudilite.storage

import io.hudilite.error.CorruptTable

import java.io.{EOFException, FileNotFoundException}
import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable

/** The path of a base file whose size is known, to be handed to readers of Hadoop's kind in the place of a plain one.
  *
  * Such readers ask a file system for the status of a file before they open it, and most file systems ask for it again.
  * This one answers by itself, tells the file system the size, and reads the end of the file once in a process,
  * see [[FileTail]].
  *
  * @param length
  *   size of the file in bytes
  */
final class KnownPath(path: String, val length: Long) extends Path(path) {

  override def getFileSystem(conf: Configuration): FileSystem =
    new KnownFileSystem(this, super.getFileSystem(conf), conf)
}

private object KnownPath {

  /** A file that was there when it was listed, or when its write completed. */
  def gone(path: String, cause: FileNotFoundException): CorruptTable = CorruptTable.because(cause, "CORRUPT_FILE",
    "path" -> path,
    "reason" ->
      ("it is gone since the table was looked at; unless a cleaning has taken it meanwhile, so that it is to be " +
        "read again, somebody has deleted it"))
}

/** A file system as the reader of one file sees it. */
private final class KnownFileSystem(file: KnownPath, files: FileSystem, conf: Configuration) extends FileSystem {

  setConf(conf)

  override def getUri: URI = files.getUri
  override def getScheme: String = files.getScheme

  override def getFileStatus(path: Path): FileStatus =
    if (path == file) HadoopFiles.status(file, file.length) else files.getFileStatus(path)

  override def open(path: Path, bufferSize: Int): FSDataInputStream =
    if (path == file) new FSDataInputStream(new KnownInput(files, file)) else files.open(path, bufferSize)

  override def listStatus(path: Path): Array[FileStatus] = files.listStatus(path)
  override def getWorkingDirectory: Path = files.getWorkingDirectory

  private def refused: Nothing = throw new UnsupportedOperationException(s"$file is open for reading only")
  override def create(path: Path, permission: FsPermission, overwrite: Boolean, bufferSize: Int, replication: Short,
      blockSize: Long, progress: Progressable): FSDataOutputStream = refused
  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream = refused
  override def rename(from: Path, to: Path): Boolean = refused
  override def delete(path: Path, recursive: Boolean): Boolean = refused
  override def mkdirs(path: Path, permission: FsPermission): Boolean = refused
  override def setWorkingDirectory(path: Path): Unit = refused
}

/** Reads from the kept end of the file where that holds what is asked for; the file itself is opened when it does not. */
private final class KnownInput(files: FileSystem, file: KnownPath) extends VectoredReads {

  private val path = file.toString
  private var position = 0L
  private var tail: Option[FileTail] = FileTail.of(path, file.length)
  private var opened: Option[FSDataInputStream] = None

  override protected def whole: FSDataInputStream = opened.getOrElse {
    val in =
      try HadoopFiles.open(files, new Path(path), file.length)
      catch { case e: FileNotFoundException => throw KnownPath.gone(path, e) }
    opened = Some(in)
    in
  }

  override protected def inMemory(from: Long, count: Int): Option[Array[Byte]] =
    tail.filter(end => from >= end.from && from + count <= file.length).map { end =>
      val content = new Array[Byte](count)
      end.read(from, content, 0, count)
      content
    }

  override def read(target: Array[Byte], offset: Int, count: Int): Int =
    if (count == 0) 0
    else if (position >= file.length) -1
    else {
      bringTail(position + count)
      val read = tail match {
        case Some(end) if position >= end.from => end.read(position, target, offset, count)
        case _ => fromFile(target, offset, count)
      }
      if (read > 0) position += read
      read
    }

  override def read(): Int = {
    val one = new Array[Byte](1)
    if (read(one, 0, 1) < 0) -1 else one(0) & 0xff
  }

  /** The end is read as soon as its last bytes are asked for, where a footer says how long it is; and prolonged by what is
    * asked for in front of it, i.e. by the rest of a long footer, and by what lies before that: page indexes.
    */
  private def bringTail(until: Long): Unit = tail match {
    case None if until > file.length - KnownInput.FooterEnd =>
      val from = math.max(0L, file.length - FileTail.UsualBytes)
      keep(new FileTail(from, bytes(from, (file.length - from).toInt)))
    case Some(end) if position < end.from && until > end.from && file.length - position <= FileTail.MostBytes =>
      val from = math.max(0L, position - FileTail.UsualBytes)
      keep(end.after(bytes(from, (end.from - from).toInt)))
    case _ =>
  }

  private def keep(longer: FileTail): Unit = {
    tail = Some(longer)
    FileTail.keep(path, file.length, longer)
  }

  private def bytes(from: Long, count: Int): Array[Byte] = {
    val content = new Array[Byte](count)
    whole.seek(from)
    whole.readFully(content)
    content
  }

  private def fromFile(target: Array[Byte], offset: Int, count: Int): Int = {
    if (whole.getPos != position) whole.seek(position)
    val read = whole.read(target, offset, math.min(count.toLong, file.length - position).toInt)
    if (read < 0) throw new EOFException(s"$file ends at $position, not at ${file.length}")
    read
  }

  override def seek(to: Long): Unit = {
    if (to < 0) throw new EOFException(s"$file has no byte $to")
    position = to
  }

  override def getPos: Long = position
  override def seekToNewSource(to: Long): Boolean = false
  override def available(): Int = math.min(file.length - position, Int.MaxValue.toLong).max(0L).toInt

  override def close(): Unit = opened.foreach(_.close())
}

private object KnownInput {

  /** Length of the footer and the magic letters at the end of a Parquet file. */
  val FooterEnd = 8
}
