package io.hudilite.spark.service

import io.hudilite.config.{CompactionOptions, TableType}
import io.hudilite.error.InvalidInput
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, CompactionStrategy}
import io.hudilite.spark.write.WriteTarget
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession

/** Compacts after a write to a merge-on-read table, when its options ask for that. */
private[service] object InlineCompaction {

  /** Raises `InvalidInput` when options ask for a compaction that the table cannot have, or that they forbid. */
  def check(target: WriteTarget): Unit = if (asked(target.options).nonEmpty) {
    if (target.config.tableType != TableType.MergeOnRead)
      throw InvalidInput("COMPACTION_NOT_POSSIBLE", "path" -> target.basePath)
    asked(target.options).foreach(CompactionScheduler.checkAllowed(target.options, _))
    CompactionStrategy.of(target.options) // raises an error when there is none of that name
    ()
  }

  /** The kinds that the options ask for. A compaction into base files comes first: it leaves nothing to fold. */
  def asked(options: Map[String, String]): Seq[CompactionKind] = CompactionKind.All.filter(isAsked(options, _))

  private def isAsked(options: Map[String, String], kind: CompactionKind): Boolean = InlineServices.run(options) &&
    (kind match {
      case CompactionKind.Base => CompactionOptions.Inline(options) || CompactionOptions.ScheduleInline(options)
      case CompactionKind.Log => CompactionOptions.LogInline(options)
    })

  def run(session: SparkSession, table: Table, options: Map[String, String], kind: CompactionKind): Unit = {
    val compactor = new Compactor(session, options, session.sparkContext.longAccumulator, kind)
    val runs = kind == CompactionKind.Log || CompactionOptions.Inline(options)
    if (runs) compactor.runPending(table.refresh())
    val planned = compactor.scheduleIfDue(table.refresh())
    if (runs && planned.isDefined) compactor.runPending(table.refresh())
    ()
  }
}
