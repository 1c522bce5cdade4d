package org.apache.hudi

import io.hudilite.spark.HudiliteSource
import io.hudilite.spark.catalog.metastore.Registered

/** `format("org.apache.hudi")`. */
final class DefaultSource extends HudiliteSource {
  Registered.requireNoHudi()
  override def shortName(): String = "org.apache.hudi by hudilite"
  override def toString: String = "org.apache.hudi"
}
