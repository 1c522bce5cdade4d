package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput
import io.hudilite.spark.inspect.{InspectTable, Inspection}
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** hudilite.`/data/trips`.history: facts on the table of the names before the last one. */
private[catalog] object NamedMetadata {

  /** The metadata table of that name, unless there is a table at that place.
    *
    * @param table
    *   the table of a name
    */
  def find(session: SparkSession, ident: Identifier, table: Identifier => Option[Table]): Option[InspectTable] = for {
    what <- Inspection.find(ident.name())
    of <- parent(ident, table)
  } yield InspectTable(of, what)(session)

  /** Raises an error when the names before the last one are those of a table: it has no metadata table of that name, or
    * none of an earlier state.
    */
  def refuse(ident: Identifier, table: Identifier => Option[Table]): Unit = parent(ident, table).foreach { of =>
    throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"AS OF of ${Inspection.named(ident.name()).name}",
      "path" -> of.basePath, "reason" -> "it tells what the table is now")
  }

  /** The table of which such a name would tell something, or else what the name is of. */
  def parentOf(ident: Identifier): Identifier =
    if (ident.namespace().isEmpty || Inspection.find(ident.name()).isEmpty) ident
    else Identifier.of(ident.namespace().init, ident.namespace().last)

  private def parent(ident: Identifier, table: Identifier => Option[Table]): Option[Table] =
    if (ident.namespace().isEmpty || table(ident).isDefined) None
    else table(Identifier.of(ident.namespace().init, ident.namespace().last))
}

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
    found.collect { case table: InspectTable =>
      throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"$statement of ${table.what.name}",
        "path" -> table.table.basePath, "reason" -> "it tells what the table is, and can only be read")
    }
  }
}
