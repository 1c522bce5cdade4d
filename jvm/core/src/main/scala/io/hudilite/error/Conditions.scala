package io.hudilite.error

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import scala.collection.JavaConverters._

/** One entry of `error-conditions.json`: `message` says what happened and why, `action` what to do. */
final case class Condition(name: String, kind: String, sqlState: String, message: String, action: String)

/** The declared error conditions, and the one place that turns a condition into text. */
object Conditions {

  private val Resource = "/hudilite/error-conditions.json"

  /** All conditions, sorted by name as in the file. */
  lazy val all: Seq[Condition] = {
    val stream = getClass.getResourceAsStream(Resource)
    try new ObjectMapper().readTree(stream).fields().asScala.map(e => parse(e.getKey, e.getValue)).toList
    finally stream.close()
  }

  private lazy val byName: Map[String, Condition] = all.map(c => c.name -> c).toMap

  private def parse(name: String, node: JsonNode): Condition = {
    def text(field: String): String = Option(node.get(field)).map(_.asText).getOrElse(
      throw new IllegalStateException(s"$Resource: $name has no '$field'"))
    Condition(name, text("kind"), text("sqlState"), text("message"), text("action"))
  }

  /** `[CONDITION] message action SQLSTATE: state`, with each `<parameter>` replaced by its value. */
  def render(name: String, parameters: Map[String, String]): String = {
    val condition = byName.getOrElse(name, throw new IllegalStateException(s"undeclared error condition $name"))
    val template = s"[$name] ${condition.message} ${condition.action} SQLSTATE: ${condition.sqlState}"
    "<([A-Za-z]+)>".r.replaceAllIn(template,
      m =>
        java.util.regex.Matcher.quoteReplacement(parameters.getOrElse(m.group(1), m.matched)))
  }
}
