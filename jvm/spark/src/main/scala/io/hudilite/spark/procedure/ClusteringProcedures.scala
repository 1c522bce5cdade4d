package io.hudilite.spark.procedure

import io.hudilite.config.service.{ClusteringOptions, PlannedLayout}
import io.hudilite.service.cluster.{ClusteringCall, PlannedClustering}
import io.hudilite.spark.cluster.FinishedClustering
import io.hudilite.spark.service.{ClusteringState, Clusterings}
import io.hudilite.timeline.State

import java.util.{Map => JMap}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{ArrayType, DataType, IntegerType, LongType, StringType}

import scala.collection.JavaConverters._

private[procedure] object ClusteringProcedures {

  private val Columns = Seq("timestamp" -> StringType, "input_group_size" -> IntegerType, "state" -> StringType,
    "involved_partitions" -> StringType)

  private val Group = Procedure.structs("partition" -> StringType, "file_ids" -> ArrayType(StringType),
    "bytes" -> LongType, "outputs" -> IntegerType)

  private val File = Procedure.structs("partition" -> StringType, "file_id" -> StringType, "path" -> StringType,
    "rows" -> LongType, "bytes" -> LongType)

  private val Details = Seq[(String, DataType)]("sort_by" -> ArrayType(StringType), "groups" -> Group,
    "replaced" -> IntegerType, "files" -> File)

  private val run = Procedure("run_clustering", "Puts small files together, or lays rows out anew, or plans that.",
    Seq(Parameter.Table, Parameter.Path,
      Parameter.text("order", "columns that lay the rows out, separated by commas"),
      Parameter.text("op", "run", "run, schedule, execute, or dry_run, which only says what run would take"),
      Parameter.text("order_strategy", "linear, zorder or hilbert, which is how rows are laid out by several columns"),
      Parameter.Options, Parameter.text("instants", "the planned clusterings to run, separated by commas"),
      Parameter.text("selected_partitions", "the only partitions to look at, separated by commas"),
      Parameter.long("target_bytes", "size of the files to write"),
      Parameter.integer("buckets",
        "moves a table with a bucket index, which the options name as it is, to this number of buckets"),
      Parameter.DryRun, Parameter.RunAs),
    Columns ++ Details) {
    (session, arguments) => new ClusteringRun(session, arguments).rows
  }

  private val show = Procedure("show_clustering", "Shows the clusterings of the active timeline, the newest first.",
    Seq(Parameter.Table, Parameter.Path, Parameter.integer("limit", 20, "how many")), Columns) { (session, arguments) =>
    Clusterings.states(session, TableArgument.pathOf(session, arguments)).reverse.take(arguments.limit).map(shown)
  }

  val All: Seq[Procedure] = Seq(run, show)

  private def shown(state: ClusteringState): Row =
    Row(state.instant, state.groups.map(Int.box).orNull, state.state.name,
      state.partitions.distinct.sorted.mkString(","))
}

/** One call of `run_clustering`. */
private final class ClusteringRun(session: SparkSession, arguments: Arguments) {

  private val path = TableArgument.pathOf(session, arguments)
  private val options: JMap[String, String] = arguments.options.asJava
  private val call = ClusteringCall(arguments.list("order"), layout, arguments.list("selected_partitions"),
    targetBytes, arguments.integer("buckets"))

  private def targetBytes: Option[Long] = arguments.long("target_bytes").map { asked =>
    if (asked < 1) throw arguments.invalid("target_bytes", asked.toString, "it must be 1 or more") else asked
  }

  private def layout: Option[String] = {
    val known =
      Map("linear" -> ClusteringOptions.Linear, "zorder" -> ClusteringOptions.ZOrder,
        "z-order" -> ClusteringOptions.ZOrder,
        "hilbert" -> ClusteringOptions.Hilbert)
    arguments.oneOf("order_strategy", known.keys.toSeq.sorted).map(known)
  }

  def rows: Seq[Row] = PlannedWork.operation(arguments) match {
    case PlannedWork.Schedule => Clusterings.schedule(session, path, options, call, dryRun).toSeq.map(planned)
    case PlannedWork.DryRun => preview(None).map(planned)
    case PlannedWork.Execute =>
      PlannedWork.named(arguments).getOrElse(preview(None).flatMap(_.instant)).flatMap(i => runOrShow(Some(i)))
    case _ => runOrShow(None)
  }

  private def dryRun: Boolean = arguments.flag(Parameter.DryRun.name)

  private def preview(instant: Option[String]): Seq[PlannedClustering] =
    Clusterings.preview(session, path, options, instant, call)

  private def runOrShow(instant: Option[String]): Seq[Row] =
    if (dryRun) preview(instant).map(planned)
    else PlannedWork.finished(arguments, Clusterings.start(session, path, options, instant, call)).map(done)

  private def planned(plan: PlannedClustering): Row =
    Row(plan.instant.orNull, plan.groups.size, State.Requested.name, named(plan.groups.map(_.partition)),
      PlannedLayout.of(plan.params).sortColumns,
      plan.groups.map(g => Row(g.partition, g.slices.map(_.fileId), g.bytes, g.outputs)), null, null)

  private def done(clustering: FinishedClustering): Row = Row(clustering.instant, null, State.Completed.name,
    named(clustering.replaced.keys.toSeq), null, null, clustering.replaced.values.map(_.size).sum,
    clustering.stats.map(s => Row(s.partitionPath, s.fileId, s.path, s.numWrites, s.fileSizeInBytes)))

  private def named(partitions: Seq[String]): String = partitions.distinct.sorted.mkString(",")
}
