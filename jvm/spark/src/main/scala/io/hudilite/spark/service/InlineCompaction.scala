package io.hudilite.spark.service

import io.hudilite.config.{TableType, WriteConf}
import io.hudilite.config.service.{CompactionConf, ServiceConf}
import io.hudilite.error.InvalidInput
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, CompactionStrategy}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession

/** Compacts after a write to a merge-on-read table, unless its options say otherwise. */
private[service] object InlineCompaction {

  /** Raises `InvalidInput` when options ask for a compaction that the table cannot have, or that they forbid. */
  def check(target: WriteTarget): Unit = {
    val conf = target.conf.services
    val isMergeOnRead = target.config.tableType == TableType.MergeOnRead
    if (!isMergeOnRead && conf.byThemselves && isNamed(conf.compaction))
      throw InvalidInput("COMPACTION_NOT_POSSIBLE", "path" -> target.basePath)
    val kinds = if (isMergeOnRead) asked(conf) else Nil
    kinds.foreach(CompactionScheduler.checkAllowed(conf.compaction, _))
    if (kinds.nonEmpty) CompactionStrategy.named(conf.compaction.strategy) // raises an error when there is none
    ()
  }

  // What is on by itself is asked of no table that has no log files.
  private def isNamed(conf: CompactionConf): Boolean =
    (conf.inline.isGiven && conf.inline.value) || conf.schedulesInline || conf.logs.inline

  /** The kinds that writes to a merge-on-read table with these options are followed by. A compaction into base files
    * comes first: it leaves nothing to fold.
    */
  def asked(conf: ServiceConf): Seq[CompactionKind] =
    if (conf.byThemselves) CompactionKind.All.filter(isAsked(conf.compaction, _)) else Nil

  private def isAsked(conf: CompactionConf, kind: CompactionKind): Boolean = kind match {
    case CompactionKind.Base => conf.runsInline || conf.schedulesInline
    case CompactionKind.Log => conf.logs.inline
  }

  /** Whether it is worth a look after a write to the table as it was before: from the timeline alone. What was planned by
    * a call or another program is left to them until a compaction is due, unless the options ask for it.
    */
  def mayBeDue(before: Table, conf: CompactionConf, kind: CompactionKind): Boolean = kind match {
    case CompactionKind.Log => true
    case CompactionKind.Base => CompactionScheduler.isDueAfterOneMore(before, conf) ||
      (conf.inline.isGiven && before.timeline.pendingCompactions.nonEmpty)
  }

  /** @param now
    *   the table as it is
    */
  def run(session: SparkSession, now: Table, conf: WriteConf, kind: CompactionKind): Unit = {
    val compactor = new Compactor(session, conf, session.sparkContext.longAccumulator, kind)
    val runs = kind == CompactionKind.Log || conf.services.compaction.runsInline
    if (runs) compactor.runPending(now)
    val table = if (now.timeline.pending.isEmpty) now else now.refresh()
    if (runs) compactor.runIfDue(table) else compactor.scheduleIfDue(table)
    ()
  }
}
