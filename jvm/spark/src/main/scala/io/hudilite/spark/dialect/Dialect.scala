package io.hudilite.spark.dialect

import io.hudilite.error.InvalidInput
import io.hudilite.spark.procedure.TableArgument
import io.hudilite.spark.shim.StatementParsers

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** Statements that users of Apache Hudi, Delta Lake and Iceberg type, on tables of Hudi's format. Those that have an
  * equal are said in hudilite's words, the others are refused with what takes their place. All statements on other tables
  * go to Spark's parser as they are, and so to the extensions of those formats.
  */
object Dialect {

  def inject(extensions: SparkSessionExtensions): Unit = StatementParsers.inject(extensions, parsed)

  private[dialect] def parsed(session: SparkSession, statement: String, parse: String => LogicalPlan): LogicalPlan = {
    val own = StatementText(statement)
    own.firstWord match {
      case "CALL" => CallsAlone.parsed(session, own, parse)
      case word if Translations.FirstWords(word) || Refusals.FirstWords(word) =>
        Translations.of(own).map(translated(session, statement, _, parse))
          .orElse(Refusals.of(own).map(refused(session, statement, _, parse)))
          .getOrElse(parse(statement))
      case _ => parse(statement)
    }
  }

  private def translated(session: SparkSession, statement: String, said: Translation, parse: String => LogicalPlan)
      : LogicalPlan =
    if (said.hidesBehind.exists(session.catalog.tableExists(_))) parse(statement)
    else if (TableArgument.find(session, said.table).isDefined) parse(said.text)
    else
      try parse(statement)
      // The call says that there is no such table, where Spark would know no such statement.
      catch { case _: ParseException if !TableArgument.isTaken(session, said.table) => parse(said.text) }

  private def refused(session: SparkSession, statement: String, said: Refusal, parse: String => LogicalPlan)
      : LogicalPlan =
    if (said.hidesBehind.exists(session.catalog.tableExists(_))) parse(statement)
    else if (said.isOurs) throw error(said, said.table)
    else TableArgument.find(session, said.table).fold(parse(statement))(path => throw error(said, path))

  private def error(said: Refusal, path: String): InvalidInput = InvalidInput("STATEMENT_NOT_SUPPORTED",
    "statement" -> said.statement, "path" -> path, "reason" -> said.reason)
}
