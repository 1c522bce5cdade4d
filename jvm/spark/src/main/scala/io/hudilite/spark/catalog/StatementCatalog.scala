package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput
import io.hudilite.spark.inspect.InspectTable

import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}

/** A catalog with tables of hudilite, as rules for statements see it. */
private[catalog] trait StatementCatalog extends TableCatalog {

  /** The table of this name, if it is hudilite's.
    *
    * @param dataFrame
    *   true when a write may bring columns that the table does not have
    */
  def present(ident: Identifier, dataFrame: Boolean): Option[HudiliteTable]

  /** Place where a statement would make a table, with the options of the statement.
    *
    * @param location
    *   location that the statement gives
    */
  def newPlace(ident: Identifier, location: Option[String], options: Map[String, String]): HudiliteTable

  /** True when the table is named by its path. */
  def isPath(ident: Identifier): Boolean

  /** Error where there is no table; `None` where Spark's own error serves. */
  def notFound(ident: Identifier): Option[InvalidInput]

  /** The metadata table of this name. */
  private[catalog] def metadataTable(ident: Identifier): Option[InspectTable]

  /** True when a table of this format is hudilite's. */
  def creates(ident: Identifier, provider: Option[String]): Boolean
}
