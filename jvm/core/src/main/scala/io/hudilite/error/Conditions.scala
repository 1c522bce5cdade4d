package io.hudilite.error

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import java.util.regex.{Matcher, Pattern}

import scala.collection.JavaConverters._

/** One entry of `error-conditions.json`: `message` says what happened and why, `action` what to do. A part in braces is
  * said only where the one parameter in it has a value.
  */
final case class Condition(name: String, kind: String, sqlState: String, message: String, action: String) {

  /** The whole text, with parameters by their names. */
  private[error] def template: String = s"[$name] $message $action SQLSTATE: $sqlState"
}

/** The declared error conditions, and the one place that turns a condition into text. */
object Conditions {

  private val Resource = "/hudilite/error-conditions.json"
  private val Parameter = "<([A-Za-z]+)>".r
  private val Perhaps = """\{([^{}]*<([A-Za-z]+)>[^{}]*)\}""".r
  private val Told = (Pattern.quote(getClass.getPackage.getName) + """\.\w+: (?=\[([A-Z_]+)\])""").r

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
    val said = Perhaps.replaceAllIn(condition.template,
      m => Matcher.quoteReplacement(if (parameters.contains(m.group(2))) m.group(1) else ""))
    Parameter.replaceAllIn(said,
      m => Matcher.quoteReplacement(parameters.getOrElse(m.group(1), m.matched)))
  }

  /** The error of hudilite's that a text shows as a `Throwable` would, after its class. Values end where the text that
    * [[render]] puts behind them begins.
    */
  def read(text: String): Option[(Condition, Map[String, String])] = for {
    told <- Told.findFirstMatchIn(text)
    condition <- byName.get(told.group(1))
    names = Parameter.findAllMatchIn(condition.template).map(_.group(1)).toList.distinct
    matcher = pattern(condition.template).matcher(text).region(told.end, text.length)
    if matcher.lookingAt()
  } yield condition -> names.flatMap(name => Option(matcher.group(name)).map(name -> _)).toMap

  /** A pattern for texts made from a template. A parameter that the template names twice has one value. */
  private def pattern(template: String): Pattern = {
    val texts = Parameter.split(template).map(quoted)
    val names = Parameter.findAllMatchIn(template).map(_.group(1)).toVector
    val values = names.indices.map { i =>
      if (names.indexOf(names(i)) == i) s"(?<${names(i)}>.*?)" else s"\\k<${names(i)}>"
    }
    Pattern.compile(texts.zipAll(values, "", "").map { case (text, value) => text + value }.mkString, Pattern.DOTALL)
  }

  // Braces have no other meaning in a template.
  private def quoted(text: String): String =
    "[{}]|[^{}]+".r.findAllIn(text).map {
      case "{" => "(?:"
      case "}" => ")?"
      case plain => Pattern.quote(plain)
    }.mkString
}
