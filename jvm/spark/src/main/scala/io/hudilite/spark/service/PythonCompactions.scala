package io.hudilite.spark.service

import io.hudilite.error.InvalidInput
import io.hudilite.service.compact.{CompactionCandidate, CompactionKind, PlannedCompaction}
import io.hudilite.timeline.WriteStat

import java.util.{Map => JMap}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import org.apache.spark.sql.SparkSession

/** [[Compactions]] for `hudilite.tables` in Python: arguments and answers are texts, an absent one is empty. */
object PythonCompactions {

  private val json = new ObjectMapper()

  /** A JSON array with the plan, or without any. */
  def schedule(session: SparkSession, path: String, options: JMap[String, String], onlyIfDue: Boolean,
      dryRun: Boolean, kind: String): String =
    plans(Compactions.schedule(session, path, options, onlyIfDue, dryRun, kindOf(kind)).toSeq)

  /** A JSON array of plans. */
  def preview(session: SparkSession, path: String, options: JMap[String, String], instant: String, kind: String)
      : String = plans(Compactions.preview(session, path, options, Option(instant).filter(_.nonEmpty), kindOf(kind)))

  def start(session: SparkSession, path: String, options: JMap[String, String], instant: String, kind: String)
      : RunningService[Seq[FinishedCompaction]] =
    Compactions.start(session, path, options, Option(instant).filter(_.nonEmpty), kindOf(kind))

  private def kindOf(name: String): CompactionKind = CompactionKind.All.find(_.name == name).getOrElse(
    throw InvalidInput("INVALID_OPTION_VALUE", "option" -> "kind", "value" -> name,
      "reason" -> s"it must be one of ${CompactionKind.All.map(_.name).mkString(", ")}"))

  /** A JSON array of what each compaction did. */
  def result(running: RunningService[Seq[FinishedCompaction]]): String = {
    val all = json.createArrayNode()
    running.result().foreach { finished =>
      val groups = all.addObject().put("instant", finished.instant).putArray("groups")
      finished.stats.foreach(putStat(groups.addObject(), _))
    }
    json.writeValueAsString(all)
  }

  private def plans(planned: Seq[PlannedCompaction]): String = {
    val all = json.createArrayNode()
    planned.foreach { p =>
      val node = all.addObject().put("instant", p.instant.orNull).put("kind", p.kind.name).put("strategy", p.strategy)
      putSlices(node.putArray("slices"), p.candidates)
    }
    json.writeValueAsString(all)
  }

  private def putSlices(slices: ArrayNode, candidates: Seq[CompactionCandidate]): Unit = candidates.foreach { c =>
    val node = slices.addObject().put("partition", c.partition).put("file_id", c.slice.fileId)
      .put("base_instant", c.slice.instant).put("base_file", c.slice.base.map(_.name).orNull)
      .put("base_bytes", c.slice.base.map(_.length).getOrElse(0L)).put("log_bytes", c.logBytes)
    val logs = node.putArray("log_files")
    c.slice.logs.foreach(log => logs.add(log.name))
  }

  private def putStat(node: ObjectNode, stat: WriteStat): Unit = {
    node.put("partition", stat.partitionPath).put("file_id", stat.fileId).put("path", stat.path)
      .put("previous_base_file", stat.prevBaseFile.orNull).put("rows", stat.numWrites)
      .put("inserted", stat.numInserts).put("updated", stat.numUpdateWrites).put("deleted", stat.numDeletes)
      .put("bytes", stat.fileSizeInBytes).put("log_files", stat.logScan.files).put("log_bytes",
        stat.logScan.sizeCompacted)
      .put("log_records", stat.logScan.records).put("milliseconds", stat.logScan.readTimeMs)
    ()
  }
}
