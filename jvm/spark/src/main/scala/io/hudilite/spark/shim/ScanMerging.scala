package io.hudilite.spark.shim

import org.apache.spark.sql.connector.catalog.TableCapability

/** Merging of several scans of a table into one, which Spark can do from 4.3 on. */
object ScanMerging {
  val capability: Option[TableCapability] = TableCapability.values().find(_.name == "SCAN_MERGING")
}
