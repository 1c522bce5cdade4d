package io.hudilite.spark.procedure

import io.hudilite.spark.inspect.{DriverInspection, Inspection}
import io.hudilite.spark.service.{Doctors, ServiceStates, TableRows}

import java.util.Locale

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{BooleanType, DataType, LongType, StringType}

import scala.collection.JavaConverters._

/** Procedures that say how it stands with a table. */
private[procedure] object StateProcedures {

  private def limit(rows: Int) = Parameter.integer("limit", rows, "how many")

  private val commits = Procedure("show_commits", "Shows the completed writes, the newest first.",
    Seq(Parameter.Table, limit(10), Parameter.Path),
    Seq[(String, DataType)]("commit_time" -> StringType, "state_transition_time" -> StringType, "action" -> StringType,
      "total_bytes_written" -> LongType, "total_files_added" -> LongType, "total_files_updated" -> LongType,
      "total_partitions_written" -> LongType, "total_records_written" -> LongType,
      "total_update_records_written" -> LongType, "total_errors" -> LongType)) { (session, arguments) =>
    TableRows.commits(session, TableArgument.pathOf(session, arguments), arguments.limit)
  }

  private val timeline = Procedure("show_timeline", "Shows the instants of the active timeline, the newest first.",
    Seq(Parameter.Table, Parameter.Path, limit(20)),
    Seq("instant_time", "action", "state", "completed_time", "file").map(_ -> StringType)) { (session, arguments) =>
    rows(session, arguments, Inspection.Timeline).toSeq.reverse.take(arguments.limit).map(r =>
      Row(r.get(0), r.get(2), r.getString(3).toUpperCase(Locale.ROOT), r.get(1), r.get(4)))
  }

  private val services = Procedure("show_services", "Shows how it stands with the services of the table.",
    Seq(Parameter.Table, Parameter.Path, Parameter.Options),
    Seq[(String, DataType)]("service" -> StringType, "by_itself" -> BooleanType, "planned" -> StringType,
      "running" -> StringType, "last" -> StringType, "last_error" -> StringType, "due" -> BooleanType,
      "next" -> StringType)) { (session, arguments) =>
    ServiceStates.of(session, TableArgument.pathOf(session, arguments), arguments.options.asJava).map(s =>
      Row(s.service, s.byItself, s.planned.mkString(","), s.running.mkString(","), s.last.orNull, s.lastError.orNull,
        s.isDue, s.next))
  }

  private val doctor = Procedure("doctor",
    "Says what is wrong with the table, and mends what can be mended without harm.",
    Seq(Parameter.Table, Parameter.Path, Parameter.flag("fix", "mend what is safe to mend"), Parameter.Options,
      Parameter.flag("deep",
        "read all record keys, too, and tell which have several rows in a partition or lie in a wrong bucket")),
    Seq[(String, DataType)]("kind" -> StringType, "subject" -> StringType, "what" -> StringType, "advice" -> StringType,
      "mendable" -> BooleanType, "mended" -> BooleanType, "reason" -> StringType)) { (session, arguments) =>
    Doctors.examine(session, TableArgument.pathOf(session, arguments), arguments.options.asJava, arguments.flag("fix"),
      arguments.flag("deep"))
      .map(f => Row(f.kind.name, f.subject, f.what, f.advice, f.mend.isDefined, f.isMended, f.reason))
  }

  private val place = Procedure("path_of", "Says where the table of a name lies.", Seq(Parameter.Table, Parameter.Path),
    Seq("path" -> StringType))((session, arguments) => Seq(Row(TableArgument.pathOf(session, arguments))))

  val All: Seq[Procedure] = Seq(commits, timeline, services, doctor, place)

  /** What a metadata table would show. */
  def rows(session: SparkSession, arguments: Arguments, what: DriverInspection): Iterator[Row] =
    TableRows.of(session, TableArgument.pathOf(session, arguments), what)
}
