package io.hudilite.transaction.rollback

import io.hudilite.storage.Storage
import io.hudilite.timeline.WriteFolders

import org.slf4j.LoggerFactory

/** Hudi's DIRECT markers: one empty file for each data file, created before it is opened (docs/format.md#markers).
  *
  * By markers this writer, and any Hudi writer that rolls its instant back, finds the files that an attempt left
  * behind.
  */
object Markers {

  val Create: String = "CREATE"
  val Merge: String = "MERGE"
  val Append: String = "APPEND"

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Markers")

  // Files of Hudi's timeline server, whose lines are its markers, checksums of markers, and told keys.
  private val NoMarkers = "MARKERS(?:\\.type|\\d+)|.*\\.crc|KEYS-.*".r

  /** Folder of an instant's markers. */
  def folder(basePath: String, instant: String): String = s"${WriteFolders.markers(basePath)}/$instant"

  def create(storage: Storage, basePath: String, instant: String, marker: Marker): Unit =
    storage.replace(path(basePath, instant, marker), Array.emptyByteArray)

  /** Deletes a data file and then its marker, so that a crash in between leaves no file without a marker. */
  def discard(storage: Storage, basePath: String, instant: String, marker: Marker): Unit = {
    storage.delete(s"${basePath.stripSuffix("/")}/${marker.relativePath}")
    storage.delete(path(basePath, instant, marker))
    ()
  }

  /** Folder of a marker. */
  private[rollback] def folderOf(basePath: String, instant: String, marker: Marker): String =
    Storage.folderOf(path(basePath, instant, marker))

  /** Removes folders of markers, up to that of the instant, as far as they are empty. */
  private[rollback] def deleteEmpty(storage: Storage, basePath: String, instant: String, folders: Seq[String]): Unit =
    storage.deleteEmpty(folders, top = folder(basePath, instant))

  private def path(basePath: String, instant: String, marker: Marker): String =
    s"${folder(basePath, instant)}/${MarkerName.of(marker)}"

  /** Markers of the instant, sorted. A file that names no data file of the instant is left out, with a warning. */
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

  /** Removes all markers of an instant that has ended. Late tasks delete the files that they still mark themselves,
    * since the permit is gone.
    */
  def delete(storage: Storage, basePath: String, instant: String): Unit =
    storage.deleteOwn(folder(basePath, instant))
}
