package io.hudilite.transaction.rollback

import io.hudilite.storage.Storage

/** One marker: the data file that an attempt meant to write, relative to the base path. */
final case class Marker(relativePath: String, ioType: String)

/** Hudi's DIRECT markers: one empty file for each data file, created before it is opened
  * (docs/format.md#markers).
  *
  * They are how this writer, and any Hudi writer that rolls our instant back, find what an attempt left behind.
  */
object Markers {

  val Create: String = "CREATE"
  val Merge: String = "MERGE"
  val Append: String = "APPEND"

  private val Separator = ".marker."

  /** Folder of an instant's markers. */
  def folder(basePath: String, instant: String): String = s"${root(basePath)}/$instant"

  /** Folder of all instants' markers. */
  def root(basePath: String): String = s"${basePath.stripSuffix("/")}/.hoodie/.temp"

  def create(storage: Storage, basePath: String, instant: String, marker: Marker): Unit =
    storage.replace(path(basePath, instant, marker), Array.emptyByteArray)

  /** Deletes a data file and then its marker, so that a crash in between leaves no file that no marker names. */
  def discard(storage: Storage, basePath: String, instant: String, marker: Marker): Unit = {
    storage.delete(s"${basePath.stripSuffix("/")}/${marker.relativePath}")
    storage.delete(path(basePath, instant, marker))
    ()
  }

  private def path(basePath: String, instant: String, marker: Marker): String =
    s"${folder(basePath, instant)}/${marker.relativePath}$Separator${marker.ioType}"

  def list(storage: Storage, basePath: String, instant: String): Seq[Marker] = {
    val top = folder(basePath, instant)
    @annotation.tailrec
    def descend(folders: Seq[String], found: Seq[Marker]): Seq[Marker] =
      if (folders.isEmpty) found
      else {
        val children = for ((parent, files) <- storage.list(folders).toSeq; file <- files)
          yield s"$parent/${file.name}" -> file.isDirectory
        val (directories, files) = children.partition { case (_, isDirectory) => isDirectory }
        descend(directories.map(_._1), found ++ files.flatMap { case (path, _) => parse(path.drop(top.length + 1)) })
      }
    descend(Seq(top), Nil).sortBy(_.relativePath)
  }

  def delete(storage: Storage, basePath: String, instant: String): Unit = {
    storage.delete(folder(basePath, instant))
    ()
  }

  private def parse(relative: String): Option[Marker] = relative.lastIndexOf(Separator) match {
    case -1 => None
    // A checksum sibling of a marker on the local file system is no marker.
    case _ if relative.endsWith(".crc") => None
    case at => Some(Marker(relative.substring(0, at), relative.substring(at + Separator.length)))
  }
}
