package io.hudilite.compaction

import java.time.{Instant => EpochInstant}

import io.hudilite.config.{TableType, WriteOptions}
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CompactionPlan, Timeline}
import io.hudilite.transaction.{Transaction, TransactionOptions}

/** A compaction that was planned, or would be.
  *
  * @param instant
  *   its instant; `None` when the plan was only asked for
  */
final case class PlannedCompaction(instant: Option[String], strategy: String, candidates: Seq[CompactionCandidate]) {
  def plan: CompactionPlan = CompactionPlan(candidates.map(_.operation))
}

/** Plans compactions (docs/format.md#compaction). */
object CompactionScheduler {

  /** Writes a plan under the table lock; `None` when the strategy finds nothing to compact.
    *
    * Raises `COMPACTION_NOT_POSSIBLE` for a copy-on-write table, and `WRITE_PENDING` for a table of version 6 with a
    * delta commit under way: its log files carry the base instant that the plan would change.
    *
    * @param options
    *   compaction options
    */
  def schedule(table: Table, options: Map[String, String],
      transaction: TransactionOptions = TransactionOptions()): Option[PlannedCompaction] =
    guarded(table, transaction)(request(_, options))

  /** As [[schedule]], when the trigger of the options says that a compaction is due. */
  def scheduleIfDue(table: Table, options: Map[String, String],
      transaction: TransactionOptions = TransactionOptions()): Option[PlannedCompaction] =
    guarded(table, transaction)(now => if (isDue(now, options)) request(now, options) else None)

  /** What [[schedule]] would plan; nothing is written. */
  def preview(table: Table, options: Map[String, String]): PlannedCompaction = {
    checkType(table)
    plan(table, options)
  }

  def isDue(table: Table, options: Map[String, String]): Boolean =
    CompactionTrigger.of(options)
      .isDue(DeltaProgress.of(table.timeline, System.currentTimeMillis(), table.config.zone))

  /** Raises `InvalidInput` unless the table can have log files. */
  def checkType(table: Table): Unit =
    if (table.config.tableType != TableType.MergeOnRead)
      throw InvalidInput("COMPACTION_NOT_POSSIBLE", "path" -> table.basePath)

  private def guarded[T](table: Table, options: TransactionOptions)(body: Table => T): T = {
    checkType(table)
    Transaction.prepared(table, options)(body(table.refresh()))
  }

  private def request(now: Table, options: Map[String, String]): Option[PlannedCompaction] = {
    blocking(now.timeline, now.config.layout).foreach(i =>
      throw CommitConflict("WRITE_PENDING", "instant" -> i, "path" -> now.basePath,
        "reason" -> "with table version 6 a compaction can only be planned between writes"))
    val planned = plan(now, options)
    if (planned.candidates.isEmpty) None
    else {
      // Later than everything in the timeline, so than every log file that the plan takes in.
      val instant = now.store.newInstantTime(now.timeline.lastTime.getOrElse(""))
      now.store.requestCompaction(instant, planned.plan)
      Some(planned.copy(instant = Some(instant)))
    }
  }

  /** The pending delta commit that forbids a plan. */
  private[compaction] def blocking(timeline: Timeline, layout: Int): Option[String] =
    if (layout > 1) None
    else timeline.pendingWrites.find(_.comparableAction == Action.DeltaCommit).map(_.time)

  private def plan(now: Table, options: Map[String, String]): PlannedCompaction = {
    val strategy = CompactionStrategy.of(options)
    val found = candidates(now, WriteOptions.MaxFileSize(options))
    val today = EpochInstant.ofEpochMilli(System.currentTimeMillis()).atZone(now.config.zone).toLocalDate
    val selected = select(strategy, found, CompactionSettings.of(options, today))
    PlannedCompaction(None, CompactionStrategy.nameOf(strategy), selected)
  }

  /** Slices with log files whose file group nothing else is about to rewrite, in the order of partition and file id. */
  private[compaction] def candidates(table: Table, maxFileBytes: Long): Seq[CompactionCandidate] = {
    val taken = table.pendingCompactions.keySet ++ table.pendingClusterings.keySet
    table.allSlices().values.flatten.toSeq
      .filter(slice => slice.logs.nonEmpty && !taken(slice.groupId))
      .sortBy(slice => (slice.partition, slice.fileId))
      .map(CompactionCandidate(_, maxFileBytes))
  }

  /** What the strategy chose; a strategy of the user's that makes slices up or repeats them is a bug in it. */
  private[compaction] def select(strategy: CompactionStrategy, found: Seq[CompactionCandidate],
      settings: CompactionSettings): Seq[CompactionCandidate] = {
    val selected = strategy.select(found, settings)
    if (selected.distinct.size != selected.size || !selected.forall(found.toSet))
      throw new IllegalStateException(s"the compaction strategy ${CompactionStrategy.nameOf(strategy)} chose file " +
        "slices twice, or slices that it was not given")
    selected
  }
}
