package io.hudilite.service.clean

import io.hudilite.config.service.{CleanConf, CleaningPolicy}
import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.FileGroupId
import io.hudilite.table.{PartitionVersions, Table}
import io.hudilite.timeline.{Action, CleanPlan, Instant, InstantTime, Timeline}
import io.hudilite.transaction.{MetadataUpkeep, Transaction, TransactionOptions}

/** Plans cleanings (docs/format.md#cleaning). */
object CleanScheduler {

  private val MillisPerHour = 3600000L

  /** Plans a cleaning, and writes the plan under the table lock; `None` when there is nothing to delete. An existing
    * plan has to be run first, and is the answer then, whoever made it. Folders are listed before the lock is taken, so
    * that nobody waits for that.
    */
  def schedule(table: Table, conf: CleanConf, transaction: TransactionOptions = TransactionOptions())
      : Option[(Instant, CleanPlan)] = {
    def before(now: Table): Option[(Instant, CleanPlan)] = Cleaning.pending(now).headOption
    before(table).orElse(requested(table, conf, transaction)(before)((_, _) => ()))
  }

  /** Plans a cleaning as [[schedule]] does, and begins it under one lock, so that nobody else has seen the plan.
    * Existing plans do not matter, since their makers run them.
    */
  private[clean] def begin(table: Table, conf: CleanConf, transaction: TransactionOptions)
      : Option[(Instant, CleanPlan)] =
    requested(table, conf, transaction)(_ => None)((now, instant) => now.store.toInflight(instant.time, Action.Clean))

  /** Plans a cleaning under the table lock.
    *
    * @param instead
    *   answer that the table as it is then already has
    * @param next
    *   step with the table as it is then and the new instant, under the same lock
    */
  private def requested(table: Table, conf: CleanConf, transaction: TransactionOptions)(
      instead: Table => Option[(Instant, CleanPlan)])(next: (Table, Instant) => Unit): Option[(Instant, CleanPlan)] = {
    val early = planned(table, conf)
    if (early.files.isEmpty) {
      remember(table, conf.policy, early, None)
      None
    } else Transaction.preparedNow(table, transaction) { now =>
      instead(now).orElse {
        val plan = if (stillHolds(table, now)) early else planned(now, conf)
        val found = if (plan.files.isEmpty) None else Some(request(now, plan) -> plan)
        remember(if (plan eq early) table else now, conf.policy, plan, found.map(_._1.time))
        found.foreach { case (instant, _) => next(now, instant) }
        found
      }
    }
  }

  // True when the plan still holds. Old files stay old whatever is written meanwhile, unless a state is saved or
  // brought back.
  private def stillHolds(before: Table, now: Table): Boolean =
    before.timeline.writes.forall(i => now.timeline.isCompleted(i.time)) &&
      before.timeline.savepoints == now.timeline.savepoints

  private def request(now: Table, plan: CleanPlan): Instant = {
    MetadataUpkeep.beforeCleaning(now, now.config)
    now.store.requestClean(now.store.newInstantTime(now.timeline.lastTime.getOrElse("")), plan)
  }

  /** The plan that a cleaning would make now, whatever is planned. Nothing is written. */
  def preview(table: Table, conf: CleanConf): CleanPlan = planned(table, conf)

  /** True when enough commits have completed since the last cleaning, by the timeline alone.
    *
    * @param more
    *   writes that have completed and are not in the timeline yet
    */
  def isDue(timeline: Timeline, conf: CleanConf, more: Int = 0): Boolean = {
    val last = timeline.completed.filter(_.action == Action.Clean).lastOption.map(_.time).getOrElse("")
    val writes = timeline.writes.size + more
    timeline.writes.count(_.time > last) + more >= conf.triggerCommits &&
    (conf.policy match {
      case CleaningPolicy.LatestCommits(n) => writes > n
      case _ => writes > 1
    })
  }

  /** True when a cleaning may find files once one more write has completed, as far as this process knows. False where
    * writes that are then too old to be read have replaced nothing, as most delta commits.
    */
  def mayFindMore(before: Table, conf: CleanConf): Boolean = conf.policy match {
    case CleaningPolicy.LatestCommits(n) =>
      val writes = before.timeline.writes
      !new CleanScope(before, conf.policy, conf.incremental).areSettled(writes.take(writes.size + 1 - n))
    case _ => true
  }

  /** The first instant whose state a cleaning leaves whole: see [[CleanPlanner.earliestRetained]]. */
  def earliestRetained(table: Table, conf: CleanConf): Option[Instant] =
    CleanPlanner.earliestRetained(conf.policy, table.timeline, hoursAgo(table))

  private def planned(table: Table, conf: CleanConf): CleanPlan = {
    val earliest = earliestRetained(table, conf)
    val goesByCommits = !conf.policy.isInstanceOf[CleaningPolicy.LatestVersions]
    val partitions =
      if (goesByCommits && earliest.isEmpty) Nil
      else new CleanScope(table, conf.policy, conf.incremental).partitions(earliest.map(_.time))
    val found = files(table, conf.policy, earliest, partitions)
    CleanPlan(conf.policy.name, earliest, table.timeline.lastCompleted.map(_.time).getOrElse(""),
      found.collect { case (partition, cleaned) if cleaned.files.nonEmpty => partition -> cleaned.files }.toMap,
      found.collect { case (partition, cleaned) if cleaned.isEmptied => partition }, table.timeline.savepoints)
  }

  private def files(table: Table, policy: CleaningPolicy, earliest: Option[Instant], partitions: Seq[String])
      : Seq[(String, CleanedFiles)] =
    if (partitions.isEmpty) Nil
    else {
      val kept = protectedOf(table)
      PartitionVersions.of(table, partitions).map(versions =>
        versions.partition -> CleanPlanner.files(policy, earliest.map(_.time), versions, kept))
    }

  private[clean] def protectedOf(table: Table): Protected = {
    val store = table.store
    val plans = store.pendingCompactions(table.timeline) ++ store.pendingLogCompactions(table.timeline)
    Protected(savepointed(table),
      plans.flatMap(_._2.operations).map(o => FileGroupId(o.partition, o.fileId) -> o.baseInstant).toSet)
  }

  /** Names of the files that savepoints protect, by partition. */
  private[clean] def savepointed(table: Table): Map[String, Set[String]] = {
    val all = table.timeline.completed.filter(_.action == Action.Savepoint).map(saved =>
      CorruptTable.hinting(
        s"nothing is cleaned until the file is back or delete_savepoint gives the state ${saved.time} free")(
        table.store.readSavepoint(saved)))
    all.flatMap(_.files).groupBy(_._1).map { case (partition, files) => partition -> files.flatMap(_._2).toSet }
  }

  private def hoursAgo(table: Table)(hours: Int): String = {
    val clock = table.storage.clock
    InstantTime.fromEpochMillis(clock.millis() - hours * MillisPerHour, table.config.zone(clock))
  }

  private def remember(table: Table, policy: CleaningPolicy, plan: CleanPlan, instant: Option[String]): Unit =
    if (plan.earliestToRetain.isDefined || policy.isInstanceOf[CleaningPolicy.LatestVersions])
      CleanMemory.put(table,
        CleanMemory(policy, table.timeline.savepoints.toSet, plan.earliestToRetain.map(_.time),
          table.timeline.writes.map(_.time).toSet, instant))
}
