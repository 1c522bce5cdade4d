package io.hudilite.transaction.rollback

import io.hudilite.storage.Storage
import io.hudilite.timeline.WriteFolders

import org.slf4j.LoggerFactory

/** Hudi's DIRECT markers: one empty file for each data file, created before it is opened
  * (docs/format.md#markers).
  *
  * They are how this writer, and any Hudi writer that rolls our instant back, find what an attempt left behind.
  */
object Markers {

  val Create: String = "CREATE"
  val Merge: String = "MERGE"
  val Append: String = "APPEND"

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Markers")

  // The markers of Hudi's timeline server are lines of such files; checksums of markers are no markers.
  private val NoMarkers = "MARKERS(?:\\.type|\\d+)|.*\\.crc".r

  /** Folder of an instant's markers. */
  def folder(basePath: String, instant: String): String = s"${WriteFolders.markers(basePath)}/$instant"

  def create(storage: Storage, basePath: String, instant: String, marker: Marker): Unit =
    storage.replace(path(basePath, instant, marker), Array.emptyByteArray)

  /** Deletes a data file and then its marker, so that a crash in between leaves no file that no marker names. */
  def discard(storage: Storage, basePath: String, instant: String, marker: Marker): Unit = {
    storage.delete(s"${basePath.stripSuffix("/")}/${marker.relativePath}")
    storage.delete(path(basePath, instant, marker))
    ()
  }

  /** The folder in which a marker lies. */
  private[rollback] def folderOf(basePath: String, instant: String, marker: Marker): String = {
    val name = path(basePath, instant, marker)
    name.substring(0, name.lastIndexOf('/'))
  }

  /** Removes folders of markers, up to that of the instant, as far as they are empty. */
  private[rollback] def deleteEmpty(storage: Storage, basePath: String, instant: String, folders: Seq[String]): Unit = {
    val top = folder(basePath, instant)
    folders.flatMap(f => Iterator.iterate(f)(p => p.substring(0, p.lastIndexOf('/'))).takeWhile(_.startsWith(top)))
      .distinct.sortBy(-_.length).foreach(storage.deleteIfEmpty)
  }

  private def path(basePath: String, instant: String, marker: Marker): String =
    s"${folder(basePath, instant)}/${MarkerName.of(marker)}"

  /** The instant's markers, sorted; a file that names no data file of the instant is left out, with a warning. */
  def list(storage: Storage, basePath: String, instant: String): Seq[Marker] = {
    val top = folder(basePath, instant)
    storage.listBelow(top).flatMap(file => parse(file.path.drop(top.length + 1), instant, top)).sortBy(_.relativePath)
  }

  private def parse(name: String, instant: String, top: String): Option[Marker] =
    if (NoMarkers.pattern.matcher(name).matches()) None
    else {
      val marker = MarkerName.parse(name, instant)
      if (marker.isEmpty) log.warn(s"$top/$name names no data file of its instant; nothing is deleted for it.")
      marker
    }

  /** Removes all markers of an instant that has ended. Its time is that of one write, and what its late tasks still mark
    * they delete themselves, since the permit is gone.
    */
  def delete(storage: Storage, basePath: String, instant: String): Unit =
    storage.deleteOwn(folder(basePath, instant))
}
