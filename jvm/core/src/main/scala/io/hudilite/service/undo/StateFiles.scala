package io.hudilite.service.undo

import io.hudilite.filegroup.FileSlice
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, State}

/** The files that a state of a table consists of, and the cleanings that would delete some of them.
  *
  * A plan is carried out by whoever finds it, and Apache Hudi does not look whether its files have come to life again.
  */
private[undo] object StateFiles {

  /** The file slices of the state as of a time, by partition, none of them empty. */
  def of(table: Table, time: String): Map[String, Seq[FileSlice]] = table.allSlices(Some(time)).filter(_._2.nonEmpty)

  /** The pending cleaning that deletes some of these files. */
  def cleaned(table: Table, slices: => Map[String, Seq[FileSlice]]): Option[Instant] =
    cleanings(table, slices).headOption

  /** The same of the state as of a time, when the cleaning has begun. */
  def beingCleaned(table: Table, time: String): Option[Instant] =
    cleanings(table, of(table, time)).find(_.state == State.Inflight)

  /** Removes the plans of cleanings that nobody has begun and that delete files of the state as of a time; the caller
    * holds the table lock. The next cleaning finds what is still to go.
    */
  def keep(table: Table, time: String): Unit =
    cleanings(table, of(table, time)).filter(_.state == State.Requested).foreach(table.store.delete)

  private def cleanings(table: Table, slices: => Map[String, Seq[FileSlice]]): Seq[Instant] = {
    val pending = table.timeline.pending.filter(_.action == Action.Clean)
    lazy val wanted = slices.values.flatten.flatMap(_.paths).toSet
    pending.filter(table.store.readCleanPlan(_).exists(_.files.values.flatten.exists(wanted)))
  }
}
