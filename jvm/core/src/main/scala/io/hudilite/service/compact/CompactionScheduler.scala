package io.hudilite.service.compact

import io.hudilite.config.TableType
import io.hudilite.config.service.{CompactionConf, CompactionOptions, TriggerConf}
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.filegroup.FileSlice
import io.hudilite.table.{Outdated, Table}
import io.hudilite.timeline.{Action, Instant, InstantTime, Timeline}
import io.hudilite.timeline.plan.CompactionPlan
import io.hudilite.transaction.{Transaction, TransactionOptions}

import java.time.ZoneId

/** A compaction that was planned, or would be.
  *
  * @param instant
  *   instant of the plan; `None` when the plan was only asked for
  * @param strategy
  *   name of the strategy that chose; empty for a log compaction, and for a plan that existed before
  */
final case class PlannedCompaction(instant: Option[String], strategy: String, candidates: Seq[CompactionCandidate],
    kind: CompactionKind = CompactionKind.Base) {
  def plan: CompactionPlan = CompactionPlan(candidates.map(_.operation))
}

/** A compaction that was planned and has begun.
  *
  * @param table
  *   table that it was planned for, without the plan
  */
final case class BegunCompaction(table: Table, pending: PendingCompaction, running: Transaction)

/** Plans compactions (docs/format.md#compaction). */
object CompactionScheduler {

  /** Writes a plan under the table lock; `None` when there is nothing to compact.
    *
    * Raises `COMPACTION_NOT_POSSIBLE` for a copy-on-write table, and `WRITE_PENDING` while a delta commit is under way
    * whose log files the plan would misplace.
    */
  def schedule(table: Table, conf: CompactionConf, transaction: TransactionOptions = TransactionOptions(),
      kind: CompactionKind = CompactionKind.Base): Option[PlannedCompaction] = {
    check(table, conf, kind)
    val known = lookedUp(table, conf, kind)
    Transaction.preparedNow(table, transaction)(requested(_, conf, kind, known)).map(_._2)
  }

  /** Writes a plan as [[schedule]] does, when the trigger of the options says that a compaction is due. */
  def scheduleIfDue(table: Table, conf: CompactionConf, transaction: TransactionOptions = TransactionOptions(),
      kind: CompactionKind = CompactionKind.Base): Option[PlannedCompaction] = {
    check(table, conf, kind)
    val known = Outdated.or(Map.empty[FileSlice, Boolean])(
      if (isDue(table, conf, kind)) lookedUp(table, conf, kind) else Map.empty[FileSlice, Boolean])
    Transaction.preparedNow(table, transaction)(now =>
      if (isDue(now, conf, kind)) requested(now, conf, kind, known) else None).map(_._2)
  }

  /** Writes a plan as [[schedule]] does, and begins the compaction under one lock, so that nobody else has seen the
    * plan. Folders are listed before the lock is taken, and again under it only when something has happened since.
    *
    * @param onlyIfDue
    *   true for the answer `None` also when the trigger of the options says that none is due
    */
  def begin(table: Table, conf: CompactionConf, transaction: TransactionOptions = TransactionOptions(),
      kind: CompactionKind = CompactionKind.Base, onlyIfDue: Boolean = false): Option[BegunCompaction] = {
    check(table, conf, kind)
    def isTime(now: Table): Boolean = !onlyIfDue || isDue(now, conf, kind)
    if (!isTime(table)) None
    else {
      val known = Outdated.or(Map.empty[FileSlice, Boolean]) {
        table.allSlices()
        lookedUp(table, conf, kind)
      }
      Transaction.planned(table, kind.operation, transaction) { now =>
        if (isTime(now)) requested(now, conf, kind, known).map { case (instant, planned) =>
          instant -> (now -> PendingCompactions.fresh(now, instant, planned.plan))
        }
        else None
      }.map { case (running, (now, pending)) => BegunCompaction(now, pending, running) }
    }
  }

  /** The plan that [[schedule]] would make. Nothing is written. */
  def preview(table: Table, conf: CompactionConf, kind: CompactionKind = CompactionKind.Base)
      : PlannedCompaction = {
    check(table, conf, kind)
    plan(table, conf, kind, Map.empty)
  }

  def isDue(table: Table, conf: CompactionConf, kind: CompactionKind = CompactionKind.Base): Boolean =
    kind match {
      case CompactionKind.Base => DeltaProgress.of(table).isDue(conf.trigger)
      case CompactionKind.Log => LogCompactionPlanner.isDue(table, conf.logs.blocks)
    }

  /** True when a compaction into base files is due once one more delta commit has completed. */
  def isDueAfterOneMore(table: Table, conf: CompactionConf): Boolean = {
    val now = DeltaProgress.of(table)
    now.copy(sinceCompaction = now.sinceCompaction + 1, sinceRequest = now.sinceRequest + 1).isDue(conf.trigger)
  }

  /** Raises `InvalidInput` unless the table can have log files and the options allow compactions of the kind. */
  def check(table: Table, conf: CompactionConf, kind: CompactionKind): Unit = {
    checkType(table)
    checkAllowed(conf, kind)
  }

  /** Raises `InvalidInput` when the options forbid this kind. */
  def checkAllowed(conf: CompactionConf, kind: CompactionKind): Unit =
    if (kind == CompactionKind.Log && !conf.logs.allowed)
      throw InvalidInput.option(CompactionOptions.LogEnable.name, "false",
        "the requested log compaction needs this option; set it to true")

  /** Raises `InvalidInput` unless the table can have log files. */
  def checkType(table: Table): Unit =
    if (table.config.tableType != TableType.MergeOnRead)
      throw InvalidInput("COMPACTION_NOT_POSSIBLE", "path" -> table.basePath)

  /** Look-ups in log files that a plan needs, so that nobody waits for them under the lock. Before version 8 slices
    * have files of writes under way, too, which may vanish.
    */
  private def lookedUp(table: Table, conf: CompactionConf, kind: CompactionKind): Map[FileSlice, Boolean] =
    if (kind == CompactionKind.Base || table.config.layout == 1 ||
      blocking(table.timeline, table.config.layout, kind).isDefined) Map.empty
    else qualifying(table, candidates(table, conf.fileBytes), conf, Map.empty)

  private def qualifying(table: Table, found: Seq[CompactionCandidate], conf: CompactionConf,
      known: Map[FileSlice, Boolean]): Map[FileSlice, Boolean] =
    LogCompactionPlanner.qualifying(table, found.map(_.slice), conf.logs.blocks, known)

  private def requested(now: Table, conf: CompactionConf, kind: CompactionKind, known: Map[FileSlice, Boolean])
      : Option[(Instant, PlannedCompaction)] = {
    blocking(now.timeline, now.config.layout, kind).foreach { case (instant, reason) =>
      throw CommitConflict("WRITE_PENDING", "instant" -> instant, "path" -> now.basePath, "reason" -> reason)
    }
    val planned = plan(now, conf, kind, known)
    if (planned.candidates.isEmpty) None
    else {
      // The instant is later than all others in the timeline, and so than every log file of the plan.
      val time = now.store.newInstantTime(now.timeline.lastTime.getOrElse(""))
      val instant = now.store.requestCompaction(time, planned.plan, kind.action)
      Some(instant -> planned.copy(instant = Some(time)))
    }
  }

  /** The pending delta commit that forbids a plan, and the reason. Before version 8 its log files carry the base
    * instant that a compaction changes. No older blocks may appear behind a log compaction, since many readers take its
    * blocks where they lie.
    */
  private[compact] def blocking(timeline: Timeline, layout: Int, kind: CompactionKind): Option[(String, String)] = {
    val disturbed = kind match {
      case CompactionKind.Log => Some("a log compaction")
      case CompactionKind.Base => if (layout == 1) Some("with table version 6 a compaction") else None
    }
    for {
      what <- disturbed
      write <- timeline.pending.find(_.action == Action.DeltaCommit)
    } yield write.time -> s"$what can only be planned between writes"
  }

  private def plan(now: Table, conf: CompactionConf, kind: CompactionKind, known: Map[FileSlice, Boolean])
      : PlannedCompaction = kind match {
    case CompactionKind.Base => byStrategy(now, conf)
    case CompactionKind.Log =>
      val found = candidates(now, conf.fileBytes)
      val enough = qualifying(now, found, conf, known)
      PlannedCompaction(None, "", found.filter(c => enough(c.slice)), kind)
  }

  private def byStrategy(now: Table, conf: CompactionConf): PlannedCompaction = {
    val strategy = CompactionStrategy.named(conf.strategy)
    val found = candidates(now, conf.fileBytes)
    val today = now.storage.clock.instant().atZone(now.config.zone(now.storage.clock)).toLocalDate
    val settings = CompactionSettings(today, conf.logBytes, conf.logFiles, conf.ioMb, conf.partitions)
    PlannedCompaction(None, CompactionStrategy.nameOf(strategy), select(strategy, found, settings))
  }

  /** Slices with log files whose file group nothing else is about to rewrite, in the order of partition and file id. */
  private[compact] def candidates(table: Table, maxFileBytes: Long): Seq[CompactionCandidate] = {
    val taken = table.pendingCompactions.keySet ++ table.pendingClusterings.keySet ++
      table.pendingLogCompactions.keySet
    table.allSlices().values.flatten.toSeq
      .filter(slice => slice.logs.nonEmpty && !taken(slice.groupId))
      .sortBy(slice => (slice.partition, slice.fileId))
      .map(CompactionCandidate(_, maxFileBytes))
  }

  /** The choice of the strategy. A user's strategy that makes slices up or repeats them has a bug. */
  private[compact] def select(strategy: CompactionStrategy, found: Seq[CompactionCandidate],
      settings: CompactionSettings): Seq[CompactionCandidate] = {
    val selected = strategy.select(found, settings)
    if (selected.distinct.size != selected.size || !selected.forall(found.toSet))
      throw new IllegalStateException(s"the compaction strategy ${CompactionStrategy.nameOf(strategy)} chose file " +
        "slices twice, or slices that it was not given")
    selected
  }
}

/** Work on a table since it was last compacted.
  *
  * @param sinceCompaction
  *   delta commits completed after the last completed compaction was requested, or ever
  * @param sinceRequest
  *   delta commits completed after the last compaction was requested, completed or not
  * @param seconds
  *   age of the last completed compaction, or else of the first delta commit; 0 when there is neither
  */
final case class DeltaProgress(sinceCompaction: Int, sinceRequest: Int, seconds: Long) {

  /** True when a compaction is due, as Apache Hudi's triggers have it. */
  def isDue(conf: TriggerConf): Boolean = {
    import CompactionOptions._
    val enough = sinceCompaction >= conf.maxCommits
    val late = seconds >= conf.maxSeconds
    conf.strategy match {
      case NumCommits => enough
      case NumCommitsAfterLastRequest => sinceRequest >= conf.maxCommits
      case TimeElapsed => late
      case NumAndTime => enough && late
      case NumOrTime => enough || late
      case other => throw new IllegalStateException(s"the trigger $other passed the option's check")
    }
  }
}

object DeltaProgress {

  def of(table: Table): DeltaProgress =
    of(table.timeline, table.storage.clock.millis(), table.config.zone(table.storage.clock))

  def of(timeline: Timeline, nowMs: Long, zone: ZoneId): DeltaProgress = {
    val deltas = timeline.writes.filter(_.action == Action.DeltaCommit)
    // In a merge-on-read table only compactions complete as plain commits.
    val compacted = timeline.writes.filter(_.action == Action.Commit).map(_.time).lastOption
    val requested = (timeline.pendingCompactions.map(_.time) ++ compacted).sorted.lastOption
    def after(time: Option[String]): Int = deltas.count(d => time.forall(d.completionTime.getOrElse(d.time) > _))
    val start = compacted.orElse(deltas.headOption.map(_.time))
    val millis = start.map(t => nowMs - InstantTime.toEpochMillis(t, zone)).getOrElse(0L)
    DeltaProgress(after(compacted), after(requested), math.max(millis, 0L) / 1000L)
  }
}
