package io.hudilite.spark.shim

import org.apache.spark.sql.connector.catalog.TableCapability

/** That Spark may make one scan of several of a table, which it can from 4.3 on. */
object ScanMerging {
  val capability: Option[TableCapability] = TableCapability.values().find(_.name == "SCAN_MERGING")
}
