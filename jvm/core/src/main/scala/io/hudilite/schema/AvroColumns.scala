package io.hudilite.schema

import org.apache.avro.{LogicalType, LogicalTypes, Schema}

import scala.collection.JavaConverters._

/** Columns of Avro schemas, with types named as in schema-on-read: pure. */
private[schema] object AvroColumns {

  def parse(json: String): Schema = new Schema.Parser().parse(json)

  /** The branch that is not null, and whether null is one. */
  def nullable(schema: Schema): (Schema, Boolean) =
    if (schema.getType != Schema.Type.UNION) (schema, false)
    else {
      val (nulls, rest) = schema.getTypes.asScala.toList.partition(_.getType == Schema.Type.NULL)
      rest match {
        case List(one) => (one, nulls.nonEmpty)
        case _ => (schema, nulls.nonEmpty)
      }
    }

  /** Type by the path of each column and of each field inside. The elements of a list are `element`, the values of a
    * map `value`.
    */
  def types(record: Schema, path: List[String] = Nil): Map[Seq[String], String] =
    record.getFields.asScala.flatMap(f => typesAt(nullable(f.schema)._1, f.name :: path)).toMap

  private def typesAt(schema: Schema, path: List[String]): Map[Seq[String], String] = schema.getType match {
    case Schema.Type.RECORD => types(schema, path) + (path.reverse -> "record")
    case Schema.Type.ARRAY =>
      typesAt(nullable(schema.getElementType)._1, "element" :: path) + (path.reverse -> "array")
    case Schema.Type.MAP => typesAt(nullable(schema.getValueType)._1, "value" :: path) + (path.reverse -> "map")
    case _ => Map(path.reverse -> atom(schema))
  }

  /** Hudi's text for a type without columns inside. */
  def atom(schema: Schema): String = {
    val logical = Option(schema.getLogicalType).map(_.getName)
      .orElse(Option(schema.getProp(LogicalType.LOGICAL_TYPE_PROP)))
    (schema.getType, logical) match {
      case (Schema.Type.FIXED, Some("decimal")) => s"decimal_fixed${digits(schema)}[${schema.getFixedSize}]"
      case (Schema.Type.BYTES, Some("decimal")) => s"decimal_bytes${digits(schema)}"
      case (Schema.Type.FIXED, _) => s"fixed[${schema.getFixedSize}]"
      case (Schema.Type.BYTES, _) => "binary"
      case (Schema.Type.INT, Some("date")) => "date"
      case (Schema.Type.LONG, Some("timestamp-micros")) => "timestamp"
      case (Schema.Type.LONG, Some(other)) => other
      case (Schema.Type.ENUM, _) => "string"
      case (other, _) => other.getName
    }
  }

  private def digits(schema: Schema): String = schema.getLogicalType match {
    case d: LogicalTypes.Decimal => s"(${d.getPrecision}, ${d.getScale})"
    case _ => ""
  }

  /** Decimals are one type, however they are stored. */
  def sameType(a: String, b: String): Boolean = plain(a) == plain(b)

  /** True when both are decimals, and the second one has all digits of the first before and behind the point. */
  def widerDecimal(narrow: String, wide: String): Boolean = (narrow, wide) match {
    case (Decimal(p, s), Decimal(inWide, atWide)) =>
      atWide.toInt >= s.toInt && inWide.toInt - atWide.toInt >= p.toInt - s.toInt
    case _ => false
  }

  private def plain(name: String): String = name match {
    case Decimal(precision, scale) => s"decimal($precision,$scale)"
    case other => other
  }

  private val Decimal = "decimal[a-z_]*\\((\\d+), *(\\d+)\\).*".r
}

/** Compares the columns of Avro schemas: pure. */
object ColumnSets {

  /** Every column of `part` is in `whole`, with the same type, names compared exactly. */
  def contains(whole: String, part: String): Boolean = whole == part || {
    val all = AvroColumns.types(AvroColumns.parse(whole))
    AvroColumns.types(AvroColumns.parse(part)).forall { case (path, name) =>
      all.get(path).exists(AvroColumns.sameType(_, name))
    }
  }

  /** Every column of `before` is in `after`, with the same type or a wider one. */
  def growsTo(before: String, after: String): Boolean = before == after || {
    val all = AvroColumns.types(AvroColumns.parse(after))
    AvroColumns.types(AvroColumns.parse(before)).forall { case (path, name) =>
      all.get(path).exists(wide =>
        AvroColumns.sameType(wide, name) || Wider(name -> wide) || AvroColumns.widerDecimal(name, wide))
    }
  }

  private val Wider = Set("int" -> "long", "int" -> "float", "int" -> "double", "long" -> "float", "long" -> "double",
    "float" -> "double")
}
