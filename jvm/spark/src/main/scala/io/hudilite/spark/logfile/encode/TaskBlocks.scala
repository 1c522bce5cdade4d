package io.hudilite.spark.logfile.encode

import io.hudilite.log.RowPosition
import io.hudilite.spark.basefile.encode.{BaseFileLayout, SequenceNumbers}
import io.hudilite.spark.row.CarriedSchema

import org.apache.avro.Schema
import org.apache.spark.sql.catalyst.{InternalRow, ProjectingInternalRow}
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** State shared by the log blocks of one task attempt that have equal columns. A task has one block open at a time, and
  * one of new keys.
  */
private[spark] final class TaskBlocks(val layout: BaseFileLayout, val sequence: SequenceNumbers) {

  /** Encoder of the table's columns. */
  lazy val columns: AvroRecord = AvroEncoder.record(layout.dataSchema)

  /** The bytes of the open block. */
  lazy val buffer: AvroBuffer = new AvroBuffer()

  /** The bytes of the open block of keys that the base file lacks. */
  lazy val absentBuffer: AvroBuffer = new AvroBuffer()

  /** State for blocks that have only these of the data columns. */
  def only(columns: Seq[Int]): TaskBlocks = {
    val written = new Schema.Parser().parse(layout.avroSchema)
    val (meta, data) = written.getFields.asScala.toList.splitAt(written.getFields.size - layout.dataSchema.size)
    val fields = (meta ++ columns.map(data)).map(f => new Schema.Field(f, f.schema))
    val schema = Schema.createRecord(written.getName, written.getDoc, written.getNamespace, false, fields.asJava)
    new TaskBlocks(
      layout.copy(dataSchema = StructType(columns.map(layout.dataSchema(_))), avroSchema = schema.toString), sequence)
  }
}

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

  private val dataView = ProjectingInternalRow(blocks.layout.dataSchema, columns.toIndexedSeq)

  /** The columns of such a record, of those of `CarriedSchema`. The row is reused. */
  def of(kept: InternalRow): InternalRow = {
    view.project(kept)
    view
  }

  /** The columns of such a record, of the data columns of a row. The row is reused. */
  def ofData(row: InternalRow): InternalRow = {
    dataView.project(row)
    dataView
  }
}

/** Rows of the base file that the records of an open log block replace. Of use only when every record names one, in
  * ascending order, or when the base file has rows of none.
  */
private[spark] final class BlockPositions {

  private var rows = new Array[Long](64)
  private var count = 0
  private var absent = false
  private var usable = true

  def add(position: Long): Unit = if (usable) {
    // hot path; an unknown position is less than every known one
    if (position == RowPosition.Absent && count == 0) absent = true
    else if (absent || position < 0 || (count > 0 && position <= rows(count - 1))) usable = false
    else {
      if (count == rows.length) rows = java.util.Arrays.copyOf(rows, count * 2)
      rows(count) = position
      count += 1
    }
  }

  /** The positions of all records since the last call; none when the base file has no rows of them. */
  def take(): Option[Array[Long]] = {
    val taken = if (usable && (absent || count > 0)) Some(java.util.Arrays.copyOf(rows, count)) else None
    count = 0
    absent = false
    usable = true
    taken
  }
}
