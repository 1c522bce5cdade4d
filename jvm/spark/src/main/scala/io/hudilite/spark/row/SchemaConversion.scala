package io.hudilite.spark.row

import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.record.{MetaFields, ReservedNames}
import io.hudilite.spark.shim.TimesOfDay

import org.apache.avro.{JsonProperties, LogicalType, LogicalTypes, Schema, SchemaParseException}
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** Conversion of the table schema between Avro, as Hudi records it in commits, and Spark.
  *
  * Names and namespaces of nested records and decimals are Hudi's. So a schema written here is equal to the one that
  * Hudi derives from these columns (docs/format.md#schema).
  */
object SchemaConversion {

  private val LocalMillis = "local-timestamp-millis"
  private val LocalMicros = "local-timestamp-micros"

  /** Columns of the record schema `avroJson`, with its nullability. */
  def toSpark(avroJson: String): StructType = {
    val schema = try new Schema.Parser().parse(avroJson)
    catch { case e: SchemaParseException => throw unreadable("the whole schema", avroJson, e.getMessage) }
    if (schema.getType != Schema.Type.RECORD)
      throw unreadable("the whole schema", schema.getType.getName, "it is no record")
    val columns = structOf(schema, Nil)
    columns.foreach(c => ReservedNames.unreadable(c.name).foreach(r => throw unreadable(c.name, c.dataType.sql, r)))
    columns
  }

  /** The columns as rows have them. Each may be null, whatever the schema says, since files and log blocks older than a
    * column have no values of it.
    */
  def columns(avroJson: String): StructType = Nullability.relaxed(toSpark(avroJson))

  /** Avro JSON of record `<table>_record` in namespace `hoodie.<table>`; `withMeta` puts the meta columns first. */
  def toAvro(schema: StructType, tableName: String, withMeta: Boolean): String = {
    val name = sanitize(tableName)
    val meta = if (withMeta) MetaFields.all.map(StructField(_, StringType)) else Nil
    val columns = StructType(meta ++ schema.fields.filterNot(f => withMeta && MetaFields.all.contains(f.name)))
    recordOf(columns, s"${name}_record", s"hoodie.$name", Nil).toString
  }

  // ---- Avro to Spark

  private def structOf(record: Schema, parents: List[String]): StructType = {
    if (parents.contains(record.getFullName))
      throw unreadable(record.getFullName, "record", "a record that contains itself has no Spark type")
    ReservedNames.alike(record.getFields.asScala.map(_.name).toSeq).foreach { case (one, other) =>
      throw unreadable(other, "a name", s"it differs from the name $one only by case")
    }
    StructType(record.getFields.asScala.map { field =>
      val (dataType, nullable) = typeOf(field.schema, field.name, record.getFullName :: parents)
      val plain = StructField(field.name, dataType, nullable)
      Option(field.doc).filter(_.nonEmpty).fold(plain)(plain.withComment)
    }.toArray)
  }

  private def typeOf(schema: Schema, column: String, parents: List[String]): (DataType, Boolean) =
    schema.getType match {
      case Schema.Type.UNION => unionOf(schema, column, parents)
      case Schema.Type.NULL => (NullType, true)
      case Schema.Type.RECORD => (structOf(schema, parents), false)
      case Schema.Type.ARRAY =>
        val (element, containsNull) = typeOf(schema.getElementType, column, parents)
        (ArrayType(element, containsNull), false)
      case Schema.Type.MAP =>
        val (value, containsNull) = typeOf(schema.getValueType, column, parents)
        (MapType(StringType, value, containsNull), false)
      case _ => (atomOf(schema, column), false)
    }

  /** A union with null is a nullable type. Of other unions only those with a common wider number have a Spark type. */
  private def unionOf(union: Schema, column: String, parents: List[String]): (DataType, Boolean) = {
    val (nulls, rest) = union.getTypes.asScala.toList.partition(_.getType == Schema.Type.NULL)
    val dataType = rest match {
      case List(one) => typeOf(one, column, parents)._1
      case Nil => NullType
      case many => many.map(_.getType).toSet match {
          case kinds if kinds == Set(Schema.Type.INT, Schema.Type.LONG) => LongType
          case kinds if kinds == Set(Schema.Type.FLOAT, Schema.Type.DOUBLE) => DoubleType
          case _ => throw unreadable(column, union.toString, "its branches have no common type")
        }
    }
    (dataType, nulls.nonEmpty)
  }

  private def atomOf(schema: Schema, column: String): DataType = {
    val logical = Option(schema.getLogicalType)
    schema.getType match {
      case Schema.Type.BOOLEAN => BooleanType
      case Schema.Type.INT => intOf(logical, column)
      case Schema.Type.LONG => longOf(schema, logical, column)
      case Schema.Type.FLOAT => FloatType
      case Schema.Type.DOUBLE => DoubleType
      case Schema.Type.STRING | Schema.Type.ENUM => StringType
      case Schema.Type.BYTES | Schema.Type.FIXED => logical match {
          case Some(d: LogicalTypes.Decimal) => decimalOf(d, column)
          case _ => BinaryType
        }
      case other => throw unreadable(column, other.getName, "Spark has no such type")
    }
  }

  private def intOf(logical: Option[LogicalType], column: String): DataType = logical match {
    case Some(_: LogicalTypes.Date) => DateType
    case Some(t: LogicalTypes.TimeMillis) => timeOf(column, t.getName, digits = 3)
    case _ => IntegerType
  }

  /** The local kinds are looked up by name: a `Schema.Parser` that does not know a logical type keeps it as a property.
    */
  private def longOf(schema: Schema, logical: Option[LogicalType], column: String): DataType =
    logical.map(_.getName).orElse(Option(schema.getProp(LogicalType.LOGICAL_TYPE_PROP))) match {
      case Some("timestamp-millis" | "timestamp-micros") => TimestampType
      case Some(LocalMillis | LocalMicros) => TimestampNTZType
      case Some("time-micros") => timeOf(column, "time-micros", digits = 6)
      case Some(nanos) if nanos.endsWith("-nanos") =>
        throw unreadable(column, nanos, "Spark's timestamps have microseconds")
      case _ => LongType
    }

  private def timeOf(column: String, logical: String, digits: Int): DataType =
    TimesOfDay.of(digits).fold(reason => throw unreadable(column, logical, reason), identity)

  private def decimalOf(decimal: LogicalTypes.Decimal, column: String): DataType =
    if (decimal.getPrecision <= DecimalType.MAX_PRECISION) DecimalType(decimal.getPrecision, decimal.getScale)
    else throw unreadable(column, s"decimal(${decimal.getPrecision})",
      s"Spark's decimals end at ${DecimalType.MAX_PRECISION}")

  private def unreadable(column: String, dataType: String, reason: String): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_SCHEMA", "column" -> column, "type" -> dataType, "reason" -> reason)

  // ---- Spark to Avro

  private def recordOf(struct: StructType, name: String, namespace: String, path: List[String]): Schema = {
    val children = s"$namespace.$name"
    SchemaAlignment.checkAlike(struct, path)
    val fields = struct.fields.map { f =>
      val at = f.name :: path
      checkName(f.name, at)
      val base = avroOf(f.dataType, f.name, children, at)
      val doc = f.getComment().orNull
      if (f.nullable) new Schema.Field(f.name, nullable(base), doc, JsonProperties.NULL_VALUE)
      else new Schema.Field(f.name, base, doc)
    }
    Schema.createRecord(name, null, namespace, false, fields.toList.asJava)
  }

  private def nullable(base: Schema): Schema = Schema.createUnion(Schema.create(Schema.Type.NULL), base)

  private def avroOf(dataType: DataType, name: String, namespace: String, path: List[String]): Schema = dataType match {
    case s: StructType if s.isEmpty => throw unwritable(s, path, "Parquet has no struct without fields")
    case s: StructType => recordOf(s, name, namespace, path)
    case ArrayType(element, containsNull) =>
      val items = avroOf(element, name, namespace, path)
      Schema.createArray(if (containsNull) nullable(items) else items)
    case MapType(StringType, value, containsNull) =>
      val values = avroOf(value, name, namespace, path)
      Schema.createMap(if (containsNull) nullable(values) else values)
    case d: DecimalType =>
      val fixed = Schema.createFixed("fixed", null, s"$namespace.$name", minBytes(d.precision))
      LogicalTypes.decimal(d.precision, d.scale).addToSchema(fixed)
    case other => avroAtom(other, path)
  }

  private def avroAtom(dataType: DataType, path: List[String]): Schema = dataType match {
    case BooleanType => Schema.create(Schema.Type.BOOLEAN)
    case ByteType | ShortType | IntegerType => Schema.create(Schema.Type.INT)
    case LongType => Schema.create(Schema.Type.LONG)
    case FloatType => Schema.create(Schema.Type.FLOAT)
    case DoubleType => Schema.create(Schema.Type.DOUBLE)
    case StringType => Schema.create(Schema.Type.STRING)
    case BinaryType => Schema.create(Schema.Type.BYTES)
    case DateType => LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT))
    case TimestampType => LogicalTypes.timestampMicros().addToSchema(Schema.create(Schema.Type.LONG))
    case TimestampNTZType => LogicalTypes.localTimestampMicros().addToSchema(Schema.create(Schema.Type.LONG))
    case time if TimesOfDay.isOne(time) => throw unwritable(time, path, "times of day can be read, but not written")
    case other => throw unwritable(other, path, "Hudi's Avro schema has no such type")
  }

  private def unwritable(dataType: DataType, path: List[String], reason: String): InvalidInput =
    InvalidInput("UNSUPPORTED_COLUMN_TYPE", "column" -> path.reverse.mkString("."), "type" -> dataType.catalogString,
      "reason" -> reason)

  /** Bytes of the smallest two's complement number that holds every decimal of this precision. */
  private[spark] def minBytes(precision: Int): Int = {
    val greatest = BigInt(10).pow(precision) - 1
    greatest.bitLength / 8 + 1
  }

  private def checkName(name: String, path: List[String]): Unit =
    ReservedNames.unwritable(name, inStruct = path.size > 1).foreach(reason =>
      throw InvalidInput("INVALID_COLUMN_NAME", "column" -> path.reverse.mkString("."), "reason" -> reason))

  /** Hudi's own rule for table names that Avro does not accept as names. */
  private def sanitize(tableName: String): String = {
    val first = if (tableName.headOption.exists(c => c.isLetter && c < 128 || c == '_')) tableName
    else if (tableName.isEmpty) "__" else "__" + tableName.tail
    first.replaceAll("[^A-Za-z0-9_]", "__")
  }
}
