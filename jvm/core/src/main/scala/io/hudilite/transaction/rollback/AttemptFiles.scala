package io.hudilite.transaction.rollback

import io.hudilite.error.CommitConflict
import io.hudilite.storage.Storage

import scala.collection.mutable

/** Data files that one task attempt begins. Every file gets a marker first, and belongs to a write that still runs: see
  * [[WritePermit]].
  */
final class AttemptFiles(storage: Storage, basePath: String, permit: WritePermit) {

  private val begun = mutable.ArrayBuffer.empty[Marker]
  private val notes = mutable.ArrayBuffer.empty[String]
  // An attempt begins with a valid permit, so the first check comes later.
  private var checkedMs = storage.clock.millis()

  /** Makes the marker of a file that is about to be written. Raises `WRITE_ENDED` when the write has ended. */
  def begin(marker: Marker): Unit = {
    begun += marker
    Markers.create(storage, basePath, permit.instant, marker)
    // This check only keeps files from being begun in vain; the check that counts is the one at the end.
    if (math.abs(storage.clock.millis() - checkedMs) >= AttemptFiles.CheckMs) confirm()
  }

  /** Writes a file beside the markers, which goes with them, and returns its path. */
  private[rollback] def note(name: String, content: Array[Byte]): String = {
    val path = s"${Markers.folder(basePath, permit.instant)}/$name"
    notes += path
    storage.replace(path, content)
    path
  }

  /** Checks the permit once all files are whole, before the driver is told of them. Raises `WRITE_ENDED`, and deletes
    * the files, when the write has ended without this attempt.
    */
  def confirm(): Unit = if (begun.nonEmpty) {
    checkedMs = storage.clock.millis()
    if (!permit.isValid(storage, basePath)) {
      val folders = begun.map(m => Markers.folderOf(basePath, permit.instant, m)).distinct
      discard()
      Markers.deleteEmpty(storage, basePath, permit.instant, folders.toList)
      throw CommitConflict("WRITE_ENDED", "instant" -> permit.instant, "path" -> basePath)
    }
  }

  /** Deletes all files that were begun. Their writers must be closed. */
  def discard(): Unit = {
    begun.foreach(Markers.discard(storage, basePath, permit.instant, _))
    begun.clear()
    notes.foreach(storage.delete(_))
    notes.clear()
  }
}

private object AttemptFiles {

  /** Time for which an attempt goes on beginning files before it looks for its permit again. */
  val CheckMs = 10000L
}
