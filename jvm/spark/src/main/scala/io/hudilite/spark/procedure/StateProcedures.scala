package io.hudilite.spark.procedure

import io.hudilite.config.WriteConf
import io.hudilite.metadata.check.{MetadataFindings, MetadataValidator}
import io.hudilite.service.doctor.{Doctor, Finding, FindingKind}
import io.hudilite.spark.inspect.DriverInspection
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.spark.service.clean.FileDeletion
import io.hudilite.spark.service.doctor.{KeyFindings, MisplacedKeys}
import io.hudilite.spark.service.inline.InlineServices
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.util.Locale

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{BooleanType, DataType, StringType}

/** Procedures that say how it stands with a table. */
private[procedure] object StateProcedures {

  private val timeline = Listing("show_timeline", "Shows the instants of the timeline, the newest first.",
    Seq(Parameter.Table, Parameter.Path, Parameter.limit(20), Parameter.flag("showArchived", "the archived ones, too"),
      Listing.Filter, Parameter.text("startTime", "the first instant to show"),
      Parameter.text("endTime", "the last instant to show")),
    Seq("instant_time", "action", "state", "completed_time", "file", "timeline_type").map(_ -> StringType)) {
    (table, arguments) =>
      val (start, end) = (arguments.text("startTime"), arguments.text("endTime"))
      val archived = if (arguments.flag("showArchived")) table.store.archivedCompleted() else Nil
      val active = table.timeline.instants.map(_ -> "ACTIVE")
      val known = active.map { case (i, _) => (i.time, i.comparableAction) }.toSet
      (active ++ archived.filterNot(i => known((i.time, i.comparableAction))).map(_ -> "ARCHIVED"))
        .filter { case (i, _) => start.forall(_ <= i.time) && end.forall(i.time <= _) }
        .sortBy { case (i, _) => (i.time, i.comparableAction) }.reverseIterator.map { case (i, where) =>
          Row(i.time, i.comparableAction, i.state.name.toUpperCase(Locale.ROOT), i.completionTime.orNull, i.fileName,
            where)
        }
  }

  private val services = Procedure("show_services", "Shows how it stands with the services of the table.",
    Seq(Parameter.Table, Parameter.Path, Parameter.Options),
    Seq[(String, DataType)]("service" -> StringType, "by_itself" -> BooleanType, "planned" -> StringType,
      "running" -> StringType, "last" -> StringType, "last_error" -> StringType, "due" -> BooleanType,
      "next" -> StringType)) { (session, arguments) =>
    ServiceCall.of(session, arguments).onTable((table, conf) => InlineServices.states(table, conf.services)).map(s =>
      Row(s.service, s.byItself, s.planned.mkString(","), s.running.mkString(","), s.last.orNull, s.lastError.orNull,
        s.isDue, s.next))
  }

  private val doctor = Procedure("doctor",
    "Says what is wrong with the table, and mends what can be mended without harm.",
    Seq(Parameter.Table, Parameter.Path, Parameter.flag("fix", "mend what is safe to mend"), Parameter.Options,
      Parameter.flag("deep",
        "read all record keys, too, and tell which have several rows in a partition or lie in a wrong bucket; compare all " +
          "of the metadata table with the files")),
    Seq[(String, DataType)]("kind" -> StringType, "subject" -> StringType, "what" -> StringType, "advice" -> StringType,
      "mendable" -> BooleanType, "mended" -> BooleanType, "reason" -> StringType)) { (session, arguments) =>
    ServiceCall.of(session, arguments).atPath(examined(session, arguments)(_, _, _))
      .map(f => Row(f.kind.name, f.subject, f.what, f.advice, f.mend.isDefined, f.isMended, f.reason))
  }

  private val metadata = Procedure("validate_metadata",
    "Compares the metadata table that Apache Hudi keeps beside the table with its files, and changes nothing.",
    Seq(Parameter.Table, Parameter.Path),
    Seq[(String, DataType)]("kind" -> StringType, "partition" -> StringType,
      "file" -> StringType, "column" -> StringType, "expected" -> StringType, "found" -> StringType)) {
    (session, arguments) =>
      ServiceCall.of(session, arguments).onTable((table, _) => new MetadataValidator(table).differences())
        .map(d => Row(d.kind.name, d.partition, d.file, d.column, d.expected, d.found))
  }

  private val place = Procedure("path_of", "Says where the table of a name lies.", Seq(Parameter.Table, Parameter.Path),
    Seq("path" -> StringType))((session, arguments) => Seq(Row(TableArgument.pathOf(session, arguments))))

  val All: Seq[Procedure] = Seq(timeline, services, doctor, metadata, place)

  /** The rows of a table of an inspection. */
  def rows(session: SparkSession, arguments: Arguments, what: DriverInspection): Iterator[Row] =
    ServiceCall.of(session, arguments).onTable((table, _) => what.rows(table))

  // Keys are read only when nothing keeps the table from being read.
  private def examined(session: SparkSession, arguments: Arguments)(storage: HadoopStorage, basePath: String,
      conf: WriteConf): Seq[Finding] = {
    val deletion = new FileDeletion(session, session.sparkContext.longAccumulator)
    val found = new Doctor(storage, basePath, KeyedOptions.of(session, basePath, conf.commit), deletion.delete)
      .run(arguments.flag("fix"))
    if (found.exists(hidesRows)) found
    else {
      val table = Table.open(storage, basePath)
      val deep = arguments.flag("deep")
      found ++ MetadataFindings.of(new MetadataValidator(table), deep) ++
        (if (deep) KeyFindings.of(session, table) ++ MisplacedKeys.findings(session, storage, basePath, conf) else Nil)
    }
  }

  private def hidesRows(finding: Finding): Boolean =
    !finding.isMended && (finding.kind == FindingKind.DamagedProperties || finding.kind == FindingKind.BrokenInstant)
}
