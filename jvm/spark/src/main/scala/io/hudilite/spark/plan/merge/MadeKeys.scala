package io.hudilite.spark.plan.merge

import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.write.RowLevelWrite

import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, WriteDelta}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Makes the record keys and partition paths of the rows that a statement or upsert changes of their columns, in a table
  * whose meta columns are null. Spark reads the key columns alone where it looks for rows.
  */
object MadeKeys extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case write: WriteDelta
        if RowLevelWrite.operationOf(write).exists(o => o.groups.isEmpty && !o.target.config.populateMetaFields) =>
      write.withNewQuery(write.query.transformUp {
        case relation: DataSourceV2Relation => RowLevelWrite.operationOf(relation).fold(relation: LogicalPlan)(
            made(relation, _))
      })
  }

  private def made(relation: DataSourceV2Relation, operation: RowLevelWrite): LogicalPlan = {
    def missing: Nothing = throw new IllegalStateException(s"no key columns in ${relation.output}")
    val (keys, columns) = (operation.target.keys, WriteLayout.named(relation))
    def value(name: String): Option[Expression] = name match {
      case RowPlace.MadeKey => Some(keys.recordKey(columns).getOrElse(missing))
      case MetaFields.PartitionPath => Some(keys.partitionPath(columns).getOrElse(missing))
      case _ => None
    }
    if (!relation.output.exists(a => value(a.name).isDefined)) relation
    else Project(relation.output.map(a => value(a.name).fold(a: NamedExpression)(
          Alias(_, a.name)(a.exprId, a.qualifier, Some(a.metadata)))), relation)
  }
}
