package io.hudilite.spark.row

import io.hudilite.error.InvalidInput

import org.apache.spark.sql.hudilite.LastAttempts

/** The error for a null where the table's schema allows none. */
private[spark] object NullValues {
  def inRequiredColumn(column: String): Throwable =
    LastAttempts.failure(InvalidInput("NULL_IN_REQUIRED_COLUMN", "column" -> column))
}
