package io.hudilite.spark.procedure

import io.hudilite.config.key.ConfigKey
import io.hudilite.config.service.{ArchiveOptions, CleanOptions, PartitionTtlOptions}
import io.hudilite.service.partition.DroppedPartitions
import io.hudilite.spark.service.{Archivings, Cleanings, PartitionServices}
import io.hudilite.timeline.CleanPlan

import java.util.{Map => JMap}

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, IntegerType, StringType}

import scala.collection.JavaConverters._

private[procedure] object CleaningProcedures {

  private val Cleaned = Procedure.structs("partition" -> StringType, "files" -> ArrayType(StringType),
    "failed" -> ArrayType(StringType), "removed" -> BooleanType)

  private val clean = Procedure("run_clean", "Deletes files that only states need that nobody asks for any more.",
    Seq(Parameter.Table,
      Parameter.text("clean_policy", "which states stay: one of " + CleanOptions.Policies.mkString(", ")),
      Parameter.integer("retain_commits", "so many commits stay"),
      Parameter.integer("hours_retained", "the states of so many hours stay"),
      Parameter.integer("file_versions_retained", "so many versions of each file group stay"), Parameter.Options,
      Parameter.Path, Parameter.DryRun, Parameter.RunAs,
      Parameter.text("op", "run", "run, schedule, or execute, which runs only what is planned")),
    Seq[(String, DataType)]("start_clean_time" -> StringType, "total_files_deleted" -> IntegerType,
      "earliest_commit_to_retain" -> StringType, "policy" -> StringType, "files" -> ArrayType(StringType),
      "partitions" -> Cleaned)) { (session, arguments) =>
    val op = arguments.oneOf("op", Seq(PlannedWork.Run, PlannedWork.Schedule, PlannedWork.Execute))
    val path = TableArgument.pathOf(session, arguments)
    val asked = cleaning(arguments)
    val (dryRun, onlyPlanned) = (arguments.flag("dry_run"), op.contains(PlannedWork.Execute))
    if (op.contains(PlannedWork.Schedule))
      Cleanings.schedule(session, path, asked, dryRun).toSeq.map((planned _).tupled)
    else if (dryRun) Cleanings.preview(session, path, asked, onlyPlanned).map((planned _).tupled)
    else PlannedWork.finished(arguments, Cleanings.start(session, path, asked, onlyPlanned)).map { done =>
      Row(done.instant, done.partitions.map(_.deleted.size).sum,
        Option(done.earliestRetained).filter(_.nonEmpty).orNull, null, null,
        done.partitions.map(p => Row(p.partition, p.deleted, p.failed, p.partitionDeleted)))
    }
  }

  private def planned(instant: Option[String], plan: CleanPlan): Row =
    Row(instant.orNull, plan.files.values.map(_.size).sum, plan.earliestToRetain.map(_.time).orNull, plan.policy,
      plan.files.toSeq.sortBy(_._1).flatMap(_._2), null)

  private def cleaning(arguments: Arguments): JMap[String, String] =
    (arguments.options ++ arguments.text("clean_policy").map(CleanOptions.Policy.name -> _) ++
      number(arguments, "retain_commits", CleanOptions.CommitsRetained) ++
      number(arguments, "hours_retained", CleanOptions.HoursRetained) ++
      number(arguments, "file_versions_retained", CleanOptions.VersionsRetained)).asJava

  private val archive = Procedure("archive_commits", "Moves the oldest instants to the archived timeline.",
    Seq(Parameter.Table, Parameter.Path, Parameter.integer("min_commits", "so many commits stay"),
      Parameter.integer("max_commits", "nothing is done up to so many commits"),
      Parameter.integer("retain_commits", "so many commits does cleaning retain"), Parameter.Options,
      Parameter.DryRun),
    Seq[(String, DataType)]("result" -> IntegerType, "archived_instants" -> IntegerType,
      "instants" -> ArrayType(StringType), "files" -> ArrayType(StringType))) { (session, arguments) =>
    val options = arguments.options ++ number(arguments, "min_commits", ArchiveOptions.MinCommits) ++
      number(arguments, "max_commits", ArchiveOptions.MaxCommits) ++
      number(arguments, "retain_commits", CleanOptions.CommitsRetained)
    val done =
      Archivings.call(session, TableArgument.pathOf(session, arguments), options.asJava, arguments.flag("dry_run"))
    // Hudi says 0 for success; whatever goes wrong is raised here.
    Seq(Row(0, done.instants.size, done.instants.map(_.time), done.files))
  }

  private val drop = Procedure("drop_partition", "Takes all rows of partitions out.",
    Seq(Parameter.Table, Parameter.text("partition", "paths of partitions below the table, separated by commas"),
      Parameter.Path, Parameter.Options, Parameter.DryRun), Dropped) { (session, arguments) =>
    val path = TableArgument.pathOf(session, arguments)
    val partitions = arguments.jsonList("partition")
      .getOrElse(arguments.some("partition",
          PartitionServices.named(session, path, arguments.needed("partition"))))
    dropped(PartitionServices.drop(session, path, arguments.options.asJava, partitions, arguments.flag("dry_run")))
  }

  private val expire = Procedure("expire_partitions", "Drops the partitions to which nobody has written for some days.",
    Seq(Parameter.Table, Parameter.Path, Parameter.integer("days", "days since the last write"), Parameter.Options,
      Parameter.DryRun), Dropped) { (session, arguments) =>
    val options = number(arguments, "days", PartitionTtlOptions.DaysRetain) ++ arguments.options
    dropped(PartitionServices.expire(session, TableArgument.pathOf(session, arguments), options.toMap.asJava,
        arguments.flag("dry_run")))
  }

  val All: Seq[Procedure] = Seq(clean, archive, drop, expire)

  private lazy val Dropped = Seq[(String, DataType)]("partition" -> StringType, "file_groups" -> IntegerType,
    "instant" -> StringType, "dropped" -> BooleanType)

  private def dropped(done: DroppedPartitions): Seq[Row] = {
    val instant = Option(done.instant).filter(_.nonEmpty)
    done.fileGroups.toSeq.sortBy(_._1).map { case (partition, groups) =>
      Row(partition, groups, instant.orNull, instant.isDefined)
    }
  }

  private def number(arguments: Arguments, name: String, key: ConfigKey[Int]): Option[(String, String)] =
    arguments.integer(name).map(n => key.name -> n.toString)
}
