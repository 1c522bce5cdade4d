package io.hudilite.spark.catalog.statement

import io.hudilite.config.WriteOptions
import io.hudilite.spark.catalog.HudiliteTable
import io.hudilite.spark.shim.{EarlyRules, PlanNodes}
import io.hudilite.spark.write.table.WriteOperation

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.{
  AppendData,
  LogicalPlan,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  V2WriteCommand
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Rows that a DataFrame brings to a table by its name, with an option of the write that says which columns they may have:
  * the write decides, as it does for a path, and not Spark, which would ask for the columns that the table has. Only a
  * Spark that asks rules before it resolves names lets it.
  */
object OwnColumnsRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.inject(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case write: V2WriteCommand if write.isByName =>
      optionsOf(write).filter(saysOfColumns).flatMap(options =>
        target(write.table).map(decidedBy(write, _, options))).getOrElse(write)
  }

  private def optionsOf(write: V2WriteCommand): Option[Map[String, String]] = write match {
    case append: AppendData => Some(append.writeOptions)
    case overwrite: OverwriteByExpression => Some(overwrite.writeOptions)
    case overwrite: OverwritePartitionsDynamic => Some(overwrite.writeOptions)
    case _ => None
  }

  private def saysOfColumns(options: Map[String, String]): Boolean =
    Seq(WriteOptions.MergeSchema, WriteOptions.NullForMissing).exists(key =>
      key.raw(options).exists(_._2.trim.equalsIgnoreCase("true")))

  private def target(named: LogicalPlan): Option[DataSourceV2Relation] = named match {
    case u: UnresolvedRelation => NamedMergeRule.place(u.multipartIdentifier).flatMap { case (catalog, ident) =>
        catalog.present(ident, dataFrame = true).map(DataSourceV2Relation.create(_, Some(catalog), Some(ident)))
      }
    case r: DataSourceV2Relation => r.table match {
        case table: HudiliteTable if !table.dataFrame => Some(PlanNodes.withTable(r, table.copy(dataFrame = true)))
        case _ => None
      }
    case _ => None
  }

  // In all else it is what it is by a name: no upsert unless it says so.
  private def decidedBy(write: V2WriteCommand, target: DataSourceV2Relation, options: Map[String, String])
      : LogicalPlan = {
    val operation = write match {
      case _: AppendData => Some(WriteOperation.Insert)
      case overwrite: OverwriteByExpression if overwrite.deleteExpr == Literal.TrueLiteral =>
        Some(WriteOperation.InsertOverwriteTable)
      case _ => None
    }
    val table = target.table.asInstanceOf[HudiliteTable]
    val said =
      operation.filter(_ => table.writeConf(options).operation.isEmpty).map(WriteOptions.Operation.name -> _.name)
    PlanNodes.withOptions(write, options ++ said).withNewTable(target)
  }
}
