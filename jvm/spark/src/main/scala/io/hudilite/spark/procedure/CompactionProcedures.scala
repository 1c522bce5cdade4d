package io.hudilite.spark.procedure

import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.inspect.Inspection

import java.util.Locale

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}

private[procedure] object CompactionProcedures {

  private val run = Procedure("run_compaction", "Merges log files into new base files, or plans that.",
    Seq(PlannedService.Op,
      Parameter.Table, Parameter.Path,
      Parameter.text("timestamp", "the planned compaction to run, alone"), Parameter.Options,
      Parameter.text("instants", "the planned compactions to run, separated by commas"),
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
