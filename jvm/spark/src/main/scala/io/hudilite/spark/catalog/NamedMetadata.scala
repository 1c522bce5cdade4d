package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput
import io.hudilite.spark.inspect.{InspectTable, Inspection}
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Metadata tables by name, such as hudilite.`/data/trips`.history. The names before the last one are those of the
  * table.
  */
private[catalog] object NamedMetadata {

  /** The metadata table of that name, unless there is a table at that place.
    *
    * @param table
    *   look-up of a table by its name
    */
  def find(session: SparkSession, ident: Identifier, table: Identifier => Option[Table]): Option[InspectTable] = for {
    what <- Inspection.find(ident.name())
    of <- parent(ident, table)
  } yield InspectTable(of, what)(session)

  /** Raises an error when the names before the last one are those of a table, which has no metadata table of the last
    * name, or none of an earlier state.
    */
  def refuse(ident: Identifier, table: Identifier => Option[Table]): Unit = parent(ident, table).foreach { of =>
    throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"AS OF of ${Inspection.named(ident.name()).name}",
      "path" -> of.basePath, "reason" -> "a metadata table tells of the present table alone; leave AS OF out")
  }

  /** The name of the table whose metadata table this is; for any other name the name itself. */
  def parentOf(ident: Identifier): Identifier =
    if (ident.namespace().isEmpty || Inspection.find(ident.name()).isEmpty) ident
    else Identifier.of(ident.namespace().init, ident.namespace().last)

  private def parent(ident: Identifier, table: Identifier => Option[Table]): Option[Table] =
    if (ident.namespace().isEmpty || table(ident).isDefined) None
    else table(Identifier.of(ident.namespace().init, ident.namespace().last))

  /** Refuses a statement that would change a metadata table.
    *
    * @param verb
    *   verb of the statement in the refusal
    */
  def refuseChange(verb: String, target: LogicalPlan): Unit = target.foreach { node =>
    val found = node match {
      case r: DataSourceV2Relation => Some(r.table)
      case r: ResolvedTable => Some(r.table)
      case ResolvedIdentifier(catalog: StatementCatalog, ident) => catalog.metadataTable(ident)
      case _ => None
    }
    found.collect { case table: InspectTable =>
      throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"$verb of ${table.what.name}",
        "path" -> table.table.basePath, "reason" -> "a metadata table can only be read; change the table itself")
    }
  }
}
