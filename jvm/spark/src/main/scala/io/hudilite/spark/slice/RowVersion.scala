package io.hudilite.spark.slice

import io.hudilite.merge.Version
import io.hudilite.spark.row.MissingOrdering

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** A row as one side of a merge; moves from row to row. One that deletes its key and lacks an ordering value does so in
  * the order of commits, as in a log.
  *
  * @param ordinals
  *   of the columns with the ordering values that are compared
  */
private[spark] final class RowVersion(schema: StructType, ordinals: Array[Int]) extends Version {

  private val types = ordinals.map(schema(_).dataType)
  private val lacks = new MissingOrdering(ordinals, types)
  private var row: InternalRow = _
  private var deletes = false

  /** @param next
    *   null for a delete without ordering values
    */
  def moveTo(next: InternalRow, isDelete: Boolean = false): RowVersion = {
    row = next
    deletes = isDelete || next == null
    this
  }

  override def ordering(field: Int): Any =
    if (row.isNullAt(ordinals(field))) null else row.get(ordinals(field), types(field))

  override def isDelete: Boolean = deletes

  override def isUnordered: Boolean = row == null || deletes && lacks(row)
}
