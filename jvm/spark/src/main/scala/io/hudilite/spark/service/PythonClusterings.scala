package io.hudilite.spark.service

import io.hudilite.config.ClusteringOptions
import io.hudilite.error.InvalidInput
import io.hudilite.service.cluster.{ClusteringCall, PlannedClustering}
import io.hudilite.spark.cluster.FinishedClustering

import java.util.{List => JList, Map => JMap}

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.SparkSession

import scala.collection.JavaConverters._

/** [[Clusterings]] for `hudilite.tables` in Python: arguments and answers are texts and lists of such. An absent text is
  * empty, an absent number 0, and an absent list null, since a list of partitions may be of none.
  */
object PythonClusterings {

  private val json = new ObjectMapper()

  private val Layouts = Map("" -> None, "linear" -> Some(ClusteringOptions.Linear),
    "zorder" -> Some(ClusteringOptions.ZOrder), "hilbert" -> Some(ClusteringOptions.Hilbert))

  /** What a call asks for. */
  def call(sortBy: JList[String], layout: String, partitions: JList[String], targetBytes: Long): ClusteringCall = {
    if (targetBytes < 0) throw invalid("target_bytes", targetBytes.toString, "it must be 1 or more")
    ClusteringCall(Option(sortBy).map(_.asScala.toList),
      Layouts.getOrElse(layout, throw invalid("layout", layout, "it must be linear, zorder or hilbert")),
      Option(partitions).map(_.asScala.toList), Some(targetBytes).filter(_ > 0))
  }

  /** A JSON array with the plan, or without any. */
  def schedule(session: SparkSession, path: String, options: JMap[String, String], call: ClusteringCall,
      dryRun: Boolean): String = plans(Clusterings.schedule(session, path, options, call, dryRun).toSeq)

  /** A JSON array of plans. */
  def preview(session: SparkSession, path: String, options: JMap[String, String], instant: String,
      call: ClusteringCall): String =
    plans(Clusterings.preview(session, path, options, Option(instant).filter(_.nonEmpty), call))

  def start(session: SparkSession, path: String, options: JMap[String, String], instant: String, call: ClusteringCall)
      : RunningService[Seq[FinishedClustering]] =
    Clusterings.start(session, path, options, Option(instant).filter(_.nonEmpty), call)

  /** A JSON array of what each clustering did. */
  def result(running: RunningService[Seq[FinishedClustering]]): String = {
    val all = json.createArrayNode()
    running.result().foreach { finished =>
      val node = all.addObject().put("instant", finished.instant)
        .put("replaced", finished.replaced.values.map(_.size).sum)
      val files = node.putArray("files")
      finished.stats.foreach(stat =>
        files.addObject().put("partition", stat.partitionPath).put("file_id", stat.fileId).put("path", stat.path)
          .put("rows", stat.numWrites).put("bytes", stat.fileSizeInBytes))
    }
    json.writeValueAsString(all)
  }

  private def plans(planned: Seq[PlannedClustering]): String = {
    val all = json.createArrayNode()
    planned.foreach { p =>
      val node = all.addObject().put("instant", p.instant.orNull)
      val sortBy = node.putArray("sort_by")
      ClusteringOptions.SortColumns.get(p.params).getOrElse(Nil).foreach(sortBy.add(_))
      val groups = node.putArray("groups")
      p.groups.foreach { g =>
        val group = groups.addObject().put("partition", g.partition).put("bytes", g.bytes).put("outputs", g.outputs)
        val ids = group.putArray("file_ids")
        g.slices.foreach(slice => ids.add(slice.fileId))
      }
    }
    json.writeValueAsString(all)
  }

  private def invalid(argument: String, value: String, reason: String): InvalidInput =
    InvalidInput("INVALID_OPTION_VALUE", "option" -> argument, "value" -> value, "reason" -> reason)
}
