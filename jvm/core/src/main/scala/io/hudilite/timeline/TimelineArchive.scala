package io.hudilite.timeline

import io.hudilite.codec.avro.AvroFields
import io.hudilite.storage.{FileInfo, Parallel, Storage}

/** Instants that left the active timeline (docs/format.md#history). Writing methods are called under the table lock.
  *
  * A batch of instants is added before their files go. After an interruption in between, [[held]] tells what is here
  * already.
  */
private[hudilite] trait TimelineArchive {

  /** All of it as it is now. */
  def now(): ArchiveImage

  /** Metadata of the writes of these instants, as far as the archive knows them. */
  def commits(times: Set[String]): Map[String, CommitMetadata]

  /** Instants among these that an interrupted batch has put here. */
  def held(instants: Seq[Instant]): Set[Instant]

  /** Adds the instants; returns the name of the new file. */
  def append(batch: Seq[InstantStates]): String

  /** Merges small files, `files` of them at a time, and removes files that no reader needs. Returns the names of the
    * new ones.
    */
  def merge(files: Int): Seq[String]
}

/** The archive at one moment. Its files are read once, when something is asked of them. */
private[hudilite] trait ArchiveImage {

  /** Names and sizes of files that are unique and never change. */
  def files: Seq[(String, Long)]

  /** True when all files were there when they were read. */
  def isWhole: Boolean = true

  /** Completed actions, oldest first. */
  def completed: Seq[Instant]

  /** Instants that its completed rollbacks name. */
  def takenBack: Set[String]

  /** As [[TimelineArchive.commits]]. */
  def commits(times: Set[String]): Map[String, CommitMetadata]

  /** Results of completed actions of these kinds; an action that says nothing is not among them. */
  def results(actions: Set[String]): Iterator[(Instant, AvroFields)]
}

/** The files of one completed instant in the active timeline.
  *
  * @param files
  *   each with the instant that its name says, in the order of the states
  */
private[hudilite] final case class InstantStates(instant: Instant, files: Seq[(Instant, FileInfo)]) {

  private[timeline] def of(state: State): Seq[FileInfo] = files.collect { case (i, file) if i.state == state => file }
}

private[hudilite] object InstantStates {

  /** The files of these instants in the folder of the active timeline, by one listing. */
  def of(storage: Storage, folder: String, instants: Seq[Instant]): Seq[InstantStates] = {
    val found = for (file <- storage.list(folder) if !file.isDirectory; i <- InstantFileName.parse(file.name))
      yield i -> file
    val byInstant = found.groupBy { case (i, _) => (i.time, i.comparableAction) }
    instants.map(i =>
      InstantStates(i,
        byInstant.getOrElse((i.time, i.comparableAction), Nil).sortBy { case (file, _) => file.state.rank }))
  }

  /** Removes the instants from the active timeline: first the pending states of all, then the completed ones, oldest
    * first. So no reader at any time takes one for pending, or a later one for archived.
    */
  def delete(storage: Storage, states: Seq[InstantStates]): Unit = {
    Seq(State.Requested, State.Inflight).foreach { state =>
      Parallel.map(states.flatMap(_.of(state)))(file => storage.delete(file.path))
    }
    states.sortBy(s => (s.instant.time, s.instant.action)).flatMap(_.of(State.Completed))
      .foreach(file => storage.delete(file.path))
  }
}
