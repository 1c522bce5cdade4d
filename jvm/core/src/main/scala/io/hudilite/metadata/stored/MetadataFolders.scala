package io.hudilite.metadata.stored

import io.hudilite.error.{CorruptTable, HudiliteException}
import io.hudilite.filegroup.{FolderContent, FolderSource, Partitions}
import io.hudilite.storage.FileInfo

import java.io.IOException
import java.util.Collections
import java.util.concurrent.ConcurrentHashMap

import org.slf4j.LoggerFactory

/** The folders of a table as its metadata table names their files, without a listing of any. Where that cannot be
  * trusted they are listed, all of them, and a warning says why.
  *
  * @param listed
  *   the folders themselves
  * @param check
  *   raises an error where what is known otherwise of the table contradicts the files of its partitions
  */
final class MetadataFolders(metadata: MetadataTable, listed: FolderSource, check: Map[String, Seq[FileInfo]] => Unit)
    extends FolderSource {

  import MetadataFolders._

  override def basePath: String = listed.basePath

  override def read(paths: Seq[String]): Map[String, FolderContent] = named match {
    case Some(folders) => paths.map(path => path -> folders.getOrElse(path, Nothing)).toMap
    case None => listed.read(paths)
  }

  /** Content of each folder that is a partition or leads to one. */
  private lazy val named: Option[Map[String, FolderContent]] =
    try {
      val files = filesOf(metadata.named())
      check(files)
      Some(folders(files))
    } catch {
      case e: Throwable with HudiliteException => distrust(e)
      // A file that was compacted and cleaned away since its folder was listed, or a storage that does not answer: the
      // folders of the table will show which.
      case e: IOException => distrust(e)
    }

  private def distrust(error: Throwable): Option[Nothing] = {
    if (warned.add(basePath)) log.warn(s"Listing the folders of $basePath, whose metadata table is not used: " +
      error.getMessage)
    None
  }

  private def filesOf(content: NamedContent): Map[String, Seq[FileInfo]] = {
    content.files.keySet.diff(content.partitions).find(content.files(_).nonEmpty).foreach(path =>
      throw damaged(s"it names files of '$path', and not the partition"))
    content.partitions.toSeq.map { path =>
      if (path.nonEmpty && !Partitions.mayBe(path)) throw damaged(s"it names the partition '$path'")
      path -> content.files.get(path).toSeq.flatMap(_.map { case (name, bytes) => info(path, name, bytes) })
    }.toMap
  }

  private def info(partition: String, name: String, bytes: Long): FileInfo = {
    if (name.isEmpty || name.contains('/') || bytes <= 0)
      throw damaged(s"it names the file $name of $bytes bytes in '$partition'")
    FileInfo(s"${Partitions.directory(basePath, partition)}/$name", bytes, UnknownTime, isDirectory = false)
  }

  private def damaged(reason: String): CorruptTable =
    CorruptTable("CORRUPT_FILE", "path" -> s"${basePath.stripSuffix("/")}/.hoodie/metadata", "reason" -> reason)
}

object MetadataFolders {

  private val log = LoggerFactory.getLogger("io.hudilite.metadata.stored.MetadataFolders")
  private val Nothing = FolderContent(isPartition = false, Nil, Nil)

  // Readers of folders do not ask it of data files.
  private val UnknownTime = 0L

  private val warned = Collections.newSetFromMap(new ConcurrentHashMap[String, java.lang.Boolean]())

  private[stored] def folders(files: Map[String, Seq[FileInfo]]): Map[String, FolderContent] = {
    val above = files.keys.flatMap(parents).toSet
    val within = (files.keySet ++ above).filter(_.nonEmpty).toSeq.groupBy(parent)
    (files.keySet ++ above + "").map { path =>
      path -> FolderContent(files.contains(path), files.getOrElse(path, Nil), within.getOrElse(path, Nil).sorted)
    }.toMap
  }

  private def parent(path: String): String = path.substring(0, math.max(path.lastIndexOf('/'), 0))

  private def parents(path: String): Iterator[String] =
    Iterator.iterate(path)(parent).takeWhile(_.nonEmpty).drop(1)
}
