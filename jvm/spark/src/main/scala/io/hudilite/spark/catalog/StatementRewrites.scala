package io.hudilite.spark.catalog

import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, ShowColumns, TruncateTable}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.command.CreateTableLikeCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.unsafe.types.UTF8String

/** Statements that Spark does not offer tables like hudilite's, as others that it does. */
final case class StatementRewrites(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case truncate @ TruncateTable(r: ResolvedTable) => table(r).fold[LogicalPlan](truncate)(truncated(r, _))
    case show @ ShowColumns(r: ResolvedTable, None, output) => table(r).fold[LogicalPlan](show)(table =>
        LocalRelation(output, table.schema.fieldNames.toSeq.map(name => InternalRow(UTF8String.fromString(name)))))
    case like: CreateTableLikeCommand =>
      copied(like).foreach(path => throw Refusal.Like.of(path))
      like
  }

  private def table(resolved: ResolvedTable): Option[HudiliteTable] = resolved.table match {
    case table: HudiliteTable => Some(table)
    case _ => None
  }

  /** One write without rows, instead of all that the table has. */
  private def truncated(resolved: ResolvedTable, table: HudiliteTable): LogicalPlan = {
    val relation = DataSourceV2Relation.create(table, Some(resolved.catalog), Some(resolved.identifier))
    PlanNodes.replaceAll(relation, LocalRelation(relation.output.map(_.newInstance())), Map.empty)
  }

  // Spark would register a folder in which there is no table.
  private def copied(like: CreateTableLikeCommand): Option[String] = {
    val from = NamedTables.find(Identifier.of(like.sourceTable.database.toArray, like.sourceTable.table))
    like.provider match {
      case Some(format) => Registered.providerOf(format).map(_ => like.targetTable.table)
      case None => from.map(_.path)
    }
  }
}
