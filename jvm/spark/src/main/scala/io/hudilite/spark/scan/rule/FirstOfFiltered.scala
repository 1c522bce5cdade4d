package io.hudilite.spark.scan.rule

import io.hudilite.spark.scan.plan.{HudiliteScan, TopRows}
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LocalLimit, LogicalPlan, Project, Sort}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{FILTER, LIMIT, SORT}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.hudilite.SourceFilters

/** Has a scan read only the files that may hold the first rows which pass a filter. Spark tells a source of a sort with a
  * limit only where no condition is left to it, and hudilite leaves it all of them.
  */
object FirstOfFiltered extends Rule[LogicalPlan] with PredicateHelper {

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformDownWithPruning(_.containsAllPatterns(LIMIT, SORT, FILTER)) {
      case limit @ LocalLimit(Literal(rows: Int, _), below) =>
        narrowed(below, rows).fold[LogicalPlan](limit)(of => limit.withNewChildren(Seq(of)))
    }

  private def narrowed(plan: LogicalPlan, rows: Int): Option[LogicalPlan] = plan match {
    case project: Project => narrowed(project.child, rows).map(of => project.withNewChildren(Seq(of)))
    case sort: Sort if sort.global =>
      sort.order.headOption.flatMap { first =>
        filtered(sort.child, first.child).map(below(_, first, rows)).flatMap(_.map { case (old, scan) =>
          sort.transform {
            case relation: DataSourceV2ScanRelation if relation eq old =>
              PlanNodes.withScan(old, scan)
          }
        })
      }
    case _ => None
  }

  /** The filter below, and the column of its rows that stands for this expression. */
  private def filtered(plan: LogicalPlan, by: Expression): Option[(Filter, Attribute)] = (plan, by) match {
    case (Project(columns, child), column: Attribute) => columns.find(_.exprId == column.exprId).flatMap {
        case Alias(of, _) => filtered(child, of)
        case of => filtered(child, of)
      }
    case (filter: Filter, column: Attribute) => Some(filter -> column)
    case _ => None
  }

  private def below(found: (Filter, Attribute), order: SortOrder, rows: Int)
      : Option[(DataSourceV2ScanRelation, HudiliteScan)] = found match {
    case (Filter(condition, relation: DataSourceV2ScanRelation), column) => relation.scan match {
        case scan: HudiliteScan =>
          val conditions = splitConjunctivePredicates(condition).map(SourceFilters.of(_))
          val first = relation.output.find(_.exprId == column.exprId).map(of =>
            TopRows(Seq(of.name),
              order.direction == Ascending, order.nullOrdering == NullsFirst, rows))
          if (conditions.exists(_.isEmpty)) None
          else first.flatMap(scan.ofFirst(_, conditions.flatten)).map(relation -> _)
        case _ => None
      }
    case _ => None
  }
}
