package io.hudilite.spark.procedure

import io.hudilite.config.{ArchiveOptions, CleanOptions, ConfigKey}
import io.hudilite.spark.service.{Archivings, Cleanings, PartitionServices}

import java.util.{Map => JMap}

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{BooleanType, IntegerType, StringType}

import scala.collection.JavaConverters._

private[procedure] object CleaningProcedures {

  private val DryRun = Parameter.flag("dry_run", "only say what would be done")

  private val clean = Procedure("run_clean", "Deletes files that only states need that nobody asks for any more.",
    Seq(Parameter.Table,
      Parameter.text("clean_policy", "which states stay: one of " + CleanOptions.Policies.mkString(", ")),
      Parameter.integer("retain_commits", "so many commits stay"),
      Parameter.integer("hours_retained", "the states of so many hours stay"),
      Parameter.integer("file_versions_retained", "so many versions of each file group stay"), Parameter.Options,
      Parameter.Path, DryRun),
    Seq("start_clean_time" -> StringType, "total_files_deleted" -> IntegerType,
      "earliest_commit_to_retain" -> StringType)) { (session, arguments) =>
    val path = TableArgument.pathOf(session, arguments)
    val asked = cleaning(arguments)
    if (arguments.flag("dry_run")) {
      val plan = Cleanings.preview(session, path, asked)
      Seq(Row(null, plan.files.values.map(_.size).sum, plan.earliestToRetain.map(_.time).orNull))
    } else PlannedWork.finished(Cleanings.start(session, path, asked)).map { done =>
      Row(done.instant, done.partitions.map(_.deleted.size).sum,
        Option(done.earliestRetained).filter(_.nonEmpty).orNull)
    }
  }

  private def cleaning(arguments: Arguments): JMap[String, String] =
    (arguments.options ++ arguments.text("clean_policy").map(CleanOptions.Policy.name -> _) ++
      number(arguments, "retain_commits", CleanOptions.CommitsRetained) ++
      number(arguments, "hours_retained", CleanOptions.HoursRetained) ++
      number(arguments, "file_versions_retained", CleanOptions.VersionsRetained)).asJava

  private val archive = Procedure("archive_commits", "Moves the oldest instants to the archived timeline.",
    Seq(Parameter.Table, Parameter.Path, Parameter.integer("min_commits", "so many commits stay"),
      Parameter.integer("max_commits", "nothing is done up to so many commits"),
      Parameter.integer("retain_commits", "so many commits does cleaning retain"), Parameter.Options, DryRun),
    Seq("result" -> IntegerType, "archived_instants" -> IntegerType)) { (session, arguments) =>
    val options = arguments.options ++ number(arguments, "min_commits", ArchiveOptions.MinCommits) ++
      number(arguments, "max_commits", ArchiveOptions.MaxCommits) ++
      number(arguments, "retain_commits", CleanOptions.CommitsRetained)
    val done =
      Archivings.call(session, TableArgument.pathOf(session, arguments), options.asJava, arguments.flag("dry_run"))
    Seq(Row(0, done.instants.size)) // Hudi says 0 for success; whatever goes wrong is raised here
  }

  private val drop = Procedure("drop_partition", "Takes all rows of partitions out.",
    Seq(Parameter.Table, Parameter.text("partition", "paths of partitions below the table, separated by commas"),
      Parameter.Path, Parameter.Options, DryRun),
    Seq("partition" -> StringType, "file_groups" -> IntegerType, "instant" -> StringType, "dropped" -> BooleanType)) {
    (session, arguments) =>
      val path = TableArgument.pathOf(session, arguments)
      val partitions = PartitionServices.named(session, path, arguments.needed("partition"))
      val done = PartitionServices.drop(session, path, arguments.options.asJava, partitions, arguments.flag("dry_run"))
      val instant = Option(done.instant).filter(_.nonEmpty)
      done.fileGroups.toSeq.sortBy(_._1).map { case (partition, groups) =>
        Row(partition, groups, instant.orNull, instant.isDefined)
      }
  }

  val All: Seq[Procedure] = Seq(clean, archive, drop)

  private def number(arguments: Arguments, name: String, key: ConfigKey[Int]): Option[(String, String)] =
    arguments.integer(name).map(n => key.name -> n.toString)
}
