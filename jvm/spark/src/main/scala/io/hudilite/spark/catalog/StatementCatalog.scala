package io.hudilite.spark.catalog

import io.hudilite.error.InvalidInput

import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog}

/** A catalog with tables of hudilite's, as the rules for statements see it. */
private[catalog] trait StatementCatalog extends TableCatalog {

  /** The table that is there, if it is hudilite's.
    *
    * @param dataFrame
    *   a write may bring columns that the table does not have
    */
  def present(ident: Identifier, dataFrame: Boolean): Option[HudiliteTable]

  /** Where a statement would make a table, with the options that it gives.
    *
    * @param location
    *   what the statement says of that
    */
  def newPlace(ident: Identifier, location: Option[String], options: Map[String, String]): HudiliteTable

  /** Whether the table has no name but its path. */
  def isPath(ident: Identifier): Boolean

  /** What to raise where there is no table; `None` where Spark's own error says it. */
  def notFound(ident: Identifier): Option[InvalidInput]

  /** Whether a table that this format creates is hudilite's. */
  def creates(ident: Identifier, provider: Option[String]): Boolean
}
