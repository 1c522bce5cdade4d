package io.hudilite.spark.catalog.statement

import io.hudilite.record.MetaFields
import io.hudilite.spark.catalog.HudiliteTable

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Temporary views of DataFrames have the meta columns of a table by name, as the DataFrame itself has: Spark hides what
  * `SELECT *` does not show behind each view. A view whose query names its columns hides them.
  */
object ViewsRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case node if node.children.nonEmpty && node.expressions.exists(_.exists(isMeta)) =>
      val opened = node.children.map(open)
      if (node.children.zip(opened).forall { case (before, after) => before eq after }) node
      else node.withNewChildren(opened)
  }

  private val names: Set[String] = MetaFields.all.map(_.toLowerCase(Locale.ROOT)).toSet

  private def isMeta(expression: Any): Boolean = expression match {
    case column: UnresolvedAttribute => names(column.nameParts.last.toLowerCase(Locale.ROOT))
    case _ => false
  }

  private def open(plan: LogicalPlan): LogicalPlan = plan match {
    case alias @ SubqueryAlias(_, view: View) if view.isTempView && isOfTable(view.child) => below(alias, view.child)
    case alias: SubqueryAlias => over(alias, alias.child)
    case filter: Filter => over(filter, filter.child)
    case project: Project => over(project, project.child)
    case join: Join =>
      val opened = join.children.map(open)
      if (opened.zip(join.children).forall { case (a, b) => a eq b }) join else join.withNewChildren(opened)
    case other => other
  }

  private def over(node: LogicalPlan, child: LogicalPlan): LogicalPlan = {
    val opened = open(child)
    if (opened eq child) node else node.withNewChildren(Seq(opened))
  }

  // An alias hands such columns on from a relation, and not from a filter.
  private def below(alias: SubqueryAlias, rows: LogicalPlan): LogicalPlan = rows match {
    case Filter(condition, child) => Filter(condition, below(alias, child))
    case other => alias.withNewChildren(Seq(other))
  }

  private def isOfTable(plan: LogicalPlan): Boolean = plan match {
    case relation: DataSourceV2Relation => relation.table.isInstanceOf[HudiliteTable]
    case alias: SubqueryAlias => isOfTable(alias.child)
    case filter: Filter => isOfTable(filter.child)
    case _ => false
  }
}
