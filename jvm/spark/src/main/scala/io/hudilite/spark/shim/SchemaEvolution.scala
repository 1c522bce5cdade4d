package io.hudilite.spark.shim

import org.apache.spark.sql.connector.catalog.TableCapability

/** `WITH SCHEMA EVOLUTION`, for which Spark asks the catalog to alter the table before the statement is run. */
object SchemaEvolution {

  /** Capability of a table to have it; `None` before Spark 4.1, which knows the words and does nothing. */
  val capability: Option[TableCapability] = TableCapability.values.find(_.name == "AUTOMATIC_SCHEMA_EVOLUTION")
}
