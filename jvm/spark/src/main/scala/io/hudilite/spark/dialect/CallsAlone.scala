package io.hudilite.spark.dialect

import io.hudilite.spark.catalog.HudiliteCatalog
import io.hudilite.spark.procedure.Procedures
import io.hudilite.spark.shim.{Calls, Catalogs}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/** `CALL show_commits(...)` and `CALL system.show_commits(...)`, as Apache Hudi's users write them: calls of hudilite's
  * procedures wherever no other catalog or extension has procedures of such names.
  */
private[dialect] object CallsAlone {

  private val Alone = """(?is)CALL\s+(?:(?:system|`system`)\s*\.\s*)?(`\w+`|\w+)\s*(\(.*)""".r

  def parsed(session: SparkSession, statement: StatementText, parse: String => LogicalPlan): LogicalPlan =
    statement.text match {
      case Alone(name, arguments) =>
        val ours = s"CALL ${HudiliteCatalog.Name}.${Procedures.Namespace}.$name$arguments"
        val current = Catalogs.current(session)
        if (current == HudiliteCatalog.Name) parse(ours)
        else
          try Some(parse(statement.text)).filterNot(p => Calls.isCall(p) && !servedBy(session, current))
              .getOrElse(parse(ours))
          catch { case _: ParseException => parse(ours) }
      case other => parse(other)
    }

  private def servedBy(session: SparkSession, catalog: String): Boolean =
    Calls.servedBy(Catalogs.of(session, catalog))
}
