package io.hudilite.spark.procedure

import io.hudilite.config.service.CompactionConf
import io.hudilite.service.compact.{
  CompactionCandidate,
  CompactionKind,
  CompactionScheduler,
  PendingCompactions,
  PlannedCompaction
}
import io.hudilite.spark.inspect.Inspection
import io.hudilite.spark.service.{RunningService, Stop}
import io.hudilite.spark.service.compact.{Compactor, FinishedCompaction}
import io.hudilite.table.Table
import io.hudilite.timeline.{Instant, State, WriteStat}

import java.util.Locale

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{ArrayType, DataType, IntegerType, LongType, StringType}

private[procedure] object CompactionProcedures {

  private val run = Procedure("run_compaction", "Merges log files into new base files, or plans that.",
    Seq(PlannedService.Op,
      Parameter.Table, Parameter.Path,
      Parameter.text("timestamp", "the planned compaction to run, alone"), Parameter.Options,
      Parameter.text("instants", "the planned compactions to run, separated by commas"), PlannedService.Limit,
      Parameter.text("kind", "base", "base for new base files, log to fold log files into fewer"),
      Parameter.flag("if_due", "schedule only when the options say that it is time"), Parameter.DryRun,
      Parameter.RunAs),
    Seq("timestamp" -> StringType, "operation_size" -> IntegerType, "state" -> StringType, "kind" -> StringType,
      "strategy" -> StringType, "slices" -> CompactionRun.Slices, "groups" -> CompactionRun.Groups)) {
    (session, arguments) =>
      val operation = PlannedService.operation(arguments) // before the table: it comes first, and is easily left out
      val call = ServiceCall.of(session, arguments)
      val kind = arguments.oneOf("kind", CompactionKind.All.map(_.name))
        .flatMap(name => CompactionKind.All.find(_.name == name)).getOrElse(CompactionKind.Base)
      CompactionRun(call, kind, arguments.flag("if_due")).answer(operation, arguments)
  }

  private val show = Procedure("show_compaction", "Shows the compactions of the active timeline, the newest first.",
    Seq(Parameter.Table, Parameter.Path, Parameter.limit(20)),
    Seq("compaction_time" -> StringType, "state_transition_time" -> StringType, "state" -> StringType,
      "action" -> StringType, "operation_size" -> IntegerType, "total_log_files" -> LongType,
      "total_write_bytes" -> LongType)) { (session, arguments) =>
    StateProcedures.rows(session, arguments, Inspection.Compactions).toSeq.reverse.take(arguments.limit).map(r =>
      Row(r.get(0), r.get(1), r.getString(3).toUpperCase(Locale.ROOT), r.get(2), r.get(4), r.get(5), r.get(6)))
  }

  val All: Seq[Procedure] = Seq(run, show)
}

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
