package io.hudilite.transaction

import io.hudilite.config.{CommitNotes, TableConfig, TableProperties}
import io.hudilite.error.{CommitConflict, CommitStateUnknown}
import io.hudilite.filegroup.{FileNames, RowsTaken}
import io.hudilite.index.BucketIndex
import io.hudilite.storage.{FileInfo, Interrupts}
import io.hudilite.table.{Table, TableSupport}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, State, Timeline, TimelineStore, WriteStat}
import io.hudilite.transaction.rollback.{Claim, LateCommits, Markers, OwnerFile, Rollback, WritePermit}
import io.hudilite.upkeep.ToldKeys

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** One write to a table, from the requested instant to the completed one, or to its rollback.
  *
  * No other class completes an instant. Conflicts are judged against the snapshot that the transaction began with,
  * which must be the one that the write's rows were computed from.
  */
final class Transaction private (
    table: Table, store: TimelineStore, begun: Begun, planned: Boolean, earlier: Set[String],
    options: TransactionOptions,
    val instant: String, val action: String, val operation: String) {

  import Transaction._

  private val run = new PlannedRun(table.storage, table.basePath, instant, options.process, planned)
  private var state: Phase = Open

  /** Permission that tasks need to leave files in the table. */
  def permit: WritePermit = begun.permit

  /** Publishes the files: checks for conflicts, removes strays of retried tasks, and completes the instant.
    *
    * Raises `CommitConflict` when somebody else won, also by a rollback before the instant completed (then call
    * [[rollback]]; a retry is safe). Raises `CommitStateUnknown` when the outcome of completing is open, or somebody is
    * taking the write back (nothing is deleted).
    *
    * @param stats
    *   one for each file written
    * @param replaced
    *   file ids that this write replaces, by partition path
    * @param columns
    *   Avro schema of the table after the write, without meta columns; `None` when it stays as it is
    * @param assumption
    *   assumption about rows that the write did not touch
    * @param buckets
    *   bucket index by which the write dealt its rows, if any
    * @param notes
    *   words of the commit beside the rows
    * @param facts
    *   properties of the table from then on, its columns among them; `None` = it keeps its own
    * @param keys
    *   all record keys that the tasks of the write brought, moved and took away, but for those of replaced file groups;
    *   `None` where the stats have what they tell, or they do not tell: where a record index needs them, the files of the write are read then
    */
  def commit(stats: Seq[WriteStat], replaced: Map[String, Seq[String]] = Map.empty,
      columns: Option[String] = None, assumption: Assumption = Assumption.Default,
      buckets: Option[BucketIndex] = None, notes: CommitNotes = CommitNotes.Empty,
      facts: Option[TableConfig] = None, keys: Option[ToldKeys] = None): Instant =
    published(stats, replaced, assumption, notes, columns,
      facts.fold(options)(_ => options.copy(hooks = Nil)), keys.orElse(ToldKeys.of(stats)))((metadata, now) =>
      facts.fold(recorded(metadata, recordedColumns(columns, now), buckets, now))(config =>
        redefined(config, metadata.and(Redefinition.entries(config, buckets)), now)))

  /** Publishes changed columns and no rows. From the instant on, files are read by the new names. Raises as [[commit]].
    */
  def alter(columns: AlteredColumns, assumption: Assumption): Instant =
    published(Nil, Map.empty, assumption, CommitNotes.Empty, Some(columns.avroJson), options,
      Some(ToldKeys.Nothing))((metadata, now) =>
      recorded(metadata, CommitColumns.ofAlteration(table, instant, columns, now), None, now))

  private def published(stats: Seq[WriteStat], replaced: Map[String, Seq[String]], assumption: Assumption,
      notes: CommitNotes, schema: Option[String], options: TransactionOptions, keys: Option[ToldKeys])(
      end: (CommitMetadata, Timeline) => Instant): Instant = {
    if (state != Open) throw new IllegalStateException(s"instant $instant was ended before")
    stats.foreach(checkStat)
    val metadata = CommitMetadata(operation, stats.groupBy(_.partitionPath), Map.empty, replaced,
      compacted = action == Action.Compaction)
    val completed = options.locked(table.storage, table.basePath) {
      val now = unlessUnknown(
        new CommitGate(table, instant, action, permit, earlier, run, options).pass(metadata, assumption, schema,
          keys))
      end(metadata.and(CarriedFacts.entries(table, instant, notes, now) ++ RowsTaken.entries(metadata) ++
          BegunBootstrap.ending(table, now, if (planned) None else options.copies)), now)
    }
    finish()
    completed
  }

  private def recorded(metadata: CommitMetadata, columns: CommitColumns, buckets: Option[BucketIndex], now: Timeline)
      : Instant = {
    val said = columns.forTable(table.config.version)
    val ofBuckets = CommitBuckets.entries(table, instant, metadata, buckets, now)
    said.history.foreach(store.schemaFiles.record(instant, _))
    buckets.foreach(CommitRings.complete(table, instant, metadata, _, now))
    complete(metadata.and(said.extra ++ ofBuckets), now)
  }

  private def redefined(facts: TableConfig, metadata: CommitMetadata, now: Timeline): Instant = unlessUnknown {
    val completed = new Redefinition(table, facts, instant, options.keyJobs).complete(metadata, now)
    state = Committed
    completed
  }

  private def recordedColumns(columns: Option[String], now: Timeline): CommitColumns =
    if (Action.Writes(action) && operation != CommitMetadata.Cluster)
      CommitColumns.ofWrite(table, instant, columns, now)
    else CommitColumns.ofService(table, table.schemaForService(instant))

  /** True when nothing of this write is left: false after a commit, and while the outcome of one is unknown. */
  def isRolledBack: Boolean = state == RolledBack

  // A file whose stat has a wrong path would be deleted as a stray.
  private def checkStat(stat: WriteStat): Unit = {
    val inFolder = if (stat.partitionPath.isEmpty) stat.fileName else s"${stat.partitionPath}/${stat.fileName}"
    val ofInstant =
      if (stat.isLog) FileNames.parseLogFile(stat.fileName).exists(n => n.fileId == stat.fileId && isOwnTime(n.time))
      else FileNames.parseBaseFile(stat.fileName).forall(n => n.instant == instant && n.fileId == stat.fileId)
    if (stat.path != inFolder || !ofInstant)
      throw new IllegalStateException(s"the write stat of ${stat.path} does not fit the partition " +
        s"'${stat.partitionPath}', the file group ${stat.fileId} and the instant $instant")
  }

  // Before version 8 a log file bears the instant of its slice, or of the compaction that is to make its slice.
  private def isOwnTime(time: String): Boolean = time == instant || (table.config.version < 8 && time < instant)

  // The state changes inside the lock, so that a later failure, such as one of the lock's release, does not make the
  // write look open.
  private def complete(metadata: CommitMetadata, now: Timeline): Instant = unlessUnknown {
    val completed = store.complete(instant, action, metadata, Some(now))
    new LastLook(store, instant, action, earlier, planned, run).check(completed, metadata)
    state = Committed
    completed
  }

  private def unlessUnknown[T](step: => T): T =
    try step
    catch {
      case e: CommitStateUnknown =>
        state = Unknown
        begun.heartbeat.abandon()
        throw e
    }

  /** Raises `CommitConflict` when another process may have run the plan of this action meanwhile. */
  private[transaction] def checkOwn(): Unit = run.checkOwn()

  /** Removes every trace of this write. Does nothing when the write is committed, ended or in an unknown state, when
    * its instant turns out to have completed, or when another process or run of this one runs its plan: that run
    * removed the leftovers of this one before it began.
    *
    * @param stats
    *   files known to be written; markers name these and all others, too
    */
  def rollback(stats: Seq[WriteStat] = Nil): Unit = if (state == Open) Interrupts.heldBack {
    begun.heartbeat.abandon()
    // From here on the next writer may clean up, in case this one fails to.
    if (!run.isRunAgain(permit)) options.process.ends(table.place, instant)
    options.locked(table.storage, table.basePath) {
      val runsAgain = run.isRunAgain(permit)
      if (runsAgain) options.process.begins(table.place, instant)
      state = if (runsAgain || run.isTakenOver || takenBack(stats)) RolledBack else Committed
    }
  }

  private def takenBack(stats: Seq[WriteStat]): Boolean = {
    // The table may have been upgraded in the meantime, which moves the timeline.
    val config = TableProperties.read(table.storage, table.basePath)
    val store = new TimelineStore(table.storage, table.basePath, config)
    def isInflight: Boolean = store.load().pending.exists(i => i.time == instant && i.state == State.Inflight)
    def run(): Boolean = new Rollback(store, Some(config)).run(instant, stats.map(_.path))
    // Another run of the plan may have completed late, and have undone that while traces were deleted.
    run() || (planned && isInflight && run())
  }

  // The write is visible, so a failure to remove its traces must not fail it any more.
  private def finish(): Unit = Interrupts.heldBack {
    options.process.ends(table.place, instant)
    try {
      begun.heartbeat.stop()
      Markers.delete(table.storage, table.basePath, instant)
      OwnerFile.delete(table.storage, table.basePath, instant)
    } catch { case NonFatal(e) => log.warn(s"The markers of the committed instant $instant could not be removed.", e) }
  }
}

object Transaction {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Transaction")

  private sealed trait Phase
  private case object Open extends Phase
  private case object Committed extends Phase
  private case object RolledBack extends Phase
  private case object Unknown extends Phase

  /** Begins a write: rolls back writes of dead processes, then requests a new instant.
    *
    * Raises `CommitConflict` while a write of another program is pending that may be alive.
    *
    * @param action
    *   `commit`, `deltacommit` or `replacecommit`
    * @param operation
    *   Hudi's upper-case name of the operation, e.g. `UPSERT`
    * @param at
    *   instant of the first write of a table, where Hudi has one of its own for it
    */
  def begin(table: Table, action: String, operation: String,
      options: TransactionOptions = TransactionOptions(), at: Option[String] = None): Transaction =
    recovered(table, options) { (config, claim) =>
      val now = options.recovery(table.store, Some(config)).settle()
      now.pending.find(_.action == Action.Restore).foreach(i =>
        throw CommitConflict("RESTORE_PENDING", "path" -> table.basePath, "restore" -> i.time,
          "instant" -> table.store.readRestorePlan(i).map(_.to).getOrElse("")))
      BegunBootstrap.refuse(table, now, options.copies)
      MetadataUpkeep.prepare(table, config, now, options)
      at.filter(_ => now.instants.nonEmpty).foreach(instant =>
        throw CommitConflict("INSTANT_TAKEN", "instant" -> instant, "path" -> table.basePath,
          "reason" -> "another process has begun to write to the new table"))
      val instant = at.getOrElse(table.store.newInstantTime(now.lastTime.getOrElse("")))
      started(table, instant, action, operation, Set.empty, planned = false, options, claim)
    }

  /** Takes up an action that was planned before and that nobody runs: a requested compaction or clustering.
    *
    * Raises `CommitConflict` when the plan is gone or somebody runs it.
    */
  def resume(table: Table, planned: Instant, operation: String,
      options: TransactionOptions = TransactionOptions()): Transaction =
    recovered(table, options) { (_, claim) =>
      val (store, path) = (table.store, table.basePath)
      val now = LateCommits.removed(store, store.load())
      now.instants.find(i => i.time == planned.time && i.comparableAction == planned.comparableAction) match {
        case Some(i) if i.state == State.Requested =>
        case Some(i) => throw CommitConflict("INSTANT_TAKEN", "instant" -> i.time, "path" -> path,
            "reason" -> (if (i.isCompleted) s"the ${planned.action} is completed" else s"the ${i.action} is being run"))
        case None => throw CommitConflict("INSTANT_REMOVED", "instant" -> planned.time, "path" -> path)
      }
      BegunBootstrap.refuse(table, now, options.copies)
      started(table, planned.time, planned.action, operation, rolledBackBefore(now), planned = true, options, claim)
    }

  /** Plans an action and takes it up under one lock. Nobody has seen the plan before, so no earlier run can have left
    * anything. `None` when there is nothing to plan.
    *
    * @param plan
    *   function of the table as it is, which writes the plan and returns its instant
    */
  private[hudilite] def planned[P](table: Table, operation: String, options: TransactionOptions)(
      plan: Table => Option[(Instant, P)]): Option[(Transaction, P)] =
    recovered(table, options) { (config, claim) =>
      val opened = table.refresh(config)
      // The table's memory of its files holds as long as nothing has happened since it was opened.
      val now = if (opened == table) table else opened
      BegunBootstrap.refuse(now, now.timeline, options.copies)
      plan(now).map { case (instant, planned) =>
        val earlier = rolledBackBefore(now.timeline)
        (started(now, instant.time, instant.action, operation, earlier, planned = true, options, claim), planned)
      }
    }

  /** Runs `body` under the table lock, after writes of dead hudilite processes were rolled back, on a table that is
    * still as it was opened, and hands it the properties as they are. Raises `WRITER_NOT_EXCLUDED` while a process is
    * at work beyond the reach of the lock.
    */
  private[hudilite] def prepared[T](table: Table, options: TransactionOptions)(body: TableConfig => T): T =
    recovered(table, options)((config, _) => body(config))

  /** Runs `body` as [[prepared]] does, and hands it the table as it is. */
  private[hudilite] def preparedNow[T](table: Table, options: TransactionOptions)(body: Table => T): T =
    recovered(table, options) { (config, _) =>
      val now = table.refresh(config)
      val counted = LateCommits.removed(table.store, now.timeline)
      body(if (counted eq now.timeline) now else table.refresh(config))
    }

  // Rollbacks of earlier runs of a plan, which leave the plan to be run again.
  private def rolledBackBefore(now: Timeline): Set[String] =
    now.completed.filter(_.action == Action.Rollback).map(_.time).toSet

  private def recovered[T](table: Table, options: TransactionOptions)(body: (TableConfig, Claim) => T): T = {
    TableSupport.checkWritable(table)
    MetadataTablePolicy.refuse(table, table.config, options.metadata, options.keepsMetadata)
    locked(table, options) { (config, claim, owners) =>
      options.recovery(table.store, Some(config)).run(owners, options.sweepsAtOnce)
      body(config, claim)
    }
  }

  /** Runs `body` as [[prepared]] does, without a look for writes of dead processes. */
  private[hudilite] def unchanged[T](table: Table, options: TransactionOptions)(body: TableConfig => T): T =
    locked(table, options)((config, _, _) => body(config))

  private def locked[T](table: Table, options: TransactionOptions)(
      body: (TableConfig, Claim, Seq[FileInfo]) => T): T =
    options.locked(table.storage, table.basePath) {
      val config = TableProperties.read(table.storage, table.basePath)
      TableFacts.changed(table.config, config).foreach(changed =>
        throw CommitConflict("TABLE_CHANGED", "path" -> table.basePath, "change" -> changed))
      options.exclusion(table.storage, table.basePath).claimed((claim, owners) => body(config, claim, owners))
    }

  /** The transaction once its first steps are taken.
    *
    * @param earlier
    *   rollbacks that have completed before this run began
    */
  private def started(table: Table, instant: String, action: String, operation: String, earlier: Set[String],
      planned: Boolean, options: TransactionOptions, claim: Claim): Transaction = {
    val begun = new Beginning(table, instant, action, planned, options, claim).run()
    new Transaction(table, table.store, begun, planned, earlier, options, instant, action, operation)
  }
}
