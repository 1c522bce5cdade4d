package io.hudilite.upkeep

import io.hudilite.timeline.{Action, Instant, InstantTime, Timeline}

/** The timeline of a metadata table as its services look at it: pure.
  *
  * @param layout
  *   of the timeline
  */
private[upkeep] final case class OwnTimeline(timeline: Timeline, layout: Int) {

  /** The last compaction. In a merge-on-read table only compactions complete as plain commits. */
  lazy val compacted: Option[Instant] = timeline.writes.filter(_.action == Action.Commit).lastOption

  private lazy val deltas: Seq[Instant] = timeline.writes.filter(_.action == Action.DeltaCommit)

  /** Delta commits on top of the last compaction. */
  lazy val sinceCompaction: Seq[Instant] =
    deltas.filter(i => !compacted.exists(_.time > i.completionTime.getOrElse(i.time)))

  /** The instant of a service that begins now; `None` where no name for one is left.
    *
    * @param suffix
    *   of the service, by which the layout without completion times has it follow the newest write
    */
  def serviceInstant(suffix: String)(newInstant: String => String): Option[String] =
    if (layout > 1) Some(newInstant(timeline.lastTime.getOrElse("")))
    else deltas.lastOption.map(_.time).filter(InstantTime.beforeSuffix(_).isEmpty).map(_ + suffix)
      .filterNot(timeline.contains)

  /** Writes that the table's own action has not completed, so that a service may not take them in.
    *
    * @param data
    *   timeline of the table
    */
  def open(data: Timeline): Boolean = {
    val pending = data.pending.map(_.time).toSet -- data.completed.map(_.time)
    if (layout > 1) deltas.exists(i => pending(i.time))
    else pending.exists(time => deltas.lastOption.exists(_.time >= time))
  }
}

private[upkeep] object OwnTimeline {
  val CompactionSuffix = "001"
  val CleanSuffix = "002"

  def of(home: MetadataHome): OwnTimeline = OwnTimeline(home.timeline, home.data.config.layout)
}
