package io.hudilite.spark.procedure

import io.hudilite.config.service.ClusteringOptions
import io.hudilite.service.cluster.{ClusteringCall, ClusteringScheduler}
import io.hudilite.table.Table
import io.hudilite.timeline.Instant

import org.apache.spark.sql.Row
import org.apache.spark.sql.types.{ArrayType, DataType, IntegerType, LongType, StringType}

private[procedure] object ClusteringProcedures {

  private val Columns = Seq("timestamp" -> StringType, "input_group_size" -> IntegerType, "state" -> StringType,
    "involved_partitions" -> StringType)

  private val Group = Procedure.structs("partition" -> StringType, "file_ids" -> ArrayType(StringType),
    "bytes" -> LongType, "outputs" -> IntegerType)

  private val File = Procedure.structs("partition" -> StringType, "file_id" -> StringType, "path" -> StringType,
    "rows" -> LongType, "bytes" -> LongType)

  private val Details = Seq[(String, DataType)]("sort_by" -> ArrayType(StringType), "groups" -> Group,
    "replaced" -> IntegerType, "files" -> File)

  private val Layouts = Map("linear" -> ClusteringOptions.Linear, "zorder" -> ClusteringOptions.ZOrder,
    "z-order" -> ClusteringOptions.ZOrder, "hilbert" -> ClusteringOptions.Hilbert)

  private val run = Procedure("run_clustering", "Puts small files together, or lays rows out anew, or plans that.",
    Seq(Parameter.Table, Parameter.Path,
      Parameter.text("order", "columns that lay the rows out, separated by commas"),
      PlannedService.Op,
      Parameter.text("order_strategy", "linear, zorder or hilbert, which is how rows are laid out by several columns"),
      Parameter.Options, Parameter.text("instants", "the planned clusterings to run, separated by commas"),
      Parameter.text("selected_partitions", "the only partitions to look at, separated by commas"),
      Parameter.long("target_bytes", "size of the files to write"),
      Parameter.integer("buckets",
        "moves a table with a bucket index to this number of buckets"),
      Parameter.DryRun, Parameter.RunAs),
    Columns ++ Details) {
    (session, arguments) =>
      ClusteringRun(ServiceCall.of(session, arguments), asked(arguments))
        .answer(PlannedService.operation(arguments), arguments)
  }

  private val show = Procedure("show_clustering", "Shows the clusterings of the active timeline, the newest first.",
    Seq(Parameter.Table, Parameter.Path, Parameter.limit(20)), Columns) { (session, arguments) =>
    ServiceCall.of(session, arguments).onTable((table, _) => states(table)).reverse.take(arguments.limit)
  }

  val All: Seq[Procedure] = Seq(run, show)

  /** Partitions as one text. */
  def named(partitions: Iterable[String]): String = partitions.toSeq.distinct.sorted.mkString(",")

  private def asked(arguments: Arguments): ClusteringCall = ClusteringCall(arguments.list("order"), layout(arguments),
    arguments.list("selected_partitions"), targetBytes(arguments), arguments.integer("buckets"))

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
