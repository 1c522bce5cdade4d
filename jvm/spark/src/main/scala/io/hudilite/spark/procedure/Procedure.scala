package io.hudilite.spark.procedure

import io.hudilite.error.{HudiliteException, InvalidInput, UnknownName}
import io.hudilite.spark.shim.{CalledParameter, CalledProcedure}

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._
import scala.util.Try

/** Work that CALL runs by its name: arguments in, rows out, by the code that programs call.
  *
  * @param summary
  *   effect, for the documentation and for DESCRIBE
  * @param parameters
  *   in the order in which arguments without a name are taken
  * @param columns
  *   names and types of the columns of its answer
  */
final case class Procedure(name: String, summary: String, parameters: Seq[Parameter], columns: Seq[(String, DataType)])(
    body: (SparkSession, Arguments) => Seq[Row]) extends CalledProcedure {

  override def called: Seq[CalledParameter] =
    parameters.map(p => CalledParameter(p.name, p.dataType, p.default, p.summary))

  override val output: StructType = StructType(columns.map { case (column, dataType) => StructField(column, dataType) })

  override def checkNames(asked: Seq[String]): Unit = asked.foreach { name =>
    val known = parameters.map(_.name)
    if (!known.exists(_.equalsIgnoreCase(name)))
      throw Procedure.unknown(s"argument of ${this.name} called", name, known)
  }

  override def refused(argument: String, value: String, reason: String): InvalidInput =
    InvalidInput.option(argument, value, reason)

  override def call(session: SparkSession, values: Seq[Any]): Seq[Row] =
    HudiliteException.unwrapping(
      body(session, Arguments(name, parameters.zip(values).map { case (p, value) => p.name -> Option(value) }.toMap)))
}

object Procedure {

  /** The type of a column that holds several of what these columns tell. */
  private[procedure] def structs(columns: (String, DataType)*): DataType =
    ArrayType(StructType(columns.map { case (column, dataType) => StructField(column, dataType) }))

  private[spark] def unknown(what: String, name: String, known: Seq[String]): InvalidInput =
    UnknownName.of(what, name, known)
}

/** A parameter of a procedure.
  *
  * @param dataType
  *   a string, an integer, a long or a boolean
  * @param default
  *   as SQL writes it; a text in quotes
  */
final case class Parameter(name: String, dataType: DataType, default: String, summary: String)

object Parameter {

  /** One that may be left out, which says nothing. */
  def text(name: String, summary: String): Parameter = Parameter(name, StringType, "NULL", summary)

  def text(name: String, default: String, summary: String): Parameter =
    Parameter(name, StringType, s"'$default'", summary)

  def integer(name: String, summary: String): Parameter = Parameter(name, IntegerType, "NULL", summary)

  def integer(name: String, default: Int, summary: String): Parameter =
    Parameter(name, IntegerType, default.toString, summary)

  def long(name: String, summary: String): Parameter = Parameter(name, LongType, "NULL", summary)

  def long(name: String, default: Long, summary: String): Parameter =
    Parameter(name, LongType, default.toString, summary)

  def flag(name: String, summary: String): Parameter = Parameter(name, BooleanType, "false", summary)

  /** So many rows by default, see [[Arguments.limit]]. */
  def limit(rows: Int): Parameter = integer("limit", rows, "how many")

  val Table: Parameter = text("table", "the table, by a name that the session knows or by its path")
  val Path: Parameter = text("path", "the path of the table, in the place of its name")
  val Options: Parameter =
    text("options", "options of docs/options.md as 'name=value,name=value', or as a JSON object of texts")
  val DryRun: Parameter = flag("dry_run", "only say what would be done")
  val RunAs: Parameter = text("run_as", "a name for show_progress and cancel_service while it runs")
}

/** Arguments of a call; one that was left out has its default. */
final case class Arguments(procedure: String, values: Map[String, Option[Any]]) {

  def text(name: String): Option[String] = values(name).map(_.toString.trim).filter(_.nonEmpty)

  /** Raises `InvalidInput` when it was not given. */
  def needed(name: String): String = text(name).getOrElse(
    throw InvalidInput("MISSING_OPTION", "option" -> name, "reason" -> s"the procedure $procedure needs this argument"))

  def integer(name: String): Option[Int] = values(name).map(_.asInstanceOf[Int])

  def long(name: String): Option[Long] = values(name).map(_.asInstanceOf[Long])

  def flag(name: String): Boolean = values(name).contains(true)

  def dryRun: Boolean = flag(Parameter.DryRun.name)

  /** The text as it was given, with its spaces. */
  def verbatim(name: String): Option[String] = values(name).map(_.toString)

  /** Names in a text, separated by commas or as a JSON array of texts; `None` when it was not given. */
  def list(name: String): Option[Seq[String]] = text(name).map(asked =>
    some(name, JsonTexts.array(asked).getOrElse(asked.split(',').toSeq.map(_.trim).filter(_.nonEmpty))))

  /** Names in a JSON array of texts; `None` when it is a text of another form. */
  def jsonList(name: String): Option[Seq[String]] = text(name).flatMap(JsonTexts.array).map(some(name, _))

  /** The names in an argument; raises `InvalidInput` when there are none. */
  private[procedure] def some(name: String, named: Seq[String]): Seq[String] =
    if (named.nonEmpty) named
    else throw invalid(name, text(name).getOrElse(""),
      "an empty list names nothing; name something, or leave the argument out")

  /** One of these texts, in any case. */
  def oneOf(name: String, known: Seq[String]): Option[String] = text(name).map { asked =>
    known.find(_.equalsIgnoreCase(asked)).getOrElse(throw invalid(name, asked,
        s"it must be one of ${known.mkString(", ")}"))
  }

  /** So many rows; raises `InvalidInput` for a negative number. */
  def limit: Int = {
    val asked = integer("limit").getOrElse(Int.MaxValue)
    if (asked < 0) throw invalid("limit", asked.toString, "it must be 0 or more") else asked
  }

  /** The argument `options` as a map, empty where the procedure takes none; raises `InvalidInput` where it is not of that
    * form.
    */
  def options: Map[String, String] = values.get("options").flatMap(_ => text("options")).map(asked =>
    JsonTexts.fields(asked).getOrElse(asked.split(',').toSeq.filter(_.trim.nonEmpty).map(option).toMap))
    .getOrElse(Map.empty)

  private def option(entry: String): (String, String) = entry.split("=", 2) match {
    case Array(key, value) if key.trim.nonEmpty => key.trim -> value.trim
    case _ => throw invalid("options", entry, "it must be of the form name=value,name=value")
  }

  def invalid(name: String, value: String, reason: String): InvalidInput =
    InvalidInput.option(name, value, reason)
}

/** Lists and maps of texts in an argument that is a text: JSON loses nothing, whatever they hold. */
private[procedure] object JsonTexts {

  private val json = new ObjectMapper()

  /** `None` when it is no JSON array of texts. */
  def array(text: String): Option[Seq[String]] =
    read(text, "[").filter(_.isArray).map(_.elements().asScala.toSeq).filter(_.forall(_.isTextual)).map(_.map(_.asText))

  /** `None` when it is no JSON object of texts. */
  def fields(text: String): Option[Map[String, String]] =
    read(text, "{").filter(_.isObject).map(_.fields().asScala.map(f => f.getKey -> f.getValue).toSeq)
      .filter(_.forall(_._2.isTextual)).map(_.map { case (key, value) => key -> value.asText }.toMap)

  private def read(text: String, start: String): Option[JsonNode] =
    if (text.startsWith(start)) Try(json.readTree(text)).toOption.filter(_ != null) else None
}
