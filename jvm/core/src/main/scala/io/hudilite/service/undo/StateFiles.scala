package io.hudilite.service.undo

import io.hudilite.filegroup.FileSlice
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, State}

/** Files of a state of a table, and cleanings that would delete some of them.
  *
  * Any process that finds a plan carries it out, and Apache Hudi does not look if its files are needed again.
  */
private[undo] object StateFiles {

  /** File slices of the state as of a time, by partition. Partitions without slices are left out. */
  def of(table: Table, time: String): Map[String, Seq[FileSlice]] = table.allSlices(Some(time)).filter(_._2.nonEmpty)

  /** The pending cleaning that deletes some of these files. */
  def cleaned(table: Table, slices: => Map[String, Seq[FileSlice]]): Option[Instant] =
    cleanings(table, slices).headOption

  /** The cleaning that has begun and deletes files of the state as of a time. */
  def beingCleaned(table: Table, time: String): Option[Instant] =
    cleanings(table, of(table, time)).find(_.state == State.Inflight)

  /** Removes plans of cleanings that nobody has begun and that delete files of the state as of a time. The caller holds
    * the table lock. The next cleaning plans the remaining files.
    */
  def keep(table: Table, time: String): Unit =
    cleanings(table, of(table, time)).filter(_.state == State.Requested).foreach(table.store.delete)

  private def cleanings(table: Table, slices: => Map[String, Seq[FileSlice]]): Seq[Instant] = {
    val pending = table.timeline.pending.filter(_.action == Action.Clean)
    lazy val wanted = slices.values.flatten.flatMap(_.paths).toSet
    pending.filter(table.store.readCleanPlan(_).exists(_.files.values.flatten.exists(wanted)))
  }
}
