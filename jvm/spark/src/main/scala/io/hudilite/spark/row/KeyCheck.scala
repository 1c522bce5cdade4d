package io.hudilite.spark.row

import org.apache.spark.sql.vectorized.ColumnVector

/** Looks at every record key of a base file that a write reads anyway. */
private[spark] trait KeyCheck {

  /** Checks the keys of the next batch: the first `rows` values. Raises the error for a file that cannot be written to.
    */
  def check(keys: ColumnVector, rows: Int): Unit
}

private[spark] object KeyCheck {
  object None extends KeyCheck {
    override def check(keys: ColumnVector, rows: Int): Unit = ()
  }
}
