package io.hudilite.spark.procedure

import io.hudilite.config.service.CompactionConf
import io.hudilite.service.compact.{
  CompactionCandidate,
  CompactionKind,
  CompactionScheduler,
  PendingCompactions,
  PlannedCompaction
}
import io.hudilite.spark.service.{RunningService, Stop}
import io.hudilite.spark.service.compact.{Compactor, FinishedCompaction}
import io.hudilite.table.Table
import io.hudilite.timeline.{Instant, State, WriteStat}

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{ArrayType, DataType, LongType, StringType}

/** Compactions of a table; all calls raise `COMPACTION_NOT_POSSIBLE` for a copy-on-write table.
  *
  * @param kind
  *   kind of the compactions; a plan that is named is run whatever its kind
  * @param onlyIfDue
  *   plan only when the trigger of the options says that it is time
  */
private[spark] final case class CompactionRun(call: ServiceCall, kind: CompactionKind = CompactionKind.Base,
    onlyIfDue: Boolean = false) extends PlannedService[PlannedCompaction, FinishedCompaction] {

  override def schedule(dryRun: Boolean): Option[PlannedCompaction] = call.onTable { (table, conf) =>
    CompactionScheduler.check(table, conf.services.compaction, kind)
    val compactor = new Compactor(call.session, conf, call.counter, kind)
    if (dryRun) proposed(PendingCompactions.withoutOutdated(table), conf.services.compaction).headOption
    else if (onlyIfDue) compactor.scheduleIfDue(table)
    else compactor.schedule(table)
  }

  override def preview(instant: Option[String]): Seq[PlannedCompaction] = call.onTable { (table, conf) =>
    check(table, conf.services.compaction, instant)
    plans(if (instant.isEmpty) PendingCompactions.withoutOutdated(table) else table, conf.services.compaction, instant)
  }

  override def start(instant: Option[String]): RunningService[Seq[FinishedCompaction]] = {
    val (conf, now, upcoming) = call.onTable { (table, conf) =>
      check(table, conf.services.compaction, instant)
      val compactor = new Compactor(call.session, conf, call.counter, kind)
      val now = if (instant.isEmpty) compactor.withoutOutdated(table) else table
      (conf, now, plans(now, conf.services.compaction, instant))
    }
    call.start("compaction", upcoming.map(_.candidates.size).sum) { (done, isCancelled) =>
      val compactor = new Compactor(call.session, conf, done, kind, new Stop(isCancelled))
      instant.fold(compactor.planAndRun(now))(i => Seq(compactor.run(now, PendingCompactions.named(now, i))))
    }
  }

  private def check(table: Table, conf: CompactionConf, instant: Option[String]): Unit =
    if (instant.isEmpty) CompactionScheduler.check(table, conf, kind) else CompactionScheduler.checkType(table)

  /** The named compaction, else what is planned, else what would be.
    *
    * @param table
    *   without outdated log compactions unless one is named
    */
  private def plans(table: Table, conf: CompactionConf, instant: Option[String]): Seq[PlannedCompaction] = {
    val pending = instant.fold(PendingCompactions.runnable(table, kind))(i => Seq(PendingCompactions.named(table, i)))
    if (pending.nonEmpty) pending.map(opened(table, _)) else proposed(table, conf)
  }

  private def proposed(table: Table, conf: CompactionConf): Seq[PlannedCompaction] =
    Seq(CompactionScheduler.preview(table, conf, kind)).filter(_.candidates.nonEmpty)

  private def opened(table: Table, instant: Instant): PlannedCompaction =
    PlannedCompaction(Some(instant.time), "",
      PendingCompactions.open(table, instant).slices.map(CompactionCandidate(_, 0L)), CompactionKind.of(instant.action))

  override def instantOf(plan: PlannedCompaction): Option[String] = plan.instant

  override def planned(plan: PlannedCompaction): Row = Row(plan.instant.orNull, plan.candidates.size,
    State.Requested.name, plan.kind.name, plan.strategy, plan.candidates.map(CompactionRun.slice), null)

  override def done(run: FinishedCompaction): Row = Row(run.instant,
    run.stats.map(s => s.partitionPath -> s.fileId).distinct.size, State.Completed.name, kind.name, null, null,
    run.stats.map(CompactionRun.group))
}

private[spark] object CompactionRun {

  /** File slices that are planned. */
  val Slices: DataType = Procedure.structs("partition" -> StringType, "file_id" -> StringType,
    "base_instant" -> StringType, "base_file" -> StringType, "log_files" -> ArrayType(StringType),
    "base_bytes" -> LongType, "log_bytes" -> LongType)

  /** Files that were written. */
  val Groups: DataType = Procedure.structs("partition" -> StringType, "file_id" -> StringType, "path" -> StringType,
    "previous_base_file" -> StringType, "rows" -> LongType, "inserted" -> LongType, "updated" -> LongType,
    "deleted" -> LongType, "bytes" -> LongType, "log_files" -> LongType, "log_bytes" -> LongType,
    "log_records" -> LongType, "milliseconds" -> LongType)

  def slice(of: CompactionCandidate): Row = Row(of.partition, of.slice.fileId, of.slice.instant,
    of.slice.base.map(_.name).orNull, of.slice.logs.map(_.name), of.slice.base.map(_.length).getOrElse(0L),
    of.logBytes)

  def group(of: WriteStat): Row = Row(of.partitionPath, of.fileId, of.path, of.prevBaseFile.orNull, of.numWrites,
    of.numInserts, of.numUpdateWrites, of.numDeletes, of.fileSizeInBytes, of.logScan.files,
    of.logScan.sizeCompacted, of.logScan.records, of.logScan.readTimeMs)
}
