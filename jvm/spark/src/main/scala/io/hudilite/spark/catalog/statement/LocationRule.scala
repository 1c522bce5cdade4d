package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.{NamedTables, UnsupportedStatement}
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/** `LOCATION` of a new table as Spark's own formats take it. Spark gives other catalogs one that lies below the folder in
  * which its driver was started.
  */
object LocationRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case statement => CreateTarget.of(statement).flatMap(located).fold(statement)(PlanNodes.withSpec(statement, _))
  }

  private def located(table: CreateTarget): Option[TableSpec] = for {
    said <- table.spec.location
    at = place(table, said) if at != said
  } yield PlanNodes.withLocation(table.spec, at)

  private def place(table: CreateTarget, said: String): String =
    if (!table.catalog.isPath(table.ident)) NamedTables.location(table.ident, said)
    else if (said.trim.isEmpty) throw UnsupportedStatement.Location.of(table.ident.name)
    else said
}
