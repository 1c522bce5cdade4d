package io.hudilite.spark.row

import io.hudilite.error.{HudiliteException, InvalidInput}

/** The error for a null where the table's schema allows none. */
private[spark] object NullValues {
  def inRequiredColumn(column: String): Throwable with HudiliteException =
    InvalidInput("NULL_IN_REQUIRED_COLUMN", "column" -> column)
}
