package io.hudilite.spark.logfile.read

import io.hudilite.schema.ColumnNames

import org.apache.avro.Schema
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** How records of one written schema become rows: fields that are not wanted are passed over, wanted ones that the record
  * lacks are null, and types that are narrower in the file are widened. A value that cannot be read as the table's type raises
  * `UnsupportedTable` when this is made.
  *
  * @param written
  *   schema of the block
  * @param path
  *   the log file, for errors
  * @param names
  *   under which names the wanted columns are in the schema
  */
private[read] final class AvroRowPlan(written: Schema, val wanted: StructType, path: String, names: ColumnNames) {

  val ordinals: Array[Int] = AvroValues.ordinals(written, wanted, names)

  val readers: Array[AvroValue] = {
    val values = new AvroValues(path)
    written.getFields.asScala.toArray.zip(ordinals).map {
      case (field, -1) => SkippedValue.of(field.schema)
      case (field, ordinal) =>
        values.of(field.schema, wanted(ordinal).dataType, field.name, AvroValues.inside(wanted(ordinal), names))
    }
  }

  /** By the position of a wanted column whether records have it. */
  def present: Array[Boolean] = wanted.indices.map(ordinals.contains(_)).toArray

  /** Behind the last wanted field nothing is looked at. */
  val lastWanted: Int = ordinals.lastIndexWhere(_ >= 0)
}

/** Decodes records of an Avro data block straight into rows, without an object of Avro in between. */
final class AvroRowDecoder private[spark] (plan: AvroRowPlan) {

  /** As [[AvroRowPlan]]. */
  def this(written: Schema, wanted: StructType, path: String) =
    this(new AvroRowPlan(written, wanted, path, ColumnNames.Same))

  private val cursor = new AvroCursor
  private val row = new SpecificInternalRow(plan.wanted)
  private val ordinals = plan.ordinals
  private val readers = plan.readers
  private val lastWanted = plan.lastWanted
  plan.wanted.indices.foreach(row.setNullAt)

  /** The record in bytes `[offset, offset + length)`; the row is reused, and its texts point into `bytes`. A record
    * whose bytes break the schema raises `DamagedRecord`.
    */
  private[spark] def decode(bytes: Array[Byte], offset: Int, length: Int): InternalRow = {
    // hot path
    cursor.over(bytes, offset, length)
    var i = 0
    while (i <= lastWanted) {
      if (ordinals(i) >= 0) readers(i).set(cursor, row, ordinals(i)) else readers(i).value(cursor)
      i += 1
    }
    if (i == readers.length && !cursor.isAtEnd) throw new DamagedRecord(s"${cursor.remaining} bytes are left over")
    row
  }
}
