package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput
import io.hudilite.spark.metatable.MetadataTable

import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Refuses statements that would change a metadata table, by a line that names the statement. */
object MetadataRule extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case write: V2WriteCommand => check("INSERT", write.table)
      case delete: DeleteFromTable => check("DELETE", delete.table)
      case update: UpdateTable => check("UPDATE", update.table)
      case merge: MergeIntoTable => check("MERGE", merge.targetTable)
      case truncate: TruncateTable => check("TRUNCATE TABLE", truncate.table)
      case alter: AlterTableCommand => check("ALTER TABLE", alter.table)
      case rename: RenameTable => check("ALTER TABLE RENAME", rename.child)
      case drop: DropTable => check("DROP TABLE", drop.child)
      case replace: ReplaceTable => check("REPLACE TABLE", replace.name)
      case replace: ReplaceTableAsSelect => check("REPLACE TABLE", replace.name)
      case _ =>
    }
    plan
  }

  private def check(statement: String, target: LogicalPlan): Unit = target.foreach { node =>
    val found = node match {
      case r: DataSourceV2Relation => Some(r.table)
      case r: ResolvedTable => Some(r.table)
      case r: ResolvedIdentifier => r.catalog match {
          case catalog: HudiliteCatalog => catalog.metadataTable(r.identifier)
          case _ => None
        }
      case _ => None
    }
    found.collect { case table: MetadataTable =>
      throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"$statement of ${table.what.name}",
        "path" -> table.table.basePath, "reason" -> "it tells what the table is, and can only be read")
    }
  }
}
