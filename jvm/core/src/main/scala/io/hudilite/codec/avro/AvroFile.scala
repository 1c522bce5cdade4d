package io.hudilite.codec.avro

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, EOFException}

import org.apache.avro.Schema
import org.apache.avro.file.{DataFileStream, DataFileWriter}
import org.apache.avro.generic.{GenericData, GenericDatumReader, GenericDatumWriter, GenericRecord}

import scala.collection.JavaConverters._
import scala.util.control.NonFatal

/** Avro object container files with exactly one record, uncompressed: what the timeline is written in. */
private[hudilite] object AvroFile {

  private val Magic = Array[Byte]('O', 'b', 'j', 1)

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

  /** The record in the schema that it was written with; fields are looked up by name, so versions may differ. */
  def read(bytes: Array[Byte]): AvroFields = {
    val reader = new DataFileStream(new ByteArrayInputStream(bytes), new GenericDatumReader[GenericRecord]())
    try {
      if (!reader.hasNext) throw new IllegalArgumentException("it holds no record")
      new AvroFields(reader.next())
    } finally reader.close()
  }

  /** The bytes are the first ones of a file. */
  def isPartOfMagic(bytes: Array[Byte]): Boolean = bytes.length < Magic.length && Magic.startsWith(bytes)

  /** The file ends before its one record does. */
  def isCutShort(bytes: Array[Byte]): Boolean =
    try {
      val reader = new DataFileStream(new ByteArrayInputStream(bytes), new GenericDatumReader[GenericRecord]())
      try !reader.hasNext
      finally reader.close()
    } catch {
      case NonFatal(e) => Iterator.iterate[Throwable](e)(_.getCause).takeWhile(_ != null)
          .exists(_.isInstanceOf[EOFException])
    }

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
}

/** Access by name to a record of any schema; a field that is absent or null is `None` or empty. */
private[hudilite] final class AvroFields(record: GenericRecord) {

  private def value(name: String): Option[Any] =
    Option(record.getSchema.getField(name)).flatMap(f => Option[Any](record.get(f.pos)))

  def text(name: String): Option[String] = value(name).map(_.toString)

  def long(name: String): Option[Long] = value(name).map {
    case n: java.lang.Number => n.longValue
    case other => throw unexpected(name, other)
  }

  def number(name: String): Long = long(name).getOrElse(0L)

  def flag(name: String): Boolean = value(name).exists(_ == true)

  def texts(name: String): Seq[String] = value(name).map(items(name, _).map(_.toString)).getOrElse(Nil)

  def child(name: String): Option[AvroFields] = value(name).map(fields(name, _))

  def children(name: String): Seq[AvroFields] = value(name).map(items(name, _).map(fields(name, _))).getOrElse(Nil)

  def textMap(name: String): Map[String, String] = entries(name).map { case (k, v) => k -> String.valueOf(v) }

  def textsMap(name: String): Map[String, Seq[String]] =
    entries(name).map { case (k, v) => k -> items(name, v).map(_.toString) }

  def longMap(name: String): Map[String, Long] = entries(name).collect {
    case (k, n: java.lang.Number) => k -> n.longValue
  }

  def doubleMap(name: String): Map[String, Double] = entries(name).collect {
    case (k, n: java.lang.Number) => k -> n.doubleValue
  }

  def childMap(name: String): Map[String, AvroFields] = entries(name).map { case (k, v) => k -> fields(name, v) }

  def childrenMap(name: String): Map[String, Seq[AvroFields]] =
    entries(name).map { case (k, v) => k -> items(name, v).map(fields(name, _)) }

  private def entries(name: String): Map[String, Any] = value(name) match {
    case None => Map.empty
    case Some(map: java.util.Map[_, _]) => map.asScala.map { case (k, v) => k.toString -> (v: Any) }.toMap
    case Some(other) => throw unexpected(name, other)
  }

  private def items(name: String, value: Any): Seq[Any] = value match {
    case null => Nil
    case list: java.util.Collection[_] => list.asScala.toList
    case other => throw unexpected(name, other)
  }

  private def fields(name: String, value: Any): AvroFields = value match {
    case child: GenericRecord => new AvroFields(child)
    case other => throw unexpected(name, other)
  }

  private def unexpected(name: String, value: Any): IllegalArgumentException =
    new IllegalArgumentException(s"the field $name is '$value'")
}
