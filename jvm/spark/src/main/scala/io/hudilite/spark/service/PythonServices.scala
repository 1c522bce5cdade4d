package io.hudilite.spark.service

import io.hudilite.service.clean.FinishedCleaning
import io.hudilite.service.undo.SavedState
import io.hudilite.timeline.CleanPlan

import java.util.{Map => JMap}

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import org.apache.spark.sql.SparkSession

/** Table services for `hudilite.tables` in Python: arguments and answers are texts, an absent one is empty. */
object PythonServices {

  private val json = new ObjectMapper()

  /** A JSON object: what a cleaning would delete. */
  def previewCleaning(session: SparkSession, path: String, options: JMap[String, String]): String =
    plan(Cleanings.preview(session, path, options))

  def startCleaning(session: SparkSession, path: String, options: JMap[String, String])
      : RunningService[Seq[FinishedCleaning]] = Cleanings.start(session, path, options)

  /** A JSON array of what each cleaning did. */
  def cleaned(running: RunningService[Seq[FinishedCleaning]]): String = {
    val all = json.createArrayNode()
    running.result().foreach { finished =>
      val partitions = all.addObject().put("instant", finished.instant)
        .put("earliest_retained", finished.earliestRetained).putArray("partitions")
      finished.partitions.foreach { p =>
        val node = partitions.addObject().put("partition", p.partition).put("removed", p.partitionDeleted)
        addAll(node.putArray("files"), p.deleted)
        addAll(node.putArray("failed"), p.failed)
      }
    }
    json.writeValueAsString(all)
  }

  /** A JSON object: the instants that were archived, or would be. */
  def archive(session: SparkSession, path: String, options: JMap[String, String], dryRun: Boolean): String = {
    val done = Archivings.call(session, path, options, dryRun)
    val node = json.createObjectNode()
    addAll(node.putArray("instants"), done.instants.map(_.time))
    addAll(node.putArray("files"), done.files)
    json.writeValueAsString(node)
  }

  /** A JSON object: the write that was taken back, or would be. */
  def rollback(session: SparkSession, path: String, options: JMap[String, String], instant: String, dryRun: Boolean)
      : String = {
    val done = Undos.rollback(session, path, options, Option(instant).filter(_.nonEmpty), dryRun)
    json.writeValueAsString(json.createObjectNode().put("instant", Option(done.instant).filter(_.nonEmpty).orNull)
        .put("write", done.write).put("action", done.action).put("files", done.files))
  }

  /** A JSON object: the writes that went, or would go. */
  def restore(session: SparkSession, path: String, options: JMap[String, String], instant: String, dryRun: Boolean)
      : String = {
    val done = Undos.restore(session, path, options, instant, dryRun)
    val node = json.createObjectNode().put("instant", Option(done.instant).filter(_.nonEmpty).orNull).put("to", done.to)
    addAll(node.putArray("writes"), done.writes.map(_.time))
    json.writeValueAsString(node)
  }

  /** A JSON object: the state that is saved now. */
  def savepoint(session: SparkSession, path: String, options: JMap[String, String], instant: String, comment: String)
      : String =
    json.writeValueAsString(state(Undos.savepoint(session, path, options, Option(instant).filter(_.nonEmpty), comment)))

  /** A JSON array of the saved states, oldest first. */
  def savepoints(session: SparkSession, path: String, options: JMap[String, String]): String = {
    val all = json.createArrayNode()
    Undos.savepoints(session, path, options).foreach(saved => all.add(state(saved)))
    json.writeValueAsString(all)
  }

  def deleteSavepoint(session: SparkSession, path: String, options: JMap[String, String], instant: String): Unit =
    Undos.deleteSavepoint(session, path, options, instant)

  /** A JSON array of how it stands with each service. */
  def services(session: SparkSession, path: String, options: JMap[String, String]): String = {
    val all = json.createArrayNode()
    ServiceStates.of(session, path, options).foreach { s =>
      val node = all.addObject().put("service", s.service).put("by_itself", s.byItself)
        .put("last", s.last.orNull).put("last_error", s.lastError.orNull).put("due", s.isDue).put("next", s.next)
      addAll(node.putArray("planned"), s.planned)
      addAll(node.putArray("running"), s.running)
    }
    json.writeValueAsString(all)
  }

  /** The services beside the writes of this application to the table have ended, at the latest after so many
    * milliseconds.
    */
  def waitFor(session: SparkSession, path: String, options: JMap[String, String], millis: Long): Boolean =
    Compactions.onDriver(session, path, options)((table, _) => InlineServices.await(table, millis))

  private def state(saved: SavedState): ObjectNode = json.createObjectNode().put("instant", saved.instant)
    .put("by", saved.by).put("epoch_milliseconds", saved.atEpochMs).put("comment", saved.comment)
    .put("files", saved.files)

  private def plan(plan: CleanPlan): String = {
    val node = json.createObjectNode().put("policy", plan.policy)
      .put("earliest_retained", plan.earliestToRetain.map(_.time).getOrElse(""))
    addAll(node.putArray("files"), plan.files.toSeq.sortBy(_._1).flatMap(_._2))
    json.writeValueAsString(node)
  }

  private def addAll(array: ArrayNode, texts: Seq[String]): Unit = texts.foreach(array.add(_))
}
