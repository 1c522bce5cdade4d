package io.hudilite.spark.procedure

import io.hudilite.config.service.{ClusteringOptions, PlannedLayout}
import io.hudilite.service.cluster.{ClusteringCall, ClusteringScheduler, PendingClusterings, PlannedClustering}
import io.hudilite.spark.service.{RunningService, Stop}
import io.hudilite.spark.service.cluster.{Clusterer, FinishedClustering}
import io.hudilite.table.Table
import io.hudilite.timeline.{Instant, State}

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, IntegerType, LongType, StringType}

private[procedure] object ClusteringProcedures {

  private val Columns = Seq("timestamp" -> StringType, "input_group_size" -> IntegerType, "state" -> StringType,
    "involved_partitions" -> StringType)

  private val Group = Procedure.structs("partition" -> StringType, "file_ids" -> ArrayType(StringType),
    "bytes" -> LongType, "outputs" -> IntegerType)

  private val File = Procedure.structs("partition" -> StringType, "file_id" -> StringType, "path" -> StringType,
    "rows" -> LongType, "bytes" -> LongType)

  private val Details = Seq[(String, DataType)]("sort_by" -> ArrayType(StringType), "groups" -> Group,
    "replaced" -> IntegerType, "files" -> File)

  private lazy val Involved =
    Parameter("show_involved_partition", BooleanType, "true", "name the partitions, else there is a *")

  private def involved(arguments: Arguments, rows: Seq[Row]): Seq[Row] =
    if (arguments.flag(Involved.name)) rows
    else rows.map(row => Row.fromSeq(row.toSeq.updated(Columns.indexWhere(_._1 == "involved_partitions"), "*")))

  private val Layouts = Map("linear" -> ClusteringOptions.Linear, "zorder" -> ClusteringOptions.ZOrder,
    "z-order" -> ClusteringOptions.ZOrder, "hilbert" -> ClusteringOptions.Hilbert)

  private val run = Procedure("run_clustering", "Puts small files together, or lays rows out anew, or plans that.",
    Seq(Parameter.Table, Parameter.Path,
      Parameter.text("predicate", "a condition on partition columns: the only partitions to look at"),
      Parameter.text("order", "columns that lay the rows out, separated by commas"), Involved,
      PlannedService.Op,
      Parameter.text("order_strategy", "linear, zorder or hilbert, which is how rows are laid out by several columns"),
      Parameter.Options, Parameter.text("instants", "the planned clusterings to run, separated by commas"),
      Parameter.text("selected_partitions", "the only partitions to look at, separated by commas"),
      Parameter.text("partition_regex_pattern", "a regular expression for the paths of the only partitions to look at"),
      PlannedService.Limit,
      Parameter.long("target_bytes", "size of the files to write"),
      Parameter.integer("buckets",
        "moves a table with a bucket index to this number of buckets, or the selected partitions alone"),
      Parameter.DryRun, Parameter.RunAs),
    Columns ++ Details) {
    (session, arguments) =>
      val call = ServiceCall.of(session, arguments)
      val partitions = NamedPartitions.of(call, arguments)
      if (partitions.exists(_.isEmpty)) Nil
      else involved(arguments,
        ClusteringRun(call, asked(arguments, partitions))
          .answer(PlannedService.operation(arguments), arguments))
  }

  private val show = Procedure("show_clustering", "Shows the clusterings of the active timeline, the newest first.",
    Seq(Parameter.Table, Parameter.Path, Parameter.limit(20), Involved), Columns) { (session, arguments) =>
    involved(arguments,
      ServiceCall.of(session, arguments).onTable((table, _) => states(table)).reverse.take(arguments.limit))
  }

  val All: Seq[Procedure] = Seq(run, show)

  /** Partitions as one text. */
  def named(partitions: Iterable[String]): String = partitions.toSeq.distinct.sorted.mkString(",")

  private def asked(arguments: Arguments, partitions: Option[Seq[String]]): ClusteringCall =
    ClusteringCall(arguments.list("order"), layout(arguments), partitions, targetBytes(arguments),
      arguments.integer("buckets"))

  private def layout(arguments: Arguments): Option[String] =
    arguments.oneOf("order_strategy", Layouts.keys.toSeq.sorted).map(Layouts)

  private def targetBytes(arguments: Arguments): Option[Long] = arguments.long("target_bytes").map { asked =>
    if (asked < 1) throw arguments.invalid("target_bytes", asked.toString, "it must be 1 or more") else asked
  }

  // How many groups a completed one had it does not say.
  private def states(table: Table): Seq[Row] = {
    val pending = table.store.pendingClusterings(table.timeline).map { case (i, plan) =>
      state(i, Int.box(plan.groups.size), plan.groups.flatten.map(_.partition))
    }
    val done = ClusteringScheduler.completed(table).map { case (i, metadata) => state(i, null, metadata.replaced.keys) }
    (pending ++ done).sortBy(_.getString(0))
  }

  private def state(instant: Instant, groups: Integer, partitions: Iterable[String]): Row =
    Row(instant.time, groups, instant.state.name, named(partitions))
}

/** Clusterings of a table; all calls raise `CLUSTERING_NOT_POSSIBLE` for a table with a bucket index, unless they move it
  * to other buckets.
  */
private[spark] final case class ClusteringRun(call: ServiceCall, asked: ClusteringCall = ClusteringCall())
    extends PlannedService[PlannedClustering, FinishedClustering] {

  override def schedule(dryRun: Boolean): Option[PlannedClustering] = call.onTable { (table, conf) =>
    val clusterer = new Clusterer(call.session, conf, call.counter)
    if (dryRun) proposed(table, clusterer).headOption else clusterer.schedule(table, asked)
  }

  override def preview(instant: Option[String]): Seq[PlannedClustering] = call.onTable { (table, conf) =>
    val pending = instant match {
      case Some(time) => Seq(PendingClusterings.named(table, time))
      case None => PendingClusterings.runnable(table).filter(PendingClusterings.outdated(table, _).isEmpty)
    }
    if (pending.nonEmpty) pending.map(opened(table, _))
    else proposed(table, new Clusterer(call.session, conf, call.counter))
  }

  override def start(instant: Option[String]): RunningService[Seq[FinishedClustering]] =
    call.start("clustering", preview(instant).flatMap(_.groups).map(_.outputs).sum) { (done, isCancelled) =>
      call.onTable { (table, conf) =>
        val clusterer = new Clusterer(call.session, conf, done, new Stop(isCancelled))
        instant.fold(clusterer.planAndRun(table, asked))(i =>
          Seq(clusterer.run(table, PendingClusterings.named(table, i))))
      }
    }

  private def proposed(table: Table, clusterer: Clusterer): Seq[PlannedClustering] =
    Seq(clusterer.preview(table, asked)).filter(_.groups.nonEmpty)

  private def opened(table: Table, instant: Instant): PlannedClustering = {
    val pending = PendingClusterings.open(table, instant)
    PlannedClustering(Some(instant.time), pending.groups, pending.params)
  }

  override def instantOf(plan: PlannedClustering): Option[String] = plan.instant

  override def planned(plan: PlannedClustering): Row =
    Row(plan.instant.orNull, plan.groups.size, State.Requested.name,
      ClusteringProcedures.named(plan.groups.map(_.partition)), PlannedLayout.of(plan.params).sortColumns,
      plan.groups.map(g => Row(g.partition, g.slices.map(_.fileId), g.bytes, g.outputs)), null, null)

  override def done(run: FinishedClustering): Row = Row(run.instant, null, State.Completed.name,
    ClusteringProcedures.named(run.replaced.keys.toSeq), null, null, run.replaced.values.map(_.size).sum,
    run.stats.map(s => Row(s.partitionPath, s.fileId, s.path, s.numWrites, s.fileSizeInBytes)))
}
