package hudi

import io.hudilite.spark.HudiliteSource

/** `format("hudi")` and `USING hudi` where Apache Hudi is not on the class path. Spark asks registered sources for a name
  * first, and for a class of this kind last, so that Hudi keeps its name wherever it is there.
  */
final class DefaultSource extends HudiliteSource {
  override def shortName(): String = "hudi by hudilite"
  override def toString: String = "hudi"
}
