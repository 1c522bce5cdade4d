package io.hudilite.timeline

/** The active timeline at one moment: each action once, in its highest state, ordered by instant.
  *
  * Instants are compared as text everywhere, as in Hudi.
  *
  * @param late
  *   writes that completed after others had taken them back; they never count, and none of them is among the instants
  *   in this state
  */
final case class Timeline(instants: Seq[Instant], late: Seq[Instant] = Nil) {

  /** Completed actions of every kind. */
  lazy val completed: Seq[Instant] = instants.filter(_.isCompleted)

  /** Requested and inflight actions of every kind. */
  lazy val pending: Seq[Instant] = instants.filter(_.isPending)

  /** Completed commits, delta commits and replace commits, which data files are judged by. */
  lazy val writes: Seq[Instant] = completed.filter(i => Action.Writes(i.action))

  /** Pending writes, and pending services that will complete as a write. */
  lazy val pendingWrites: Seq[Instant] = pending.filter(i => Action.Writes(i.comparableAction))

  lazy val pendingCompactions: Seq[Instant] = pending.filter(_.action == Action.Compaction)

  lazy val pendingLogCompactions: Seq[Instant] = pending.filter(_.action == Action.LogCompaction)

  private lazy val writeByTime: Map[String, Instant] = writes.map(i => i.time -> i).toMap
  private lazy val pendingWriteTimes: Set[String] = pendingWrites.map(_.time).toSet
  private lazy val savepointed: Set[String] = instants.filter(_.action == Action.Savepoint).map(_.time).toSet

  /** True when some action of the active timeline has this instant. */
  def contains(time: String): Boolean = instants.exists(_.time == time)

  /** True when a completed write has this instant. */
  def isCompleted(time: String): Boolean = writeByTime.contains(time)

  def isPendingWrite(time: String): Boolean = pendingWriteTimes(time)

  /** The completed write of this instant. */
  def write(time: String): Option[Instant] = writeByTime.get(time)

  def completionTime(time: String): Option[String] = write(time).flatMap(_.completionTime)

  /** First write, pending or completed, where the active timeline begins. Savepointed writes do not count: archival
    * leaves them behind.
    */
  lazy val firstWriteInstant: Option[Instant] = {
    val all = instants.filter(i => Action.Writes(i.comparableAction))
    all.find(i => !savepointed(i.time)).orElse(all.headOption)
  }

  /** True for an instant older than the active timeline. It was archived, and so it had completed. */
  def beforeStart(time: String): Boolean = firstWriteInstant.exists(first => time < first.time)

  /** True when files of this instant are to be read: its write completed, or is archived. */
  def isCommitted(time: String): Boolean =
    isCompleted(time) || (beforeStart(time) && !isPendingWrite(time) && !isLate(time))

  /** True when a write of this instant completed after others had taken it back. */
  def isLate(time: String): Boolean = late.exists(_.time == time)

  /** Completed write with the greatest instant. */
  def lastCompleted: Option[Instant] = writes.lastOption

  /** The write that completed last, by completion times where they are known. */
  def lastToComplete: Option[Instant] = writes.filter(_.completionTime.isDefined) match {
    case Seq() => lastCompleted
    case timed => Some(timed.maxBy(_.completionTime))
  }

  /** Greatest time anywhere in the timeline: requested or completion. */
  def lastTime: Option[String] = {
    val all = instants ++ late
    (all.map(_.time) ++ all.flatMap(_.completionTime)).reduceOption((a, b) => if (a < b) b else a)
  }

  /** The timeline as it stood for a reader at `time`: only instants up to and including it. */
  def upTo(time: String): Timeline = copy(instants = instants.filter(_.time <= time))

  /** Instants that completed savepoints protect. */
  def savepoints: Seq[String] = completed.filter(_.action == Action.Savepoint).map(_.time)
}

object Timeline {
  val Empty: Timeline = Timeline(Nil)
}
