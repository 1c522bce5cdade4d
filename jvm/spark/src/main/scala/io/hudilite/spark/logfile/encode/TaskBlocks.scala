package io.hudilite.spark.logfile.encode

import io.hudilite.spark.basefile.encode.{BaseFileLayout, SequenceNumbers}

import org.apache.avro.Schema
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
