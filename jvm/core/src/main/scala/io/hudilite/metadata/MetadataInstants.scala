package io.hudilite.metadata

import io.hudilite.timeline.{Action, Instant, InstantTime, Timeline}

/** Instants of a metadata table beside those of its table: pure (docs/format.md#metadata-table).
  *
  * A write of the metadata table comes before that of the table at the same instant, so that one whose instant is still
  * pending in the table's timeline does not count.
  *
  * @param data
  *   timeline of the table
  * @param own
  *   timeline of the metadata table
  */
final class MetadataInstants(data: Timeline, own: Timeline) extends Serializable {

  import MetadataInstants._

  private val written: Set[String] = own.writes.map(_.time).toSet
  private val ofData: Set[String] = data.completed.map(_.time).toSet
  // A pending savepoint has the instant of a write that is complete.
  private val pending: Set[String] = data.pending.map(_.time).toSet -- ofData

  // Initialisations bear instants before all times and stay in the timeline as long as they like.
  private val first: Option[String] = own.instants.filter(i => Action.Writes(i.comparableAction)).map(_.time)
    .filterNot(isInitial).sorted.headOption

  /** Records of this instant count. */
  def counts(time: String): Boolean =
    !pending(time) && (written(time) || (isArchived(time) && (ofData(time) || data.beforeStart(time))))

  private def isArchived(time: String): Boolean = !isInitial(time) && first.exists(time < _) && !own.contains(time)

  /** A completed write of the metadata table whose action has not completed as far as the table's timeline tells, where
    * its records cannot be told from those of others. A reader of that timeline would take some of them for true.
    */
  def ahead: Option[Instant] = own.writes.find { write =>
    val time = InstantTime.beforeSuffix(write.time).getOrElse(write.time)
    write.action == Action.DeltaCommit && !isInitial(write.time) && !ofData(time) && !data.beforeStart(time) &&
    (!pending(time) || isCompacted(write))
  }

  private def isCompacted(write: Instant): Boolean =
    own.writes.exists(i => i.action == Action.Commit && i.time > write.completionTime.getOrElse(write.time))

  /** Completed writes and cleanings of the table that the metadata table may not know. It archives none of the writes that
    * are in the table's active timeline, but cleanings that are older than all of them.
    *
    * @param hasArchive
    *   instants have left the timeline of the metadata table: older cleanings than those that are left need not be in it
    */
  def unknown(hasArchive: => Boolean): Seq[Instant] = {
    val missing = data.completed.filter(i => Kept(i.action) && !written(i.time) && !isInitialised(i))
    val (older, others) = missing.partition(i => !Action.Writes(i.action) && first.exists(i.time < _))
    if (older.isEmpty || hasArchive) others else older ++ others
  }

  /** Completed writes and cleanings that have left the table's timeline, and that the metadata table may not know.
    *
    * @param left
    *   completed actions that have left the table's timeline
    * @param leftOwn
    *   those that have left that of the metadata table
    */
  def unknown(left: Seq[Instant], leftOwn: => Seq[Instant]): Seq[Instant] = {
    val missing = left.filter(i => Kept(i.action) && !written(i.time) && !isInitialised(i))
    if (missing.isEmpty) Nil
    else {
      val older = new MetadataInstants(data, Timeline(leftOwn.sortBy(_.time) ++ own.instants))
      missing.filterNot(i => older.written(i.time) || older.isInitialised(i))
    }
  }

  /** The write had completed when the metadata table was made, which lists all files that there are. */
  private def isInitialised(write: Instant): Boolean = {
    val initial = own.writes.filter(i => isInitial(i.time)).sortBy(_.time).headOption
    initial.flatMap(_.completionTime) match {
      case Some(made) => write.completionTime.exists(_ < made)
      // Without completion times, the instant begins with that of the newest write of that moment.
      case None => newestWhenMade.exists(write.time <= _)
    }
  }

  // `<newest write>010` and later numbers.
  private def newestWhenMade: Option[String] = own.writes.headOption.map(_.time)
    .filterNot(isInitial).flatMap(InstantTime.beforeSuffix)
}

object MetadataInstants {

  private val BeforeAllTimes = "00000000000000"

  /** Actions that each have a write of the metadata table beside them. */
  private val Kept = Action.Writes + Action.Clean

  /** Made at the initialisation of a metadata table, not by an action of its table. */
  def isInitial(time: String): Boolean = time.startsWith(BeforeAllTimes)

  /** As [[isInitial]], also before version 8, where the newest write of the table comes first: of services the numbers
    * behind that are smaller.
    */
  def isMade(time: String): Boolean = isInitial(time) ||
    (InstantTime.beforeSuffix(time).exists(InstantTime.isValid) &&
      time.takeRight(InstantTime.SuffixDigits) >= FirstMade)

  /** The first number of an initialisation before version 8. */
  val FirstMade = "010"

}
