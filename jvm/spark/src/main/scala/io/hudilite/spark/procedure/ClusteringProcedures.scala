package io.hudilite.spark.procedure

import io.hudilite.config.ClusteringOptions
import io.hudilite.service.cluster.{ClusteringCall, PlannedClustering}
import io.hudilite.spark.cluster.FinishedClustering
import io.hudilite.spark.service.{ClusteringState, Clusterings}
import io.hudilite.timeline.State

import java.util.{Map => JMap}

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types.{IntegerType, StringType}

import scala.collection.JavaConverters._

private[procedure] object ClusteringProcedures {

  private val Columns = Seq("timestamp" -> StringType, "input_group_size" -> IntegerType, "state" -> StringType,
    "involved_partitions" -> StringType)

  private val run = Procedure("run_clustering", "Puts small files together, or lays rows out anew, or plans that.",
    Seq(Parameter.Table, Parameter.Path,
      Parameter.text("order", "columns that lay the rows out, separated by commas"),
      Parameter.text("op", "run", "run, schedule, execute, or dry_run, which only says what run would take"),
      Parameter.text("order_strategy", "linear, zorder or hilbert, which is how rows are laid out by several columns"),
      Parameter.Options, Parameter.text("instants", "the planned clusterings to run, separated by commas"),
      Parameter.text("selected_partitions", "the only partitions to look at, separated by commas")), Columns) {
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
  private val call = ClusteringCall(arguments.list("order"), layout, arguments.list("selected_partitions"), None)

  private def layout: Option[String] = {
    val known =
      Map("linear" -> ClusteringOptions.Linear, "zorder" -> ClusteringOptions.ZOrder,
        "z-order" -> ClusteringOptions.ZOrder,
        "hilbert" -> ClusteringOptions.Hilbert)
    arguments.oneOf("order_strategy", known.keys.toSeq.sorted).map(known)
  }

  def rows: Seq[Row] = PlannedWork.operation(arguments) match {
    case PlannedWork.Schedule => Clusterings.schedule(session, path, options, call, dryRun = false).toSeq.map(planned)
    case PlannedWork.DryRun => preview.map(planned)
    case PlannedWork.Execute =>
      PlannedWork.named(arguments).getOrElse(preview.flatMap(_.instant)).flatMap(i => run(Some(i)))
    case _ => run(None)
  }

  private def preview: Seq[PlannedClustering] = Clusterings.preview(session, path, options, None, call)

  private def run(instant: Option[String]): Seq[Row] =
    PlannedWork.finished(Clusterings.start(session, path, options, instant, call)).map(done)

  private def planned(plan: PlannedClustering): Row =
    Row(plan.instant.orNull, plan.groups.size, State.Requested.name, named(plan.groups.map(_.partition)))

  private def done(clustering: FinishedClustering): Row = Row(clustering.instant, null, State.Completed.name,
    named(clustering.replaced.keys.toSeq))

  private def named(partitions: Seq[String]): String = partitions.distinct.sorted.mkString(",")
}
