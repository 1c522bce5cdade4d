package io.hudilite.spark.shim

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Rules that look at statements before names are resolved. Spark 3.5 has no place for them, and no statement that needs
  * them.
  */
object EarlyRules {

  def inject(extensions: SparkSessionExtensions, rule: Rule[LogicalPlan]): Unit = {
    val _ = (extensions, rule)
  }
}
