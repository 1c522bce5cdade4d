package org.apache.spark.sql.hudilite

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy

/** Conditions in Spark's form for sources, as it pushes them down. Their maker is private to Spark's packages. */
object SourceFilters {

  /** The condition; `None` when it has no such form. */
  def of(condition: Expression): Option[Predicate] = DataSourceV2Strategy.translateFilterV2(condition)
}
