package io.hudilite.spark.write.attempt

import io.hudilite.filegroup.{FileSlice, PathSelection}
import io.hudilite.index.BucketIndex
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.WrittenFiles
import io.hudilite.table.Table
import io.hudilite.transaction.{FirstWrite, Transaction}
import io.hudilite.upkeep.ToldKeys

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

import scala.util.control.NonFatal

/** One try of a write, on the driver: begins a transaction as the job starts, publishes the files or takes them back.
  *
  * Spark calls one instance in the order begin, then commit or abort.
  *
  * @param groups
  *   where the rows go, where that is decided before they reach their tasks
  */
private[write] final class WriteAttempt(intent: WriteIntent, groups: Option[LateGroups], session: SparkSession) {

  import intent.{replaces, target}

  private[write] def basePath: String = target.basePath

  private var started: Option[Started] = None
  private var published: Option[CommittedWrite] = None
  private var rebased = false
  private var keys: Option[ToldKeys] = None

  /** The write, once readers see it. */
  def committed: Option[CommittedWrite] = published

  /** Record keys that its tasks have told of, where they were asked. */
  private[write] def told: Option[ToldKeys] = keys

  private val options = KeyedOptions.of(session, target.basePath, target.conf.commit)

  /** Creates the table if need be and requests an instant; the result goes to the tasks. Groups are made first, as they may
    * be refused: where adaptive execution has found that there are no rows, nobody has asked for them.
    *
    * @param sent
    *   makes of the job what goes to the tasks. Spark takes a write back once it has that, and not before
    */
  def begin[T](sent: WriteJob => T): T = {
    groups.foreach(_.prepare())
    target.existing.foreach(checkClusterings)
    val run = target.existing.fold(beginFirst())(table =>
      Started(table, Transaction.begin(table, intent.action, intent.recordedName, options), None))
    started = Some(run)
    try sent(WriteJob.of(target, run.transaction.permit, session).copy(buckets = dealtBy))
    catch {
      case e: Throwable =>
        try abort()
        catch { case NonFatal(other) => e.addSuppressed(other) }
        throw e
    }
  }

  /** The buckets by which the rows go to their tasks, with all that was read of them since the write was planned. */
  private def dealtBy: Option[BucketIndex] =
    groups.flatMap(_.groups.buckets).map(_.index).orElse(target.buckets)

  // Only the tasks of an upsert find out which groups it changes.
  private def checkClusterings(table: Table): Unit = {
    def isReplaced(partition: String): Boolean = replaces match {
      case Replaces.WholeTable => true
      case m: Replaces.Matching => m.selection.wants(partition)
      case Replaces.Partitions(paths) => paths(partition)
      case Replaces.Nothing | Replaces.WrittenPartitions => false
    }
    table.pendingClusterings.find { case (group, _) => isReplaced(group.partition) }.foreach {
      case (group, clustering) => throw WriteJob.clusteringPending(table.basePath, group, clustering)
    }
  }

  private def beginFirst(): Started = {
    val first = FirstWrite.create(target.storage, target.basePath, target.declared, options)
    Started(first.table, first.begin(intent.action, intent.recordedName), Some(first))
  }

  def commit(messages: Seq[WrittenFiles]): Unit = {
    val run = started.getOrElse(throw new IllegalStateException("the write was committed before it began"))
    val judge = intent.rebase.fold[CommitJudge](CommitJudge.OfGate)(_.judge)
    judge.outcome(intent.rebase.fold(1)(_.attempt), () => publish(run, messages)) match {
      case CommitOutcome.Accepted =>
        if (published.isEmpty) throw new IllegalStateException("a write was accepted that was not published")
      case CommitOutcome.Rebased(because) =>
        rebased = true
        throw because
      case CommitOutcome.Refused(because) => throw because
    }
  }

  private def publish(run: Started, messages: Seq[WrittenFiles]): Unit = {
    val stats = messages.flatMap(_.stats)
    keys = ToldKeys.of(stats)
    val named = (messages.flatMap(_.partitions) ++ stats.map(_.partitionPath)).toSet
    val instant = run.transaction.commit(stats, replaced(run.table, named), Some(target.shape.schemaJson),
      intent.assumption(named),
      intent.buckets.flatMap(_ => dealtBy), target.conf.notes, if (target.redefines) Some(target.declared) else None)
    published = Some(CommittedWrite(target, run.table, instant))
  }

  /** The write for its next attempt; `None` unless this one is to be rebased, nothing of it is left and it can be. */
  def next: Option[LogicalPlan] = for {
    run <- started if rebased && run.transaction.isRolledBack
    rebase <- intent.rebase
    plan <- rebase.plan(run.table.refresh())
  } yield plan

  /** Takes back everything that the write did, also a table that it created. A write whose outcome is unknown stays. */
  def abort(): Unit = started.foreach { run =>
    run.transaction.rollback()
    if (run.transaction.isRolledBack) run.first.foreach(_.remove(run.transaction.instant))
  }

  private def replaced(table: Table, named: Set[String]): Map[String, Seq[String]] = {
    def ids(slices: Map[String, Seq[FileSlice]]): Map[String, Seq[String]] =
      slices.collect { case (partition, found) if found.nonEmpty => partition -> found.map(_.fileId) }
    replaces match {
      case Replaces.Nothing => Map.empty
      case Replaces.WholeTable => ids(table.groups.find(PathSelection.All))
      case Replaces.WrittenPartitions => ids(table.groups.slices(named.toSeq))
      case m: Replaces.Matching => ids(table.groups.find(m.selection))
      case Replaces.Partitions(paths) => ids(table.groups.slices((paths ++ named).toSeq))
    }
  }
}

/** A write that has begun.
  *
  * @param first
  *   the table that it made, if it did
  */
private[write] final case class Started(table: Table, transaction: Transaction, first: Option[FirstWrite])
