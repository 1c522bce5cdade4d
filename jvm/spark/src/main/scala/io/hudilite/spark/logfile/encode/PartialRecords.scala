package io.hudilite.spark.logfile.encode

import io.hudilite.spark.row.CarriedSchema

import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}

/** Records with some of a table's columns. Blocks hold only records with equal columns, and have a schema of their own.
  *
  * @param columns
  *   positions of their data columns, in ascending order
  */
private[spark] final class PartialRecords(task: TaskBlocks, columns: Seq[Int]) {

  /** Maker of their blocks. */
  val blocks: TaskBlocks = task.only(columns)

  private val view = ProjectingInternalRow(CarriedSchema.schema(blocks.layout.dataSchema),
    CarriedSchema.Meta.indices ++ columns.map(_ + CarriedSchema.Meta.size))

  /** The columns of such a record, of those of `CarriedSchema`. The row is reused. */
  def of(kept: InternalRow): InternalRow = {
    view.project(kept)
    view
  }
}
