package io.hudilite.spark.logfile.encode

import io.hudilite.spark.row.CarriedSchema

import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}

/** Records that have the same ones of a table's columns and no others: their blocks have a schema of their own.
  *
  * @param columns
  *   positions of the data columns that they have, in ascending order
  */
private[spark] final class PartialRecords(task: TaskBlocks, columns: Seq[Int]) {

  /** How their blocks are made. */
  val blocks: TaskBlocks = task.only(columns)

  private val view = ProjectingInternalRow(CarriedSchema.schema(blocks.layout.dataSchema),
    CarriedSchema.Meta.indices ++ columns.map(_ + CarriedSchema.Meta.size))

  /** The columns that such a record has of those of `CarriedSchema`; the row is reused. */
  def of(kept: InternalRow): InternalRow = {
    view.project(kept)
    view
  }
}
