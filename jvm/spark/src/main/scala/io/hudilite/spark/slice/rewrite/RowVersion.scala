package io.hudilite.spark.slice.rewrite

import io.hudilite.spark.logfile.read.NewerVersion
import io.hudilite.spark.row.{CarriedSchema, ColumnGaps, MissingOrdering}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.StructType

/** A row of a write as the newer side of a merge; moves from row to row. One that deletes its key and lacks an ordering value does so in
  * the order of commits, as in a log.
  *
  * @param ordinals
  *   of the columns with the ordering values that are compared
  * @param gaps
  *   values of the columns that say nothing
  */
private[spark] final class RowVersion(schema: StructType, ordinals: Array[Int], gaps: Option[ColumnGaps])
    extends NewerVersion {

  private val types = ordinals.map(schema(_).dataType)
  private val lacks = new MissingOrdering(ordinals, types)
  private var current: InternalRow = _
  private var deletes = false

  /** @param next
    *   null for a delete without ordering values
    */
  def moveTo(next: InternalRow, isDelete: Boolean = false): RowVersion = {
    current = next
    deletes = isDelete || next == null
    this
  }

  override def ordering(field: Int): Any =
    if (current.isNullAt(ordinals(field))) null else current.get(ordinals(field), types(field))

  override def isDelete: Boolean = deletes

  override def row: InternalRow = current

  override def over(base: Int => Any): InternalRow = {
    val filled = gapsOf.filled(value, ofData(base))
    if (filled == null) current else new GenericInternalRow(filled)
  }

  override def under(base: Int => Any): InternalRow = {
    val filled = gapsOf.filled(ofData(base), value)
    if (filled == null) null else new GenericInternalRow(filled)
  }

  private def gapsOf: ColumnGaps = gaps.getOrElse(throw new IllegalStateException("it has all columns"))

  private def value(column: Int): Any =
    if (current.isNullAt(column)) null else current.get(column, schema(column).dataType)

  // An old row has Hudi's columns before its own.
  private def ofData(base: Int => Any): Int => Any = column => base(column + CarriedSchema.Meta.size)

  override def isUnordered: Boolean = current == null || deletes && lacks(current)
}
