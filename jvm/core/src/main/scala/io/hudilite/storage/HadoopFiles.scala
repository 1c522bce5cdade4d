package io.hudilite.storage

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions
import java.util.concurrent.ExecutionException
import java.util.{Collections, Map => JMap, WeakHashMap}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs._

import scala.annotation.nowarn
import scala.language.existentials

/** The file systems of tables, and how files on them are opened and made. */
object HadoopFiles {

  // Hive's, which PySpark has, renames in another way; local files are not renamed here. Other subclasses have their
  // reasons.
  private val Known = Set(classOf[LocalFileSystem].getName, "org.apache.hadoop.hive.ql.io.ProxyLocalFileSystem")

  private val quick: JMap[FileSystem, LocalFileSystem] =
    Collections.synchronizedMap(new WeakHashMap[FileSystem, LocalFileSystem])

  /** The path's file system as Hadoop has it, but for the way in which the local one sets modes: Hadoop starts a `chmod`
    * process for each file, checksum file and folder that it creates, unless its native library is loaded. A commit of
    * small files takes longer over that than over all else.
    */
  def fileSystem(path: Path, conf: Configuration): FileSystem = path.getFileSystem(conf) match {
    case local: LocalFileSystem if Known(local.getClass.getName) && hasModes(local) =>
      quick.computeIfAbsent(local, _ => withSystemCalls(local))
    case other => other
  }

  /** The file system for a file without content, of which there is nothing to have a checksum of: the local one would make
    * a second file for each.
    */
  def withoutChecksums(files: FileSystem): FileSystem = files match {
    case local: LocalFileSystem if local.getClass == classOf[LocalFileSystem] => local.getRaw
    case other => other
  }

  /** Opens a file of known size to be read here and there; nothing is asked before the first byte is read where the file
    * system can do without its status.
    */
  def open(files: FileSystem, path: Path, length: Long): FSDataInputStream =
    if (isLocal(files)) files.open(path) else opened(files, status(path, length), "random")

  /** Opens a file as the file system itself has told of it, to be read from its beginning to its end: what has changed
    * since is an error where the file system can tell.
    */
  def open(files: FileSystem, told: FileStatus): FSDataInputStream = opened(files, told, "sequential")

  private def opened(files: FileSystem, status: FileStatus, policy: String): FSDataInputStream =
    try files.openFile(status.getPath).opt(LengthOption, status.getLen.toString).opt(PolicyOption, policy)
        .withFileStatus(status).build().get()
    catch { case e: ExecutionException if e.getCause != null => throw e.getCause }

  /** Tag that tells the content of a file from any other, where the file system has one. */
  def tag(status: FileStatus): Option[String] = status match {
    case tagged: EtagSource => Option(tagged.getEtag).filter(_.nonEmpty)
    case _ => None
  }

  /** Status of a file of this size, as far as readers ask. */
  def status(path: Path, length: Long): FileStatus = new FileStatus(length, false, 1, BlockBytes, 0L, path)

  /** Creates a file under a name that is the caller's own. An object store is not asked first what is there.
    *
    * @param blockBytes
    *   size of a block where the file system has any; 0 for its default
    */
  def create(files: FileSystem, path: Path, overwrite: Boolean, blockBytes: Long = 0L): FSDataOutputStream = {
    val block = if (blockBytes > 0) blockBytes else files.getDefaultBlockSize(path)
    if (isLocal(files)) files.create(path, overwrite, BufferBytes, files.getDefaultReplication(path), block)
    else {
      // Where the store lets one win a name unless it is told to overwrite, a request that is repeated after its answer was
      // lost would lose against itself.
      val builder = unchecked(files, path, overwrite || !NewFile.usesTemporary(files))
      builder.bufferSize(BufferBytes)
      builder.blockSize(block)
      builder.build()
    }
  }

  /** True when the store itself lets one of many win a name, as it puts a file there. */
  def isConditional(files: FileSystem, path: Path): Boolean = files.hasPathCapability(path, ConditionalOption)

  /** Begins a file under a name that others may want, too. Where the store decides that when the file is closed, nobody is
    * asked before. Else S3A asks for a file and then for a folder of the name before it puts a file there; nobody makes
    * such folders, so it is asked for the file alone, and two may both find none. Other stores decide it by themselves.
    *
    * @param nonce
    *   a text that no other file bears, by which [[bears]] tells the file; some stores keep it
    */
  def createNew(files: FileSystem, path: Path, nonce: String): FSDataOutputStream =
    if (isConditional(files, path)) {
      val builder = unchecked(files, path, overwrite = false)
      builder.must(ConditionalOption, "true")
      if (files.hasPathCapability(path, HeaderOption)) builder.opt(s"$HeaderOption.$NonceHeader", nonce)
      builder.build()
    } else if (!files.hasPathCapability(path, UncheckedOption)) files.create(path, false)
    else if (isFile(files, path)) throw new FileAlreadyExistsException(s"$path is there")
    else unchecked(files, path, overwrite = false).build()

  /** True for the file that was created with this text; `None` where the store does not say. */
  def bears(files: FileSystem, path: Path, nonce: String): Option[Boolean] =
    if (!files.hasPathCapability(path, HeaderOption)) None
    else Some(Option(files.getXAttr(path, s"header.$NonceHeader")).exists(new String(_, UTF_8) == nonce))

  /** Somebody else's file was found in the place of one that was to be new, by S3A's class for that. */
  def isTaken(failure: Throwable): Boolean = failure match {
    case _: FileAlreadyExistsException => true
    case other => other.getClass.getName == ChangedException
  }

  // Spark and others go on using it, since no other method asks for a file and for nothing else.
  @nowarn("cat=deprecation")
  private def isFile(files: FileSystem, path: Path): Boolean = files.isFile(path)

  private def unchecked(files: FileSystem, path: Path, overwrite: Boolean): Builder = {
    val builder: Builder = files.createFile(path)
    builder.recursive()
    builder.overwrite(overwrite)
    builder.opt(UncheckedOption, "true")
    builder
  }

  private type Builder = FSDataOutputStreamBuilder[_ <: FSDataOutputStream, _]

  private def isLocal(files: FileSystem): Boolean = files.getUri.getScheme == "file"

  // Hadoop's own names since 3.3.5; earlier releases and other stores pass over what they do not know.
  private val LengthOption = "fs.option.openfile.length"
  private val PolicyOption = "fs.option.openfile.read.policy"
  private val UncheckedOption = "fs.s3a.create.performance"
  private val HeaderOption = "fs.s3a.create.header"

  // Since 3.4.2, by its name only, since the jar is compiled on earlier ones.
  private val ConditionalOption = "fs.option.create.conditional.overwrite"
  private val ChangedException = "org.apache.hadoop.fs.s3a.RemoteFileChangedException"

  private val NonceHeader = "hudilite-creation"

  private val BlockBytes = 128L << 20

  // Local files are written in the pieces that have a checksum each, of 512 bytes, however large those are that are handed
  // over: so this is what a system call writes.
  private val BufferBytes = 64 * 1024

  private def hasModes(local: LocalFileSystem): Boolean = local.getRaw.getClass == classOf[RawLocalFileSystem] &&
    java.nio.file.FileSystems.getDefault.supportedFileAttributeViews.contains("posix")

  private def withSystemCalls(local: LocalFileSystem): LocalFileSystem = {
    val created = new LocalFileSystem(new ModesBySystemCall)
    created.initialize(local.getUri, local.getConf)
    created
  }

  private final class ModesBySystemCall extends RawLocalFileSystem {
    override def setPermission(path: Path, permission: FsPermission): Unit =
      if (permission.getStickyBit) super.setPermission(path, permission)
      else {
        Files.setPosixFilePermissions(pathToFile(path).toPath, PosixFilePermissions.fromString(permission.toString))
        ()
      }
  }
}
