package io.hudilite.codec.avro

import org.apache.avro.Schema
import org.apache.avro.Schema.Type

import scala.collection.JavaConverters._

/** Records of any schema, read as the schema says. Texts are `String`, arrays `Seq`, maps `Map`, records [[AvroFields]],
  * null `null`. Damaged bytes end in an `IllegalArgumentException`, see [[AvroInput]].
  */
private[hudilite] object AvroCodecValues {

  // A schema may contain itself, so a few bytes could ask for any depth.
  private val MaxDepth = 100

  /** @param wanted
    *   names of the fields to keep; others count as absent
    */
  def record(schema: Schema, in: AvroInput, wanted: String => Boolean = _ => true): AvroFields = {
    if (schema.getType != Type.RECORD) throw new IllegalArgumentException(s"a ${schema.getType} is no record")
    fields(schema, in, wanted, 0)
  }

  private def fields(schema: Schema, in: AvroInput, wanted: String => Boolean, depth: Int): AvroFields = {
    val values = new Array[Any](schema.getFields.size)
    schema.getFields.asScala.foreach { field =>
      val read = value(field.schema, in, depth)
      if (wanted(field.name)) values(field.pos) = read
    }
    new AvroFields(schema, values)
  }

  private def value(schema: Schema, in: AvroInput, depth: Int): Any = {
    if (depth > MaxDepth) throw new IllegalArgumentException(s"values within $MaxDepth others")
    def inner(of: Schema): Any = value(of, in, depth + 1)
    schema.getType match {
      case Type.NULL => null
      case Type.BOOLEAN => in.boolean()
      case Type.INT => in.int()
      case Type.LONG => in.long()
      case Type.FLOAT => in.float()
      case Type.DOUBLE => in.double()
      case Type.STRING => in.text()
      case Type.BYTES => in.bytes()
      case Type.FIXED => in.bytes(schema.getFixedSize.toLong)
      case Type.ENUM => choice(schema.getEnumSymbols, in)
      case Type.UNION => inner(choice(schema.getTypes, in))
      case Type.ARRAY => in.items(inner(schema.getElementType))
      case Type.MAP => in.items(in.text() -> inner(schema.getValueType)).toMap
      case Type.RECORD => fields(schema, in, _ => true, depth + 1)
    }
  }

  private def choice[T](among: java.util.List[T], in: AvroInput): T = {
    val number = in.int()
    if (number < 0 || number >= among.size)
      throw new IllegalArgumentException(s"the choice $number among ${among.size}")
    among.get(number)
  }
}

/** Access by name to a record of any schema; a field that is absent or null is `None` or empty. */
private[hudilite] final class AvroFields(schema: Schema, values: Array[Any]) {

  /** Name of the record's type, without its namespace. */
  def typeName: String = schema.getName

  /** Names of the fields, in the order of the schema. */
  def names: Seq[String] = schema.getFields.asScala.map(_.name).toList

  /** The value as it was read. */
  def value(name: String): Option[Any] =
    Option(schema.getField(name)).flatMap(f => Option[Any](values(f.pos)))

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
    case Some(map: Map[_, _]) => map.map { case (k, v) => k.toString -> (v: Any) }
    case Some(other) => throw unexpected(name, other)
  }

  private def items(name: String, value: Any): Seq[Any] = value match {
    case null => Nil
    case list: Seq[_] => list
    case other => throw unexpected(name, other)
  }

  private def fields(name: String, value: Any): AvroFields = value match {
    case child: AvroFields => child
    case other => throw unexpected(name, other)
  }

  private def unexpected(name: String, value: Any): IllegalArgumentException =
    new IllegalArgumentException(s"the field $name is '$value'")
}
