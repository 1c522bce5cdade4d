package io.hudilite.spark.service.compact

import io.hudilite.config.{TableType, WriteConf}
import io.hudilite.config.service.{CompactionConf, ServiceConf}
import io.hudilite.error.InvalidInput
import io.hudilite.service.compact.{CompactionKind, CompactionScheduler, CompactionStrategy, DeltaProgress}
import io.hudilite.spark.service.{InlineService, LatestTable, ServiceState}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table
import io.hudilite.timeline.Action

import org.apache.spark.sql.SparkSession

/** Compacts after a write to a merge-on-read table: into base files unless its options say otherwise, within log files when
  * they ask for it.
  */
private[service] final class InlineCompaction(kind: CompactionKind) extends InlineService("compaction") {

  override def check(session: SparkSession, target: WriteTarget): Unit = {
    val conf = target.conf.services
    if (target.config.tableType != TableType.MergeOnRead) {
      if (conf.byThemselves && isNamed(conf.compaction))
        throw InvalidInput("COMPACTION_NOT_POSSIBLE", "path" -> target.basePath)
    } else if (isAsked(conf)) {
      CompactionScheduler.checkAllowed(conf.compaction, kind)
      CompactionStrategy.named(conf.compaction.strategy) // raises an error when there is none
    }
    ()
  }

  // A compaction that is on by itself is asked of no table without log files.
  private def isNamed(conf: CompactionConf): Boolean = kind match {
    case CompactionKind.Base => (conf.inline.isGiven && conf.inline.value) || conf.schedulesInline
    case CompactionKind.Log => conf.logs.inline
  }

  private def isAsked(conf: ServiceConf): Boolean = conf.byThemselves &&
    (kind match {
      case CompactionKind.Base => conf.compaction.runsInline || conf.compaction.schedulesInline
      case CompactionKind.Log => conf.compaction.logs.inline
    })

  override def mayBeDue(before: Table, conf: ServiceConf): Boolean =
    before.config.tableType == TableType.MergeOnRead && isAsked(conf) && isNear(before, conf.compaction)

  // A plan that a call or another program has made is left to them until a compaction is due, unless the options ask for it.
  private def isNear(before: Table, conf: CompactionConf): Boolean = kind match {
    case CompactionKind.Log => true
    case CompactionKind.Base => CompactionScheduler.isDueAfterOneMore(before, conf) ||
      (conf.inline.isGiven && before.timeline.pendingCompactions.nonEmpty)
  }

  override def run(session: SparkSession, now: LatestTable, conf: WriteConf): Unit = now.changing { found =>
    val compactor = new Compactor(session, conf, session.sparkContext.longAccumulator, kind)
    val runs = kind == CompactionKind.Log || conf.services.compaction.runsInline
    if (runs) compactor.runPending(found)
    val table = if (found.timeline.pending.isEmpty) found else found.refresh()
    if (runs) compactor.runIfDue(table) else compactor.scheduleIfDue(table)
  }

  override def state(table: Table, conf: ServiceConf): Option[ServiceState] =
    if (kind == CompactionKind.Log || table.config.tableType != TableType.MergeOnRead) None
    else {
      val progress = DeltaProgress.of(table)
      val compacted = table.timeline.writes.filter(_.action == Action.Commit)
      val trigger = conf.compaction.trigger
      Some(ServiceState.of(table, name, isAsked(conf), table.timeline.pendingCompactions, compacted.lastOption,
          CompactionScheduler.isDue(table, conf.compaction),
          s"${trigger.strategy}: ${progress.sinceCompaction} of ${trigger.maxCommits} delta commits, " +
            s"${progress.seconds} of ${trigger.maxSeconds} s since the last one"))
    }
}
