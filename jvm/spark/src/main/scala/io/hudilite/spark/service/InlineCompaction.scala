package io.hudilite.spark.service

import io.hudilite.config.{CompactionOptions, TableType}
import io.hudilite.error.InvalidInput
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, CompactionStrategy}
import io.hudilite.spark.write.WriteTarget
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession

/** Compacts after a write to a merge-on-read table, unless its options say otherwise. */
private[service] object InlineCompaction {

  /** Raises `InvalidInput` when options ask for a compaction that the table cannot have, or that they forbid. */
  def check(target: WriteTarget): Unit = {
    val isMergeOnRead = target.config.tableType == TableType.MergeOnRead
    if (!isMergeOnRead && isNamed(target.options))
      throw InvalidInput("COMPACTION_NOT_POSSIBLE", "path" -> target.basePath)
    val kinds = if (isMergeOnRead) asked(target.options) else Nil
    kinds.foreach(CompactionScheduler.checkAllowed(target.options, _))
    if (kinds.nonEmpty) CompactionStrategy.of(target.options) // raises an error when there is none of that name
    ()
  }

  // What is on by itself is asked of no table that has no log files.
  private def isNamed(options: Map[String, String]): Boolean = InlineServices.run(options) &&
    ((CompactionOptions.Inline.isSet(options) && CompactionOptions.Inline(options)) ||
      CompactionOptions.ScheduleInline(options) || CompactionOptions.LogInline(options))

  /** The kinds that writes to a merge-on-read table with these options are followed by. A compaction into base files
    * comes first: it leaves nothing to fold.
    */
  def asked(options: Map[String, String]): Seq[CompactionKind] = CompactionKind.All.filter(isAsked(options, _))

  private def isAsked(options: Map[String, String], kind: CompactionKind): Boolean = InlineServices.run(options) &&
    (kind match {
      case CompactionKind.Base => CompactionOptions.runsInline(options) || CompactionOptions.ScheduleInline(options)
      case CompactionKind.Log => CompactionOptions.LogInline(options)
    })

  /** Whether it is worth a look after a write to the table as it was before: from the timeline alone. What was planned by
    * a call or another program is left to them until a compaction is due, unless the options ask for it.
    */
  def mayBeDue(before: Table, options: Map[String, String], kind: CompactionKind): Boolean = kind match {
    case CompactionKind.Log => true
    case CompactionKind.Base => CompactionScheduler.isDueAfterOneMore(before, options) ||
      (CompactionOptions.Inline.isSet(options) && before.timeline.pendingCompactions.nonEmpty)
  }

  def run(session: SparkSession, table: Table, options: Map[String, String], kind: CompactionKind): Unit = {
    val compactor = new Compactor(session, options, session.sparkContext.longAccumulator, kind)
    val runs = kind == CompactionKind.Log || CompactionOptions.runsInline(options)
    if (runs) compactor.runPending(table.refresh())
    val planned = compactor.scheduleIfDue(table.refresh())
    if (runs && planned.isDefined) compactor.runPending(table.refresh())
    ()
  }
}
