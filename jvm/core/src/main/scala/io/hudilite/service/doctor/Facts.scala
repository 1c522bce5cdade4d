package io.hudilite.service.doctor

import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{CommitMetadata, DamagedInstant, Instant, Timeline}
import io.hudilite.transaction.rollback.PendingWrites.Judgement

/** Facts of a table's timeline and its writers, at one moment.
  *
  * @param writers
  *   judgements on the writers of pending writes and of services that are under way
  * @param damaged
  *   damaged files of the timeline that are too old to be just written
  * @param stalled
  *   other actions that are pending for longer than a writer may give no sign of life
  * @param rollbackTargets
  *   targets of pending rollbacks, by the times of these
  * @param clusterings
  *   times of the pending clusterings, which have the action of an overwrite in version 6
  * @param restored
  *   instants that completed restores took back
  * @param traces
  *   traces of ended writes, by instant
  * @param abandoned
  *   instants with leftover files that certainly never completed, unless the timeline has them: processes of hudilite
  *   began them, or a completed rollback or restore names them
  * @param locks
  *   paths of old lock files of Apache Hudi, below the table
  */
private[doctor] final case class Facts(
    timeline: Timeline,
    writers: Seq[(Instant, Judgement)],
    damaged: Seq[DamagedInstant] = Nil,
    stalled: Seq[Instant] = Nil,
    rollbackTargets: Map[String, String] = Map.empty,
    clusterings: Set[String] = Set.empty,
    restored: Set[String] = Set.empty,
    traces: Map[String, Seq[FileInfo]] = Map.empty,
    abandoned: Set[String] = Set.empty,
    locks: Seq[String] = Nil)

/** Facts of the writes whose files lie in a table.
  *
  * @param commits
  *   completed writes of the active timeline that can be read
  * @param takenBack
  *   instants that a completed rollback or restore names
  * @param mayBeMade
  *   true when a file may belong to a write that is at work
  * @param namesWrites
  *   true when log files bear the instants of their writes, from table version 8 on
  */
private[doctor] final case class ExaminedFile(timeline: Timeline, commits: Map[String, CommitMetadata],
    takenBack: Set[String], mayBeMade: (String, FileInfo) => Boolean, namesWrites: Boolean) {

  /** Paths of the files that each completed write left. */
  val paths: Map[String, Set[String]] = commits.map { case (instant, metadata) => instant -> metadata.allPaths }
}
