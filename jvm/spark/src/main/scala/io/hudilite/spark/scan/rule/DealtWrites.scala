package io.hudilite.spark.scan.rule

import io.hudilite.spark.plan.layout.{RowsToBuckets, WritePlace}
import io.hudilite.spark.plan.merge.LatestByKey
import io.hudilite.spark.row.{PartitionPath, RecordKey}
import io.hudilite.spark.scan.plan.{HashedKeys, HudiliteScan}
import io.hudilite.spark.shim.PlanNodes

import scala.annotation.tailrec
import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, RepartitionByExpression}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

/** Leaves out the exchange of a write into buckets whose rows lie in the same buckets already: rows of one scan, behind
  * projections and filters that keep the columns of the keys. The scan puts all of a bucket into one task, and the rows are
  * sorted there as they would be behind the exchange.
  *
  * Spark has no say in it: it would group by what it knows of the scan, and put parts of one group into several tasks where
  * its settings have it so.
  */
object DealtWrites extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(BucketedRelation.isPossible)) plan
    else plan.transformDown {
      case latest: LatestByKey if latest.place.nonEmpty && !latest.together =>
        spared(latest.child).fold[LogicalPlan](latest)(rows => latest.copy(child = rows, together = true))
      case exchange: RepartitionByExpression => spared(exchange).getOrElse(exchange)
    }

  /** The rows without their exchange. */
  private def spared(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case Project(columns, child) => spared(child).map(Project(columns, _))
    case RowsToBuckets(rows, place, tasks) =>
      for (path <- RowsOfScan.below(rows); dealt <- dealt(path, place, tasks)) yield path.over(rows, dealt)
    case _ => None
  }

  private def dealt(path: RowsOfScan, place: WritePlace, tasks: Int): Option[HudiliteScan] = {
    val (partition, key) = (path.inScan(place.children(1)), path.inScan(place.children(2)))
    val index = place.groups.groups.buckets.get.index
    for {
      made <- Some(key).collect { case key: RecordKey if key.names == key.settings.recordKeyFields => key }
      to = HashedKeys(index, made.names, made.children.map(value => Some(value.dataType)), Some(made.settings.prefixed))
      from = made.names.zip(made.children.map(path.column)).toMap
      lying <- path.scan.hashedKeys if to.alike(lying).exists(_.forall { case (a, b) => from(a).contains(b) })
      scan <- path.scan.dealt(tasks, pathsOf(partition, path))
    } yield scan
  }

  /** The partition path of rows with these values, where it is made of the partition columns of the scan. */
  private def pathsOf(partition: Expression, path: RowsOfScan): Option[Map[String, Any] => Option[String]] =
    partition match {
      case to: PartitionPath if to.children.forall(path.column(_).exists(path.scan.partitionColumns.contains)) =>
        Some(values =>
          // A path that cannot be written ends the write where a row has it.
          Try(to.withNewChildren(to.children.map(child =>
                Literal(values(path.column(child).get), child.dataType))).eval().toString).toOption)
      case _ => None
    }
}

/** Rows of one scan behind projections and filters.
  *
  * @param names
  *   values of columns further up, from above
  */
private[rule] final class RowsOfScan(relation: DataSourceV2ScanRelation, val scan: HudiliteScan,
    names: Seq[Project]) {

  /** The expression over the columns of the scan. */
  def inScan(expression: Expression): Expression = names.foldLeft(expression)((now, project) =>
    now.transformUp { case column: Attribute =>
      project.projectList.collectFirst { case alias: Alias if alias.exprId == column.exprId => alias.child }
        .getOrElse(column)
    })

  /** The column of the scan that the expression is. */
  def column(expression: Expression): Option[String] = expression match {
    case column: Attribute => relation.output.find(_.exprId == column.exprId).map(_.name)
    case _ => None
  }

  /** The rows with another scan. */
  def over(rows: LogicalPlan, other: HudiliteScan): LogicalPlan = rows match {
    case found: DataSourceV2ScanRelation => PlanNodes.withScan(found, other)
    case above => above.withNewChildren(above.children.map(over(_, other)))
  }
}

private[rule] object RowsOfScan {

  def below(rows: LogicalPlan): Option[RowsOfScan] = below(rows, Nil)

  @tailrec private def below(rows: LogicalPlan, names: List[Project]): Option[RowsOfScan] = rows match {
    case project: Project => below(project.child, project :: names)
    case filter: Filter => below(filter.child, names)
    case relation: DataSourceV2ScanRelation if relation.keyGroupedPartitioning.isEmpty =>
      relation.scan match {
        case scan: HudiliteScan => Some(new RowsOfScan(relation, scan, names.reverse))
        case _ => None
      }
    case _ => None
  }
}
