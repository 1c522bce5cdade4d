package io.hudilite.spark.service

import io.hudilite.service.cluster.PendingClusterings
import io.hudilite.service.undo.{
  EndedWrites,
  RestoredTable,
  Restores,
  Rollbacks,
  RolledBackWrite,
  SavedState,
  Savepoints
}
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.TransactionOptions

import java.util.{Map => JMap}

import org.apache.spark.sql.SparkSession

/** Savepoints and rollbacks of a table by its path: what programs call, in Scala, in Java or from Python. Options are those
  * of docs/options.md; all calls raise `TABLE_NOT_FOUND`.
  */
object Undos {

  /** Takes the newest write back, or says which one that is.
    *
    * @param instant
    *   the write, which must be the newest, or a planned clustering, which nothing rests on
    */
  def rollback(session: SparkSession, path: String, options: JMap[String, String], instant: Option[String],
      dryRun: Boolean): RolledBackWrite = Compactions.changing(session, path, options, dryRun) { (table, conf) =>
    instant.filter(time => table.pendingClusterings.values.exists(_ == time) && !Rollbacks.isBegun(table, time)) match {
      case Some(time) => withdrawn(table, time, TransactionOptions.of(conf.commit), dryRun)
      case None if dryRun => Rollbacks.preview(table, instant, TransactionOptions.of(conf.commit))
      case None => Rollbacks.run(table, instant, TransactionOptions.of(conf.commit))
    }
  }

  private def withdrawn(table: Table, time: String, options: TransactionOptions, dryRun: Boolean): RolledBackWrite = {
    val dead = if (dryRun) {
      val (now, dead) = EndedWrites.preview(table, options)
      PendingClusterings.withdrawable(now, time)
      dead
    } else {
      PendingClusterings.withdraw(table, time, options)
      Nil
    }
    RolledBackWrite("", time, Action.Clustering, files = 0, dead)
  }

  /** Says which writes would go for the state as of a write. */
  def previewRestore(session: SparkSession, path: String, options: JMap[String, String], instant: String)
      : RestoredTable = Compactions.onDriver(session, path, options)((table, conf) =>
    Restores.preview(table, instant, TransactionOptions.of(conf.commit)))

  /** Brings the state as of a write back, in the background. One that is cancelled ends before the next write that it would
    * take back, and is ended by the next call.
    */
  def restore(session: SparkSession, path: String, options: JMap[String, String], instant: String)
      : RunningService[RestoredTable] = {
    val done = session.sparkContext.longAccumulator
    val total = Compactions.onDriver(session, path, options)((table, _) => Restores.later(table, instant).size)
    new RunningService(session.sparkContext, "restore", done, total,
      isCancelled =>
        Compactions.changing(session, path, options)((table, conf) =>
          Restores.run(table, instant, TransactionOptions.of(conf.commit), () => done.add(1L), isCancelled)))
  }

  /** Saves the state as of a write, by default of the newest, or says what that would be.
    *
    * @param user
    *   in whose name; the one whom Spark runs for by default
    */
  def savepoint(session: SparkSession, path: String, options: JMap[String, String], instant: Option[String],
      comment: String, user: Option[String] = None, dryRun: Boolean = false): SavedState =
    Compactions.onDriver(session, path, options) { (table, conf) =>
      val by = user.getOrElse(session.sparkContext.sparkUser)
      if (dryRun) Savepoints.preview(table, instant, by, comment)
      else Savepoints.create(table, instant, by, comment, TransactionOptions.of(conf.commit))
    }

  /** The savepoints, oldest first. */
  def savepoints(session: SparkSession, path: String, options: JMap[String, String]): Seq[SavedState] =
    Compactions.onDriver(session, path, options)((table, _) => Savepoints.list(table))

  /** Gives a saved state free, or says which one that would be. */
  def deleteSavepoint(session: SparkSession, path: String, options: JMap[String, String], instant: String,
      dryRun: Boolean): SavedState = Compactions.onDriver(session, path, options) { (table, conf) =>
    if (dryRun) Savepoints.find(table, instant)
    else Savepoints.delete(table, instant, TransactionOptions.of(conf.commit))
  }
}
