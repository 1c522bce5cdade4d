package io.hudilite.spark.service

import io.hudilite.config.{CompactionOptions, TableType}
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, CompactionStrategy}
import io.hudilite.spark.write.{AfterCommit, WriteTarget}
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Compacts after a write to a merge-on-read table, when its options ask for that.
  *
  * The write is committed by then, so nothing that happens here may make it look failed, or its rows would be written
  * again: what fails is logged, and its plan waits for the next run.
  */
object InlineCompaction extends AfterCommit {

  private val log = LoggerFactory.getLogger("io.hudilite.spark.service.InlineCompaction")

  /** The target with its compactions; raises `InvalidInput` when options ask for one that the table cannot have, or
    * that they forbid. */
  def after(target: WriteTarget): WriteTarget =
    if (asked(target.options).isEmpty) target
    else if (target.config.tableType != TableType.MergeOnRead)
      throw InvalidInput("COMPACTION_NOT_POSSIBLE", "path" -> target.basePath)
    else {
      asked(target.options).foreach(CompactionScheduler.checkAllowed(target.options, _))
      CompactionStrategy.of(target.options) // raises an error when there is none of that name
      target.copy(afterCommit = this)
    }

  private def asked(options: Map[String, String]): Seq[CompactionKind] =
    CompactionKind.All.filter(isAsked(options, _))

  private def isAsked(options: Map[String, String], kind: CompactionKind): Boolean =
    CompactionOptions.TableServices(options) &&
      (kind match {
        case CompactionKind.Base => CompactionOptions.Inline(options) || CompactionOptions.ScheduleInline(options)
        case CompactionKind.Log => CompactionOptions.LogInline(options)
      })

  // A compaction into base files comes first: it leaves nothing to fold.
  override def apply(target: WriteTarget, table: Table): Unit =
    asked(target.options).foreach { kind =>
      try compact(table, target.options, kind)
      catch {
        case e: CommitConflict => log.info(s"No compaction of ${table.basePath} after this write: ${e.getMessage}")
        case NonFatal(e) =>
          log.error(s"The write to ${table.basePath} is committed, but the compaction after it failed.", e)
      }
    }

  private def compact(table: Table, options: Map[String, String], kind: CompactionKind): Unit = {
    val session = SparkSession.active
    val compactor = new Compactor(session, options, session.sparkContext.longAccumulator, kind)
    val runs = kind == CompactionKind.Log || CompactionOptions.Inline(options)
    if (runs) compactor.runPending(table.refresh())
    val planned = compactor.scheduleIfDue(table.refresh())
    if (runs && planned.isDefined) compactor.runPending(table.refresh())
    ()
  }
}
