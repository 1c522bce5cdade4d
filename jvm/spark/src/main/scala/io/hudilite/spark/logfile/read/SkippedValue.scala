package io.hudilite.spark.logfile.read

import org.apache.avro.Schema

import scala.collection.JavaConverters._

/** Values that nobody wants: their bytes are passed over. */
private[read] object SkippedValue {

  import AvroValue.{NoValue, UnionValue}

  def of(schema: Schema): AvroValue = of(schema, Map.empty)

  /** @param open
    *   the records around the schema, which may hold themselves
    */
  private def of(schema: Schema, open: Map[String, SkippedRecord]): AvroValue = schema.getType match {
    case Schema.Type.NULL => NoValue
    case Schema.Type.BOOLEAN => new SkippedBytes(1)
    case Schema.Type.INT | Schema.Type.LONG | Schema.Type.ENUM => SkippedNumber
    case Schema.Type.FLOAT => new SkippedBytes(4)
    case Schema.Type.DOUBLE => new SkippedBytes(8)
    case Schema.Type.STRING | Schema.Type.BYTES => SkippedText
    case Schema.Type.FIXED => new SkippedBytes(schema.getFixedSize)
    case Schema.Type.RECORD => open.getOrElse(schema.getFullName, recordOf(schema, open))
    case Schema.Type.ARRAY => new SkippedItems(NoValue, of(schema.getElementType, open))
    case Schema.Type.MAP => new SkippedItems(SkippedText, of(schema.getValueType, open))
    case Schema.Type.UNION => new UnionValue(schema.getTypes.asScala.map(of(_, open)).toArray)
  }

  private def recordOf(schema: Schema, open: Map[String, SkippedRecord]): SkippedRecord = {
    val record = new SkippedRecord
    record.fields =
      schema.getFields.asScala.map(field => of(field.schema, open + (schema.getFullName -> record))).toArray
    record
  }

  private object SkippedNumber extends AvroValue {
    override def value(in: AvroCursor): Any = {
      in.readLong()
      null
    }
  }

  private object SkippedText extends AvroValue {
    override def value(in: AvroCursor): Any = {
      in.take(in.readLong())
      null
    }
  }

  private final class SkippedBytes(length: Int) extends AvroValue {
    override def value(in: AvroCursor): Any = {
      in.take(length.toLong)
      null
    }
  }

  private final class SkippedRecord extends AvroValue {
    var fields: Array[AvroValue] = Array.empty
    override def value(in: AvroCursor): Any = {
      var i = 0
      while (i < fields.length) { // hot path
        fields(i).value(in)
        i += 1
      }
      null
    }
  }

  /** An array or, with keys, a map. */
  private final class SkippedItems(key: AvroValue, item: AvroValue) extends AvroValue {
    override def value(in: AvroCursor): Any = {
      var count = in.readItemCount(itemsTakeBytes = false)
      while (count > 0) { // hot path
        var i = 0
        while (i < count) {
          key.value(in)
          item.value(in)
          i += 1
        }
        count = in.readItemCount(itemsTakeBytes = false)
      }
      null
    }
  }
}
