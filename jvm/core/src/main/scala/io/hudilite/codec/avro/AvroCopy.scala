package io.hudilite.codec.avro

import org.apache.avro.Schema
import org.apache.avro.Schema.Type
import org.apache.avro.generic.{GenericData, GenericRecord}

import scala.collection.JavaConverters._

/** Records of one schema as records of another. */
private[hudilite] object AvroCopy {

  /** The record with the fields of `target`, taken by name. Fields that `from` lacks get their defaults. */
  def record(target: Schema, from: AvroFields): GenericRecord = {
    val record = new GenericData.Record(target)
    target.getFields.asScala.foreach { field =>
      record.put(field.pos, from.value(field.name).map(value(field.schema, _)).getOrElse(default(field)))
    }
    record
  }

  // Some of Hudi's fields may be null and have no default.
  private def default(field: Schema.Field): Any =
    if (!field.hasDefaultValue && field.schema.isNullable) null else GenericData.get.getDefaultValue(field)

  private def value(target: Schema, from: Any): Any = (target.getType, from) match {
    case (Type.UNION, null) => null
    case (Type.UNION, _) => value(target.getTypes.asScala.find(_.getType != Type.NULL).get, from)
    case (Type.RECORD, fields: AvroFields) => record(target, fields)
    case (Type.ARRAY, items: Seq[_]) => items.map(value(target.getElementType, _)).asJava
    case (Type.MAP, entries: Map[_, _]) =>
      entries.map { case (key, v) => key.toString -> value(target.getValueType, v) }.asJava
    case (Type.LONG, number: Number) => number.longValue
    case (Type.INT, number: Number) => number.intValue
    case (Type.DOUBLE, number: Number) => number.doubleValue
    case (Type.STRING, text: String) => text
    case (Type.BOOLEAN, flag: Boolean) => flag
    case (other, _) => throw new IllegalArgumentException(s"$from is no value of the type $other")
  }
}
