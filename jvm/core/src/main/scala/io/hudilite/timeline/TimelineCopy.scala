package io.hudilite.timeline

import io.hudilite.storage.{Parallel, Storage}

/** A timeline in another folder, with instants of the one that it is to follow and its whole archive.
  *
  * @param to
  *   of properties that name the folder; both have the second layout
  */
private[hudilite] final class TimelineCopy(from: TimelineStore, to: TimelineStore) {

  private val storage = from.storage

  /** Copies the files of these instants, of each state that they went through. */
  def of(instants: Seq[Instant]): Unit = {
    storage.makeDirectory(to.folder)
    val kept = instants.map(i => (i.time, i.comparableAction)).toSet
    val files = storage.list(from.folder).filter(file =>
      !file.isDirectory &&
        InstantFileName.parse(file.name).exists(i => kept((i.time, i.comparableAction))))
    copy(files.map(_.name), from.folder, to.folder)
    val (old, fresh) = (history(from), history(to))
    val archived = storage.list(old).filterNot(_.isDirectory).map(_.name)
    if (archived.nonEmpty) storage.makeDirectory(fresh)
    copy(archived, old, fresh)
  }

  private def history(of: TimelineStore): String = s"${of.folder}/${of.config.historyPath}"

  private def copy(names: Seq[String], old: String, fresh: String): Unit =
    storage.readAll(names.map(name => s"$old/$name")).foreach { case (path, content) =>
      storage.replace(s"$fresh/${path.substring(path.lastIndexOf('/') + 1)}", content)
    }
}

private[hudilite] object TimelineCopy {

  /** Deletes a timeline that nobody comes to any more, with its archive. */
  def delete(storage: Storage, folder: String): Unit = {
    val (folders, files) = storage.list(folder).partition(_.isDirectory)
    Parallel.map(files ++ folders.flatMap(f => storage.list(f.path)))(file => storage.delete(file.path))
    (folders.map(_.path) :+ folder).foreach(storage.deleteIfEmpty)
  }
}
