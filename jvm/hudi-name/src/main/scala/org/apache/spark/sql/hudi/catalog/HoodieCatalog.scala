package org.apache.spark.sql.hudi.catalog

import io.hudilite.spark.catalog.HudiliteSessionCatalog
import io.hudilite.spark.catalog.metastore.Registered

/** `spark.sql.catalog.spark_catalog` of jobs that were written for Apache Hudi. */
final class HoodieCatalog extends HudiliteSessionCatalog {
  Registered.requireNoHudi()
}
