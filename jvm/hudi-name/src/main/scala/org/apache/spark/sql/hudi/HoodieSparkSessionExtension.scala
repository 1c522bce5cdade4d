package org.apache.spark.sql.hudi

import io.hudilite.spark.HudiliteExtensions
import io.hudilite.spark.catalog.metastore.Registered

import org.apache.spark.sql.SparkSessionExtensions

/** `spark.sql.extensions` of jobs that were written for Apache Hudi. */
final class HoodieSparkSessionExtension extends (SparkSessionExtensions => Unit) {
  Registered.requireNoHudi()
  override def apply(extensions: SparkSessionExtensions): Unit = new HudiliteExtensions().apply(extensions)
}
