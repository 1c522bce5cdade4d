package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy

/** Conditions in Spark's words for sources, as it pushes them down; what makes them is private to Spark's packages. */
object SourceFilters {

  /** `None` for a condition that has no such words. */
  def of(condition: Expression): Option[Predicate] = DataSourceV2Strategy.translateFilterV2(condition)
}
