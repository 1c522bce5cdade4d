package io.hudilite.spark.basefile.encode

import io.hudilite.error.InvalidInput

import org.apache.parquet.schema.{GroupType, LogicalTypeAnnotation, MessageType, Type, Types}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** The parquet schema of base files.
  *
  * It equals the schema of Hudi's Avro writer for such a table (docs/format.md, base files): timestamps in
  * microseconds, three-level lists, and decimals of every precision as fixed-length bytes. Hudi's Avro reader does not
  * read Spark's integer decimals.
  */
private[spark] object ParquetSchema {

  /** Raises `UNSUPPORTED_COLUMN_TYPE` for a type that has no Avro type in a Hudi schema. */
  def of(schema: StructType): MessageType =
    new MessageType("spark_schema", schema.fields.map(field).toList.asJava)

  private def field(f: StructField): Type = convert(f.name, f.dataType, repetition(f.nullable))

  private def repetition(nullable: Boolean): Type.Repetition =
    if (nullable) Type.Repetition.OPTIONAL else Type.Repetition.REQUIRED

  private def convert(name: String, dataType: DataType, repetition: Type.Repetition): Type = dataType match {
    case struct: StructType => new GroupType(repetition, name, struct.fields.map(field).toList.asJava)
    case ArrayType(element, containsNull) =>
      Types.list(repetition).element(convert("element", element, this.repetition(containsNull))).named(name)
    case MapType(key, value, valueContainsNull) =>
      Types.map(repetition).key(convert("key", key, Type.Repetition.REQUIRED))
        .value(convert("value", value, this.repetition(valueContainsNull))).named(name)
    case atomic => primitive(name, atomic, repetition)
  }

  private def primitive(name: String, dataType: DataType, repetition: Type.Repetition): Type = {
    def plain(physical: PrimitiveTypeName): Type = Types.primitive(physical, repetition).named(name)
    def annotated(physical: PrimitiveTypeName, logical: LogicalTypeAnnotation): Type =
      Types.primitive(physical, repetition).as(logical).named(name)
    def timestamp(utc: Boolean): Type = annotated(PrimitiveTypeName.INT64,
      LogicalTypeAnnotation.timestampType(utc, LogicalTypeAnnotation.TimeUnit.MICROS))
    dataType match {
      case BooleanType => plain(PrimitiveTypeName.BOOLEAN)
      case ByteType | ShortType | IntegerType => plain(PrimitiveTypeName.INT32)
      case LongType => plain(PrimitiveTypeName.INT64)
      case FloatType => plain(PrimitiveTypeName.FLOAT)
      case DoubleType => plain(PrimitiveTypeName.DOUBLE)
      case _: StringType => annotated(PrimitiveTypeName.BINARY, LogicalTypeAnnotation.stringType())
      case BinaryType => plain(PrimitiveTypeName.BINARY)
      case DateType => annotated(PrimitiveTypeName.INT32, LogicalTypeAnnotation.dateType())
      case TimestampType => timestamp(utc = true)
      case TimestampNTZType => timestamp(utc = false)
      case d: DecimalType =>
        Types.primitive(PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, repetition).length(decimalBytes(d.precision))
          .as(LogicalTypeAnnotation.decimalType(d.scale, d.precision)).named(name)
      case other => throw InvalidInput("UNSUPPORTED_COLUMN_TYPE", "column" -> name,
          "type" -> other.catalogString, "reason" -> "base files have no such type")
    }
  }

  /** Fewest bytes that hold every unscaled value of `precision` digits, sign included. */
  def decimalBytes(precision: Int): Int =
    BigInt(10).pow(precision).bitLength / 8 + 1
}
