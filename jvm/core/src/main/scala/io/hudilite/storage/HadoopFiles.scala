package io.hudilite.storage

import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions
import java.util.{Collections, Map => JMap, WeakHashMap}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{FileSystem, LocalFileSystem, Path, RawLocalFileSystem}

/** The file systems that hudilite writes to. */
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
