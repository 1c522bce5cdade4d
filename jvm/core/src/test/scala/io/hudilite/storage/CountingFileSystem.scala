package io.hudilite.storage

import java.io.{ByteArrayOutputStream, FileNotFoundException, IOException, OutputStream}
import java.net.URI
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import java.nio.file.StandardCopyOption.ATOMIC_MOVE
import java.nio.file.{FileAlreadyExistsException => Taken, Files, Path => LocalPath, Paths, StandardOpenOption}
import java.util.Comparator
import java.util.concurrent.CompletableFuture

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Abortable.AbortableResult
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.impl.OpenFileParameters
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.util.Progressable
import org.apache.hadoop.util.functional.RemoteIterators

import scala.collection.JavaConverters._

/** An object store in a local folder, for paths such as `counted:/tmp/table`, that takes down each request.
  *
  * It asks as S3A does where that matters for the count: a status is one HEAD, and a LIST more when there is no file of
  * that name; opening a file is a HEAD unless its status or length is given; a GET goes on while reads go forward by
  * less than `ReadAheadBytes`; to create a file is a LIST, for there may be a folder of that name, and a HEAD where no file
  * may be overwritten, unless the caller waives that; what is written appears when it is closed, and not at all when it is
  * aborted.
  */
final class CountingFileSystem extends FileSystem {

  import CountingFileSystem._

  override def getScheme: String = Scheme
  override def getUri: URI = URI.create(s"$Scheme:///")
  override def getWorkingDirectory: Path = new Path(s"$Scheme:/")
  override def setWorkingDirectory(path: Path): Unit = ()

  override def getFileStatus(path: Path): FileStatus = {
    log.add("head", name(path))
    val file = local(path)
    if (!Files.isRegularFile(file)) log.add("list", name(path))
    if (!Files.exists(file)) throw new FileNotFoundException(s"$path is not there")
    status(file)
  }

  override def listStatus(path: Path): Array[FileStatus] = {
    log.add("list", name(path))
    val file = local(path)
    if (!Files.exists(file)) throw new FileNotFoundException(s"$path is not there")
    if (Files.isDirectory(file)) file.toFile.listFiles.map(f => status(f.toPath)) else Array(status(file))
  }

  /** S3A asks for all names that begin alike, and for the status where there are none. */
  override def listFiles(path: Path, recursive: Boolean): RemoteIterator[LocatedFileStatus] = {
    require(recursive)
    log.add("list", name(path))
    val all = if (Files.exists(local(path))) Files.walk(local(path)) else java.util.stream.Stream.empty[LocalPath]()
    val found = try all.filter(f => Files.isRegularFile(f)).iterator.asScala.map(status).toList
    finally all.close()
    if (found.isEmpty) getFileStatus(path)
    RemoteIterators.remoteIteratorFromIterable(found.map(new LocatedFileStatus(_, null)).asJava)
  }

  @deprecated("as S3A has it: nothing but a HEAD", "")
  override def isFile(path: Path): Boolean = {
    log.add("head", name(path))
    Files.isRegularFile(local(path))
  }

  override def hasPathCapability(path: Path, capability: String): Boolean =
    capability == CommonPathCapabilities.ETAGS_AVAILABLE || capability == Unchecked

  private def status(file: LocalPath): FileStatus = new TaggedStatus(file)

  override def open(path: Path, bufferSize: Int): FSDataInputStream = {
    getFileStatus(path)
    new FSDataInputStream(new Requests(local(path)))
  }

  override def openFileWithOptions(path: Path, asked: OpenFileParameters): CompletableFuture[FSDataInputStream] = {
    val known = asked.getStatus != null || asked.getOptions.get("fs.option.openfile.length") != null
    if (!known) getFileStatus(path)
    if (!Files.exists(local(path))) throw new FileNotFoundException(s"$path is not there")
    CompletableFuture.completedFuture(new FSDataInputStream(new Requests(local(path))))
  }

  override def create(path: Path, permission: FsPermission, overwrite: Boolean, bufferSize: Int, replication: Short,
      blockSize: Long, progress: Progressable): FSDataOutputStream = created(path, overwrite, unchecked = false)

  override def createFile(path: Path): FSDataOutputStreamBuilder[_ <: FSDataOutputStream, _] = new Creation(path)

  private final class Creation(path: Path) extends FSDataOutputStreamBuilder[FSDataOutputStream, Creation](this, path) {
    override def getThisBuilder: Creation = this
    override def build(): FSDataOutputStream =
      created(path, getFlags.contains(CreateFlag.OVERWRITE), getOptions.getBoolean(Unchecked, false))
  }

  private def created(path: Path, overwrite: Boolean, unchecked: Boolean): FSDataOutputStream = {
    if (!unchecked && !overwrite) log.add("head", name(path))
    if (!unchecked && (overwrite || !Files.exists(local(path)))) log.add("list", name(path))
    if (!overwrite && Files.exists(local(path))) throw new FileAlreadyExistsException(s"$path is there")
    new FSDataOutputStream(new Upload(local(path), overwrite), null)
  }

  override def append(path: Path, bufferSize: Int, progress: Progressable): FSDataOutputStream =
    throw new UnsupportedOperationException("an object store appends nothing")

  override def delete(path: Path, recursive: Boolean): Boolean = {
    log.add("delete", name(path))
    val file = local(path)
    val existed = Files.exists(file)
    if (existed && recursive) {
      val all = Files.walk(file)
      try all.sorted(Comparator.reverseOrder[LocalPath]).forEach(f => Files.delete(f))
      finally all.close()
    } else Files.deleteIfExists(file)
    existed
  }

  override def rename(from: Path, to: Path): Boolean = {
    log.add("rename", name(to))
    Files.move(local(from), local(to))
    true
  }

  override def mkdirs(path: Path, permission: FsPermission): Boolean = {
    log.add("mkdir", name(path))
    Files.createDirectories(local(path))
    true
  }
}

object CountingFileSystem {

  val Scheme = "counted"
  val ReadAheadBytes = 65536L
  private val BlockBytes = 32L << 20 // as S3A reports it

  private val Unchecked = "fs.s3a.create.performance"

  private val log = new StorageCalls.Log

  /** With a tag that tells contents apart, as those of S3 do. */
  private final class TaggedStatus(file: LocalPath)
      extends FileStatus(Files.size(file), Files.isDirectory(file), 1, BlockBytes,
        Files.getLastModifiedTime(file).toMillis, new Path(s"$Scheme:$file")) with EtagSource {
    override def getEtag: String = java.util.Arrays.hashCode(Files.readAllBytes(file)).toHexString
  }

  /** Makes paths of the scheme known. */
  def configure(conf: Configuration): Unit = conf.set(s"fs.$Scheme.impl", classOf[CountingFileSystem].getName)

  /** The path under which what is done to an absolute local path is counted. */
  def path(local: String): String = s"$Scheme:$local"

  /** Calls to all such paths of this JVM while `body` runs, by any thread. */
  def during[T](body: => T): (T, StorageCalls) = {
    log.clear()
    val result = body
    (result, log.taken)
  }

  private def name(path: Path): String = path.toUri.getPath
  private def local(path: Path): LocalPath = Paths.get(name(path))

  /** The requests that reading a file takes. */
  private final class Requests(file: LocalPath) extends FSInputStream {
    private val in = FileChannel.open(file, StandardOpenOption.READ)
    private var position = 0L
    private var next = -1L // where the running request goes on

    override def read(): Int = {
      val one = new Array[Byte](1)
      if (read(one, 0, 1) == 1) one(0) & 0xff else -1
    }

    override def read(bytes: Array[Byte], offset: Int, length: Int): Int = {
      if (next < 0 || position < next || position > next + ReadAheadBytes) log.add("get", file.toString)
      val count = in.read(ByteBuffer.wrap(bytes, offset, length), position)
      position += count.max(0)
      next = position
      count
    }

    override def seek(to: Long): Unit = position = to
    override def getPos: Long = position
    override def seekToNewSource(target: Long): Boolean = false
    override def available(): Int = (in.size - position).min(Int.MaxValue).toInt
    override def close(): Unit = in.close()
  }

  /** A file that appears when it is closed. */
  private final class Upload(target: LocalPath, overwrite: Boolean)
      extends OutputStream with Abortable with StreamCapabilities {
    private val content = new ByteArrayOutputStream()
    private var open = true

    override def write(byte: Int): Unit = content.write(byte)
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = content.write(bytes, offset, length)

    override def close(): Unit = if (open) {
      open = false
      log.add("put", target.toString)
      Files.createDirectories(target.getParent)
      val whole = Files.createTempFile("counted", null)
      try
        if (overwrite) Files.move(Files.write(whole, content.toByteArray), target, ATOMIC_MOVE)
        else Files.createLink(target, Files.write(whole, content.toByteArray))
      catch { case _: Taken => throw new FileAlreadyExistsException(s"$target is there") }
      finally Files.deleteIfExists(whole)
      ()
    }

    override def abort(): AbortableResult = {
      val was = open
      open = false
      new AbortableResult {
        override def alreadyClosed(): Boolean = !was
        override def anyCleanupException(): IOException = null
      }
    }

    override def hasCapability(capability: String): Boolean = capability == CommonPathCapabilities.ABORTABLE_STREAM
  }
}
