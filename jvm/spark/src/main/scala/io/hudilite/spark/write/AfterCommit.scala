package io.hudilite.spark.write

import io.hudilite.table.Table

/** What follows a committed write, on the driver. It must not throw: the write is visible. */
trait AfterCommit {

  /** @param table
    *   the table that was written to, as it was before
    */
  def apply(target: WriteTarget, table: Table): Unit
}

object AfterCommit {
  object Nothing extends AfterCommit {
    override def apply(target: WriteTarget, table: Table): Unit = ()
  }
}
