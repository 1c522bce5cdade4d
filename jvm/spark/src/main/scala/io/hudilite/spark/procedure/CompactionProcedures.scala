package io.hudilite.spark.procedure

import io.hudilite.service.compact.{CompactionKind, PlannedCompaction}
import io.hudilite.spark.inspect.Inspection
import io.hudilite.spark.service.{Compactions, FinishedCompaction}
import io.hudilite.timeline.State

import java.util.{Locale, Map => JMap}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}

import scala.collection.JavaConverters._

private[procedure] object CompactionProcedures {

  private val run = Procedure("run_compaction", "Merges log files into new base files, or plans that.",
    Seq(Parameter.text("op", "run", "run, schedule, execute, or dry_run, which only says what run would take"),
      Parameter.Table, Parameter.Path,
      Parameter.text("timestamp", "the planned compaction to run, alone"), Parameter.Options,
      Parameter.text("instants", "the planned compactions to run, separated by commas"),
      Parameter.text("kind", "base", "base for new base files, log to fold log files into fewer"),
      Parameter.flag("if_due", "schedule only when the options say that it is time"), Parameter.DryRun,
      Parameter.RunAs),
    Seq("timestamp" -> StringType, "operation_size" -> IntegerType, "state" -> StringType, "kind" -> StringType,
      "strategy" -> StringType, "slices" -> CompactionColumns.Slices, "groups" -> CompactionColumns.Groups)) {
    (session, arguments) =>
      new CompactionCall(session, arguments).rows
  }

  private val show = Procedure("show_compaction", "Shows the compactions of the active timeline, the newest first.",
    Seq(Parameter.Table, Parameter.Path, Parameter.integer("limit", 20, "how many")),
    Seq("compaction_time" -> StringType, "state_transition_time" -> StringType, "state" -> StringType,
      "action" -> StringType, "operation_size" -> IntegerType, "total_log_files" -> LongType,
      "total_write_bytes" -> LongType)) { (session, arguments) =>
    StateProcedures.rows(session, arguments, Inspection.Compactions).toSeq.reverse.take(arguments.limit).map(r =>
      Row(r.get(0), r.get(1), r.getString(3).toUpperCase(Locale.ROOT), r.get(2), r.get(4), r.get(5), r.get(6)))
  }

  val All: Seq[Procedure] = Seq(run, show)
}

/** One call of `run_compaction`. */
private final class CompactionCall(session: SparkSession, arguments: Arguments) {

  private val operation = PlannedWork.operation(arguments) // before the table: it comes first, and is easily left out
  private val path = TableArgument.pathOf(session, arguments)
  private val options: JMap[String, String] = arguments.options.asJava
  private val kind = arguments.oneOf("kind", CompactionKind.All.map(_.name))
    .flatMap(name => CompactionKind.All.find(_.name == name)).getOrElse(CompactionKind.Base)

  def rows: Seq[Row] = operation match {
    case PlannedWork.Schedule =>
      Compactions.schedule(session, path, options, arguments.flag("if_due"), dryRun, kind).toSeq.map(planned)
    case PlannedWork.DryRun => preview(None).map(planned)
    case PlannedWork.Execute =>
      PlannedWork.named(arguments).getOrElse(preview(None).flatMap(_.instant)).flatMap(i => runOrShow(Some(i)))
    case _ => runOrShow(None)
  }

  private def dryRun: Boolean = arguments.flag(Parameter.DryRun.name)

  private def preview(instant: Option[String]): Seq[PlannedCompaction] =
    Compactions.preview(session, path, options, instant, kind)

  private def runOrShow(instant: Option[String]): Seq[Row] =
    if (dryRun) preview(instant).map(planned)
    else PlannedWork.finished(arguments, Compactions.start(session, path, options, instant, kind)).map(done)

  private def planned(plan: PlannedCompaction): Row = Row(plan.instant.orNull, plan.candidates.size,
    State.Requested.name, plan.kind.name, plan.strategy, plan.candidates.map(CompactionColumns.slice), null)

  private def done(compaction: FinishedCompaction): Row = Row(compaction.instant,
    compaction.stats.map(s => s.partitionPath -> s.fileId).distinct.size, State.Completed.name, kind.name, null, null,
    compaction.stats.map(CompactionColumns.group))
}
