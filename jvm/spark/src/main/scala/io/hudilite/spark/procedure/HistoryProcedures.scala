package io.hudilite.spark.procedure

import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CleanMetadata, Instant, State}

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{BooleanType, DataType, IntegerType, LongType, StringType}

/** Procedures that say what rollbacks and cleanings of the active timeline did, the newest first, in Hudi's columns. */
private[procedure] object HistoryProcedures {

  private val rollbacks = Listing("show_rollbacks", "Shows the rollbacks, the newest first.",
    Seq(Parameter.Table, Parameter.limit(10)),
    Seq[(String, DataType)]("instant" -> StringType, "rollback_instant" -> StringType,
      "total_files_deleted" -> IntegerType, "time_taken_in_millis" -> LongType, "total_partitions" -> IntegerType)) {
    (table, _) =>
      for {
        instant <- completed(table, Action.Rollback)
        done = table.store.readRollback(instant)
        target <- done.targets
      } yield Row(instant.time, target.time, done.partitions.map(_.deleted.size).sum, done.timeTakenMs,
        done.partitions.size)
  }

  private val rollbackDetail = Listing("show_rollback_detail", "Shows the files that a rollback deleted.",
    Seq(Parameter.Table, Parameter.limit(10), Parameter.text("instant_time", "the instant of the rollback")),
    Seq[(String, DataType)]("instant" -> StringType, "rollback_instant" -> StringType, "partition" -> StringType,
      "deleted_file" -> StringType, "succeeded" -> BooleanType)) { (table, arguments) =>
    val time = arguments.needed("instant_time")
    val instant = completed(table, Action.Rollback).find(_.time == time).getOrElse(throw arguments.invalid(
        "instant_time", time, "the timeline has no completed rollback of this instant; show_rollbacks shows them"))
    val done = table.store.readRollback(instant)
    for {
      target <- done.targets.iterator
      partition <- done.partitions
      (file, succeeded) <- partition.deleted.map(_ -> true) ++ partition.failed.map(_ -> false)
    } yield Row(instant.time, target.time, partition.partition, file, succeeded)
  }

  private val ofCleans = Seq(Parameter.Table, Parameter.limit(10), Archived)

  private val cleans = Listing("show_cleans", "Shows the cleanings, the newest first.", ofCleans,
    Seq[(String, DataType)]("clean_time" -> StringType, "state_transition_time" -> StringType,
      "action" -> StringType, "start_clean_time" -> StringType, "time_taken_in_millis" -> LongType,
      "total_files_deleted" -> IntegerType, "earliest_commit_to_retain" -> StringType,
      "last_completed_commit_timestamp" -> StringType, "version" -> IntegerType)) { (table, arguments) =>
    cleaned(table, arguments).map { case (instant, done) =>
      Row(instant.time, instant.completionTime.orNull, Action.Clean, done.startTime, done.timeTakenMs,
        deleted(done), done.earliestCommitToRetain, done.lastCompletedCommit, Version)
    }
  }

  private val plans = Listing("show_clean_plans", "Shows the cleanings as they were planned, the newest first.",
    ofCleans,
    Seq[(String, DataType)]("plan_time" -> StringType, "state" -> StringType, "action" -> StringType,
      "earliest_instant_to_retain" -> StringType, "last_completed_commit_timestamp" -> StringType,
      "policy" -> StringType, "version" -> IntegerType, "total_partitions_to_clean" -> IntegerType,
      "total_partitions_to_delete" -> IntegerType, "extra_metadata" -> StringType)) { (table, arguments) =>
    onlyActive(arguments)
    for {
      instant <- table.timeline.instants.filter(_.action == Action.Clean).sortBy(_.time).reverseIterator
      plan <- table.store.readCleanPlan(instant)
    } yield Row(instant.time, if (instant.isCompleted) State.Completed.name else instant.state.name, Action.Clean,
      plan.earliestToRetain.map(_.time).orNull, plan.lastCompletedCommit, plan.policy, Version, plan.files.size,
      plan.partitionsToDelete.size, null)
  }

  private val metadata = Listing("show_cleans_metadata",
    "Shows the partitions that the cleanings cleaned, the newest cleaning first.", ofCleans,
    Seq[(String, DataType)]("clean_time" -> StringType, "state_transition_time" -> StringType,
      "action" -> StringType, "start_clean_time" -> StringType, "partition_path" -> StringType,
      "policy" -> StringType, "delete_path_patterns" -> IntegerType, "success_delete_files" -> IntegerType,
      "failed_delete_files" -> IntegerType, "is_partition_deleted" -> BooleanType,
      "time_taken_in_millis" -> LongType, "total_files_deleted" -> IntegerType)) { (table, arguments) =>
    for {
      (instant, done) <- cleaned(table, arguments)
      p <- done.partitions
    } yield Row(instant.time, instant.completionTime.orNull, Action.Clean, done.startTime, p.partition, p.policy,
      p.deleted.size + p.failed.size, p.deleted.size, p.failed.size, p.partitionDeleted, done.timeTakenMs,
      deleted(done))
  }

  val All: Seq[Procedure] = Seq(rollbacks, rollbackDetail, cleans, plans, metadata)

  /** Hudi's argument for instants of the archive too. */
  private lazy val Archived = Parameter.flag("showArchived", "the archived ones, too, which only Apache Hudi reads")

  private def onlyActive(arguments: Arguments): Unit = if (arguments.flag(Archived.name))
    throw arguments.invalid(Archived.name, "true", "cleanings of the archive are not read; leave it out")

  // Version of the metadata in which paths are relative.
  private val Version = 2

  private def completed(table: Table, action: String): Iterator[Instant] =
    table.timeline.completed.filter(_.action == action).sortBy(_.time).reverseIterator

  private def cleaned(table: Table, arguments: Arguments): Iterator[(Instant, CleanMetadata)] = {
    onlyActive(arguments)
    completed(table, Action.Clean).filterNot(_.isBlank).map(i => i -> table.store.readClean(i))
  }

  private def deleted(of: CleanMetadata): Int = of.partitions.map(_.deleted.size).sum
}
