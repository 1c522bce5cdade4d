package io.hudilite.spark.slice

import org.apache.spark.sql.catalyst.InternalRow

/** Told what becomes of each row of a base file that has a newer version, and of each newer version without such a row.
  * Two loops merge and tell it: one on the way to a reader, the other on the way into the next base file. Rows without a
  * newer version are none of its business; most of them are not even looked at.
  *
  * @tparam Old
  *   how the loop shows the row of the base file: as it was, and only during the call
  */
private[spark] trait OutcomeSink[-Old] {

  /** The old row stays, the newer version comes too late. */
  def kept(old: Old): Unit

  /** This row stands in the place of the old one. */
  def replaced(old: Old, row: InternalRow): Unit

  /** Nothing stands in the place of the old row. */
  def deleted(old: Old): Unit

  /** The newer version has no old row. */
  def inserted(row: InternalRow): Unit
}
