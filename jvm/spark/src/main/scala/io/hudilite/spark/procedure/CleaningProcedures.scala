package io.hudilite.spark.procedure

import io.hudilite.config.WriteConf
import io.hudilite.config.key.ConfigKey
import io.hudilite.config.service.{ArchiveOptions, CleanOptions, PartitionTtlOptions}
import io.hudilite.filegroup.PathSelection
import io.hudilite.service.archive.Archiver
import io.hudilite.service.clean.{CleanScheduler, Cleaning, FinishedCleaning}
import io.hudilite.service.partition.{DroppedPartitions, PartitionDrops, PartitionExpiry}
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.spark.service.RunningService
import io.hudilite.spark.service.clean.FileDeletion
import io.hudilite.timeline.CleanPlan
import io.hudilite.transaction.TransactionOptions

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, IntegerType, StringType}

private[spark] object CleaningProcedures {

  private val Cleaned = Procedure.structs("partition" -> StringType, "files" -> ArrayType(StringType),
    "failed" -> ArrayType(StringType), "removed" -> BooleanType)

  private val clean = Procedure("run_clean", "Deletes files that only states need that nobody asks for any more.",
    Seq(Parameter.Table, ScheduleInLine,
      Parameter.text("clean_policy", "which states stay: one of " + CleanOptions.Policies.mkString(", ")),
      Parameter.integer("retain_commits", "so many commits stay"),
      Parameter.integer("hours_retained", "the states of so many hours stay"),
      Parameter.integer("file_versions_retained", "so many versions of each file group stay"),
      Parameter.text("trigger_strategy", "NUM_COMMITS, by which trigger_max_commits counts"),
      Parameter.integer("trigger_max_commits", "nothing is done below so many commits since the last cleaning"),
      Parameter.Options, Parameter.Path, Parameter.DryRun, Parameter.RunAs,
      Parameter.text("op", "run", "run, schedule, or execute, which runs only what is planned"), SkipLocking),
    Seq[(String, DataType)]("start_clean_time" -> StringType, "total_files_deleted" -> IntegerType,
      "earliest_commit_to_retain" -> StringType, "policy" -> StringType, "files" -> ArrayType(StringType),
      "partitions" -> Cleaned)) { (session, arguments) =>
    checkLocked(arguments)
    val asked = arguments.oneOf("op", Seq(PlannedService.Run, PlannedService.Schedule, PlannedService.Execute))
    val op = if (arguments.flag(ScheduleInLine.name)) asked else Some(PlannedService.Execute)
    val call = ServiceCall.of(session, arguments, cleaning(arguments))
    val onlyPlanned = op.contains(PlannedService.Execute)
    if (!onlyPlanned && !isTriggered(call, arguments)) Nil
    else if (op.contains(PlannedService.Schedule)) schedule(call, arguments.dryRun).toSeq.map((planned _).tupled)
    else if (arguments.dryRun) preview(call, onlyPlanned).map((planned _).tupled)
    else PlannedService.finished(arguments, start(call, onlyPlanned)).map { done =>
      Row(done.instant, done.partitions.map(_.deleted.size).sum,
        Option(done.earliestRetained).filter(_.nonEmpty).orNull, null, null,
        done.partitions.map(p => Row(p.partition, p.deleted, p.failed, p.partitionDeleted)))
    }
  }

  private lazy val ScheduleInLine = Parameter("schedule_in_line", BooleanType, "true",
    "false runs only what is planned, as op => 'execute'")

  private lazy val SkipLocking = Parameter.flag("skip_locking", "Hudi's, and refused")

  private def checkLocked(arguments: Arguments): Unit = if (arguments.flag(SkipLocking.name))
    throw arguments.invalid(SkipLocking.name, "true", "the lock of the table keeps writers apart; leave it out")

  private def planned(instant: Option[String], plan: CleanPlan): Row =
    Row(instant.orNull, plan.files.values.map(_.size).sum, plan.earliestToRetain.map(_.time).orNull, plan.policy,
      plan.files.toSeq.sortBy(_._1).flatMap(_._2), null)

  private def cleaning(arguments: Arguments): Seq[(String, String)] = {
    val counts = Seq(
      CleanOptions.LatestCommits -> number(arguments, "retain_commits", CleanOptions.CommitsRetained),
      CleanOptions.LatestByHours -> number(arguments, "hours_retained", CleanOptions.HoursRetained),
      CleanOptions.LatestVersions -> number(arguments, "file_versions_retained", CleanOptions.VersionsRetained))
      .collect { case (of, Some(count)) => of -> count }
    // A number alone says which policy is meant, whatever the session's is.
    val policy = arguments.text("clean_policy").orElse(Some(counts).filter(_.size == 1).map(_.head._1))
    policy.map(CleanOptions.Policy.name -> _).toSeq ++ counts.map(_._2) ++ trigger(arguments)
  }

  // Planned deletions are run in any case.
  private def isTriggered(call: ServiceCall, arguments: Arguments): Boolean =
    arguments.integer("trigger_max_commits").isEmpty || call.onTable((table, conf) =>
      Cleaning.planned(table).nonEmpty || CleanScheduler.isDue(table.timeline, conf.services.cleaning))

  private def trigger(arguments: Arguments): Option[(String, String)] = {
    arguments.oneOf("trigger_strategy", Seq("NUM_COMMITS"))
    number(arguments, "trigger_max_commits", CleanOptions.TriggerCommits)
  }

  /** Starts cleaning in the background: what is planned first, then what the options let go.
    *
    * @param onlyPlanned
    *   leave it at what is planned
    */
  def start(call: ServiceCall, onlyPlanned: Boolean = false): RunningService[Seq[FinishedCleaning]] =
    call.start("cleaning", preview(call, onlyPlanned).flatMap(_._2.files.values).map(_.size).sum) {
      (done, isCancelled) =>
        call.changing() { (table, conf) =>
          val cleaning = new Cleaning(ofCall(conf), new FileDeletion(call.session, done).delete, isCancelled)
          if (onlyPlanned) cleaning.runPending(table) else cleaning.run(table, conf.services.cleaning)
        }
    }

  /** The deletions of [[start]]: the plans that are there, by their instants and the oldest first, then the one that it
    * would make. Nothing is written.
    */
  def preview(call: ServiceCall, onlyPlanned: Boolean = false): Seq[(Option[String], CleanPlan)] =
    call.onTable { (table, conf) =>
      val planned = Cleaning.planned(table)
      val known = planned.flatMap(_._2.files.values.flatten).toSet
      def added = CleanScheduler.preview(table, conf.services.cleaning)
      planned.map { case (instant, plan) => Some(instant) -> plan } ++
        (if (onlyPlanned) Nil else Seq(None -> without(known, added)))
    }

  private def without(known: Set[String], plan: CleanPlan): CleanPlan =
    if (known.isEmpty) plan
    else plan.copy(files = plan.files.map { case (partition, files) => partition -> files.filterNot(known) })

  // While a cleaning is planned that is the answer.
  private def schedule(call: ServiceCall, dryRun: Boolean): Option[(Option[String], CleanPlan)] =
    call.onTable { (table, conf) =>
      val cleaning = conf.services.cleaning
      def planned = Cleaning.planned(table).headOption.map { case (instant, plan) => Option(instant) -> plan }
      def wouldBe =
        Some(CleanScheduler.preview(table, cleaning)).filter(_.files.nonEmpty).map(Option.empty[String] -> _)
      if (dryRun) planned.orElse(wouldBe)
      else CleanScheduler.schedule(table, cleaning, ofCall(conf)).map { case (instant, plan) =>
        Some(instant.time) -> plan
      }
    }

  // A caller of a cleaning wants all of it.
  private def ofCall(conf: WriteConf): TransactionOptions = TransactionOptions.of(conf.commit).copy(sweepsAtOnce = true)

  private val archive = Procedure("archive_commits", "Moves the oldest instants to the archived timeline.",
    Seq(Parameter.Table, Parameter.Path, Parameter.integer("min_commits", "so many commits stay"),
      Parameter.integer("max_commits", "nothing is done up to so many commits"),
      Parameter.integer("retain_commits", "so many commits does cleaning retain"),
      Parameter("enable_metadata", BooleanType, "true", "Hudi's; the archive never rests on the metadata table"),
      Parameter.Options,
      Parameter.DryRun),
    Seq[(String, DataType)]("result" -> IntegerType, "archived_instants" -> IntegerType,
      "instants" -> ArrayType(StringType), "files" -> ArrayType(StringType))) { (session, arguments) =>
    val options = number(arguments, "min_commits", ArchiveOptions.MinCommits).toSeq ++
      number(arguments, "max_commits", ArchiveOptions.MaxCommits) ++
      number(arguments, "retain_commits", CleanOptions.CommitsRetained)
    val done = ServiceCall.of(session, arguments, options).onTable { (table, conf) =>
      val archiver = Archiver.of(table, conf.services, TransactionOptions.of(conf.commit))
      if (arguments.dryRun) archiver.preview() else archiver.runIfDue()
    }
    // Hudi says 0 for success; whatever goes wrong is raised here.
    Seq(Row(0, done.instants.size, done.instants.map(_.time), done.files))
  }

  private val drop = Procedure("drop_partition", "Takes all rows of partitions out.",
    Seq(Parameter.Table, Parameter.text("partition", "paths of partitions below the table, separated by commas"),
      Parameter.Path, Parameter.Options, Parameter.DryRun), Dropped) { (session, arguments) =>
    val call = ServiceCall.of(session, arguments)
    val partitions = arguments.jsonList("partition")
      .getOrElse(arguments.some("partition", named(call, arguments.needed("partition"))))
    dropped(call.changing(arguments.dryRun) { (table, conf) =>
      if (arguments.dryRun) PartitionDrops.preview(table, partitions)
      else PartitionDrops.run(table, partitions, KeyedOptions.of(session, table.basePath, conf.commit))
    })
  }

  /** The partitions that a text names, separated by commas unless there is a partition of the whole name. */
  private def named(call: ServiceCall, text: String): Seq[String] =
    if (!text.contains(',') && text == text.trim) Seq(text).filter(_.nonEmpty)
    else call.copy(options = Map.empty).onTable { (table, _) =>
      if (table.files.partitions(PathSelection.named(text)).nonEmpty) Seq(text)
      else text.split(',').toSeq.map(_.trim).filter(_.nonEmpty)
    }

  private val expire = Procedure("expire_partitions", "Drops the partitions to which nobody has written for some days.",
    Seq(Parameter.Table, Parameter.Path, Parameter.integer("days", "days since the last write"), Parameter.Options,
      Parameter.DryRun), Dropped) { (session, arguments) =>
    val days = number(arguments, "days", PartitionTtlOptions.DaysRetain).toMap
    val call = ServiceCall.of(session, arguments, days)
    dropped(call.changing(arguments.dryRun) { (table, conf) =>
      val expiry = conf.services.expiry.checked
      if (arguments.dryRun) PartitionExpiry.preview(table, expiry)
      else PartitionExpiry.run(table, expiry, KeyedOptions.of(session, table.basePath, conf.commit))
    })
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
