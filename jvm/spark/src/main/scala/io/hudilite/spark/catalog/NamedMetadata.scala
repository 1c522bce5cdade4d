package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput
import io.hudilite.spark.metatable.{MetadataTable, RowTable}
import io.hudilite.table.Table

import org.apache.spark.sql.connector.catalog.Identifier

/** hudilite.`/data/trips`.history: what the table of the names before the last one tells of itself. */
private[catalog] object NamedMetadata {

  /** The metadata table of that name, unless there is a table at that place.
    *
    * @param table
    *   the table of a name
    */
  def find(ident: Identifier, table: Identifier => Option[Table]): Option[MetadataTable] = for {
    what <- RowTable.find(ident.name())
    of <- parent(ident, table)
  } yield MetadataTable(of, what)

  /** Raises an error when the names before the last one are those of a table: it has no metadata table of that name, or
    * none of an earlier state.
    */
  def refuse(ident: Identifier, table: Identifier => Option[Table]): Unit = parent(ident, table).foreach { of =>
    throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"AS OF of ${RowTable.named(ident.name()).name}",
      "path" -> of.basePath, "reason" -> "it tells what the table is now")
  }

  /** The table of which such a name would tell something, or else what the name is of. */
  def parentOf(ident: Identifier): Identifier =
    if (ident.namespace().isEmpty || RowTable.find(ident.name()).isEmpty) ident
    else Identifier.of(ident.namespace().init, ident.namespace().last)

  private def parent(ident: Identifier, table: Identifier => Option[Table]): Option[Table] =
    if (ident.namespace().isEmpty || table(ident).isDefined) None
    else table(Identifier.of(ident.namespace().init, ident.namespace().last))
}
