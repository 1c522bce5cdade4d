package io.hudilite.codec.avro

import io.hudilite.storage.WeightedCache

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.avro.Schema
import org.apache.avro.Schema.Type
import org.apache.avro.file.DataFileWriter
import org.apache.avro.generic.{GenericData, GenericDatumWriter, GenericRecord}

import scala.collection.JavaConverters._
import scala.util.control.NonFatal

/** Avro object container files with exactly one record, uncompressed. The timeline is written in them. */
private[hudilite] object AvroFile {

  private val Magic = Array[Byte]('O', 'b', 'j', 1)
  private val SyncBytes = 16L
  private val PlainCodec = "null"
  private val KnownSchemas = 64L
  private val LongestKnown = 64 * 1024

  def isAvro(bytes: Array[Byte]): Boolean = bytes.startsWith(Magic)

  def write(record: GenericRecord): Array[Byte] = {
    val out = new ByteArrayOutputStream()
    val writer = new DataFileWriter(new GenericDatumWriter[GenericRecord](record.getSchema))
    try {
      writer.create(record.getSchema, out)
      writer.append(record)
    } finally writer.close()
    out.toByteArray
  }

  /** The record in the schema that it was written with; fields are looked up by name, so versions may differ.
    *
    * Bytes that are no such file end in an `IllegalArgumentException`, or in one of Avro's about the schema. They cost
    * memory in proportion to their number at most.
    */
  def read(bytes: Array[Byte]): AvroFields = {
    val (schema, block) = parts(bytes)
    val record = AvroCodecValues.record(parsed(schema), block)
    if (block.remaining > 0) throw new IllegalArgumentException(s"its record has ${block.remaining} bytes too many")
    record
  }

  // A timeline has many files of few schemas, and to parse one costs more than to read the record.
  private val known = new WeightedCache[String, Schema](KnownSchemas)

  // A longer one, which no writer has, is not worth keeping.
  private def parsed(schema: String): Schema =
    if (schema.length > LongestKnown) new Schema.Parser().parse(schema)
    else known.getOrElsePut(schema)(new Schema.Parser().parse(schema))

  /** The schema and the bytes of the one record. */
  private def parts(bytes: Array[Byte]): (String, AvroInput) = {
    if (!isAvro(bytes)) throw new IllegalArgumentException("it is no Avro file")
    val in = new AvroInput(bytes, Magic.length, bytes.length)
    val header = in.items(in.text() -> in.bytes()).toMap
    val sync = in.bytes(SyncBytes)
    def text(key: String): Option[String] = header.get(key).map(new String(_, UTF_8))
    text("avro.codec").filter(_ != PlainCodec).foreach(codec =>
      throw new IllegalArgumentException(s"its compression $codec is not known"))
    val schema = text("avro.schema").getOrElse(throw new IllegalArgumentException("it has no schema"))
    if (in.remaining == 0) throw new AvroInput.Ends("it does not hold one record")
    if (in.long() != 1) throw new IllegalArgumentException("it does not hold one record")
    val block = in.part(in.long())
    if (!in.bytes(SyncBytes).sameElements(sync) || in.remaining > 0)
      throw new IllegalArgumentException("its record does not end where it should")
    (schema, block)
  }

  /** The bytes are the first ones of a file. */
  def isPartOfMagic(bytes: Array[Byte]): Boolean = bytes.length < Magic.length && Magic.startsWith(bytes)

  /** The file ends before its one record does. */
  def isCutShort(bytes: Array[Byte]): Boolean =
    try { parts(bytes); false }
    catch { case _: AvroInput.Ends => true; case NonFatal(_) => false }

  /** A record with the given fields; the others get their defaults. Values are Scala's: `Option`, `Seq`, `Map`. */
  def record(schema: Schema)(values: (String, Any)*): GenericRecord = {
    val set = values.toMap
    val record = new GenericData.Record(schema)
    schema.getFields.asScala.foreach { field =>
      record.put(field.pos,
        set.get(field.name) match {
          case Some(value) => toAvro(value)
          case None => GenericData.get.getDefaultValue(field)
        })
    }
    record
  }

  private def toAvro(value: Any): Any = value match {
    case None => null
    case Some(inner) => toAvro(inner)
    case items: Seq[_] => items.map(toAvro).asJava
    case entries: scala.collection.Map[_, _] => entries.map { case (k, v) => k -> toAvro(v) }.asJava
    case other => other
  }

  /** The record with the fields of `target`, taken by name. Fields that `from` lacks get their defaults. */
  def copied(target: Schema, from: AvroFields): GenericRecord = {
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
    case (Type.RECORD, fields: AvroFields) => copied(target, fields)
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
