package io.hudilite.spark.shim

import org.apache.spark.sql.connector.catalog.TableCapability

/** Capabilities of tables that newer versions of Spark ask for. */
object NewerCapabilities {

  /** Merging of several scans of a table into one, which Spark can do from 4.3 on. */
  val scanMerging: Option[TableCapability] = named("SCAN_MERGING")

  /** `WITH SCHEMA EVOLUTION`, for which Spark asks the catalog to alter the table before the statement is run. `None`
    * before Spark 4.1, which knows the words and does nothing.
    */
  val schemaEvolution: Option[TableCapability] = named("AUTOMATIC_SCHEMA_EVOLUTION")

  private def named(name: String): Option[TableCapability] = TableCapability.values.find(_.name == name)
}
