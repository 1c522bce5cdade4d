package io.hudilite.spark.row

import org.apache.spark.sql.vectorized.ColumnVector

/** Looks at every record key of a base file that is read for a write anyway. */
private[spark] trait KeyCheck {

  /** The keys of the next batch: the first `rows` values. Raises what keeps the file from being written to. */
  def check(keys: ColumnVector, rows: Int): Unit
}

private[spark] object KeyCheck {
  object None extends KeyCheck {
    override def check(keys: ColumnVector, rows: Int): Unit = ()
  }
}
