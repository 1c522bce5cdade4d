package io.hudilite.spark.logfile.read

import io.hudilite.error.UnsupportedTable
import io.hudilite.schema.ColumnNames
import io.hudilite.spark.basefile.read.FileColumns
import io.hudilite.spark.basefile.stored.TypeChange
import io.hudilite.spark.shim.TimesOfDay

import org.apache.avro.{LogicalType, LogicalTypes, Schema}
import org.apache.spark.sql.types._

import scala.collection.JavaConverters._

/** Chooses the reader for each pair of a written and a wanted type; a pair without one raises `UnsupportedTable`.
  *
  * @param path
  *   the log file, for errors
  */
private[read] final class AvroValues(path: String) {

  import AvroValue._

  /** @param column
    *   dotted name, for errors
    */
  def of(written: Schema, wanted: DataType, column: String, names: ColumnNames = ColumnNames.Same): AvroValue =
    (written.getType, wanted) match {
      case (_, NullType) => SkippedValue.of(written)
      case (Schema.Type.NULL, _) => NoValue
      case (Schema.Type.UNION, _) =>
        new UnionValue(written.getTypes.asScala.map(branch => of(branch, wanted, column, names)).toArray)
      case (Schema.Type.RECORD, struct: StructType) => recordOf(written, struct, column, names)
      case (Schema.Type.ARRAY, array: ArrayType) =>
        new ArrayValue(of(written.getElementType, array.elementType, s"$column.element", names.inElement),
          takesBytes(written.getElementType))
      case (Schema.Type.MAP, map: MapType) if map.keyType == StringType =>
        new MapValue(of(written.getValueType, map.valueType, s"$column.value", names.inValue))
      case (_, _: StructType | _: ArrayType | _: MapType) => throw unreadable(written, wanted, column)
      case _ => atomOf(written, wanted).getOrElse(throw unreadable(written, wanted, column))
    }

  private def recordOf(written: Schema, wanted: StructType, column: String, names: ColumnNames): AvroValue = {
    val fields = written.getFields.asScala.toArray
    val ordinals = AvroValues.ordinals(written, wanted, names)
    val readers = fields.zip(ordinals).map {
      case (field, -1) => SkippedValue.of(field.schema)
      case (field, ordinal) =>
        of(field.schema, wanted(ordinal).dataType, s"$column.${field.name}", AvroValues.inside(wanted(ordinal), names))
    }
    new RecordValue(readers, ordinals, wanted.length)
  }

  private def takesBytes(schema: Schema): Boolean = schema.getType match {
    case Schema.Type.NULL => false
    case Schema.Type.FIXED => schema.getFixedSize > 0
    case Schema.Type.RECORD => !schema.getFields.isEmpty
    case _ => true
  }

  private def atomOf(written: Schema, wanted: DataType): Option[AvroValue] = {
    val logical = AvroValues.logicalName(written)
    written.getType match {
      case Schema.Type.BOOLEAN => narrow(BooleanType, BooleanValue, wanted)
      case Schema.Type.INT if logical.contains("date") => narrow(DateType, IntValue, wanted)
      case Schema.Type.INT | Schema.Type.LONG if logical.exists(_.startsWith("time-")) => timeOf(logical.get, wanted)
      case Schema.Type.INT => wholeNumber(IntegerType, wanted)
      case Schema.Type.LONG => longOf(logical, wanted)
      case Schema.Type.FLOAT => if (wanted == DoubleType) Some(FloatAsDouble) else narrow(FloatType, FloatValue, wanted)
      case Schema.Type.DOUBLE => narrow(DoubleType, DoubleValue, wanted)
      case Schema.Type.STRING if wanted == StringType => Some(TextValue)
      case Schema.Type.STRING if wanted == BinaryType => Some(BinaryValue)
      case Schema.Type.STRING => narrow(StringType, TextValue, wanted)
      case Schema.Type.ENUM if wanted == StringType => Some(new EnumValue(written.getEnumSymbols.asScala.toArray))
      case Schema.Type.BYTES | Schema.Type.FIXED => bytesOf(written, wanted)
      case _ => None
    }
  }

  private def longOf(logical: Option[String], wanted: DataType): Option[AvroValue] = (logical, wanted) match {
    case (Some("timestamp-micros"), TimestampType) => Some(LongValue)
    case (Some("timestamp-millis"), TimestampType) => Some(MillisValue)
    case (Some("local-timestamp-micros"), TimestampNTZType) => Some(LongValue)
    case (Some("local-timestamp-millis"), TimestampNTZType) => Some(MillisValue)
    case (Some(time), _) if time.contains("timestamp-") => None
    case _ => wholeNumber(LongType, wanted) // Avro has readers pass over logical types that they do not know
  }

  private def timeOf(logical: String, wanted: DataType): Option[AvroValue] = logical match {
    case "time-millis" if TimesOfDay.isOne(wanted) => Some(new TimeOfDayValue(1000000L))
    case "time-micros" if TimesOfDay.isOne(wanted) => Some(new TimeOfDayValue(1000L))
    case _ => None
  }

  private def wholeNumber(written: DataType, wanted: DataType): Option[AvroValue] = wanted match {
    case IntegerType if written == IntegerType => Some(IntValue)
    case LongType => Some(LongValue)
    case FloatType => Some(WholeAsFloat)
    case DoubleType => Some(WholeAsDouble)
    case ShortType | ByteType if written == IntegerType => Some(new SmallValue(wanted))
    case _ => narrow(written, LongValue, wanted)
  }

  /** One type for both, or one of those that a conversion of single values reaches. */
  private def narrow(written: DataType, reader: AvroValue, wanted: DataType): Option[AvroValue] =
    if (written == wanted) Some(reader)
    else if (FileColumns.isWider(written, wanted)) Some(new ConvertedValue(reader, written, wanted))
    else if (TypeChange.isAllowed(written, wanted)) Some(new ChangedValue(reader, written, wanted))
    else None

  private def bytesOf(written: Schema, wanted: DataType): Option[AvroValue] = {
    val length = if (written.getType == Schema.Type.FIXED) Some(written.getFixedSize) else None
    (written.getLogicalType, wanted) match {
      case (d: LogicalTypes.Decimal, _) if d.getPrecision <= DecimalType.MAX_PRECISION =>
        val own = DecimalType(d.getPrecision, d.getScale)
        narrow(own, new DecimalValue(own, length), wanted)
      case (_: LogicalTypes.Decimal, _) => None
      case (_, BinaryType) => Some(length.fold(BinaryValue: AvroValue)(new FixedValue(_)))
      case (_, StringType) if length.isEmpty => Some(TextValue)
      case _ => None
    }
  }

  private def unreadable(written: Schema, wanted: DataType, column: String): UnsupportedTable =
    UnsupportedTable("UNSUPPORTED_SCHEMA", "column" -> s"$column in the log file $path",
      "type" -> written.toString, "reason" -> s"it cannot be read as ${wanted.catalogString}, its type in the table")
}

private[read] object AvroValues {

  /** By field of the record where it goes in `wanted`, -1 for a field that is not wanted. */
  def ordinals(written: Schema, wanted: StructType, names: ColumnNames): Array[Int] = {
    val fields = written.getFields.asScala.map(_.name).toArray
    val taken = wanted.fields.map(f =>
      names.of(f.name).map(_.name).flatMap(name =>
        fields.find(_ == name).orElse(fields.find(_.equalsIgnoreCase(name)))).getOrElse(""))
    fields.map(taken.indexOf(_))
  }

  /** Names inside of a column that the file has. */
  def inside(wanted: StructField, names: ColumnNames): ColumnNames =
    names.of(wanted.name).fold(ColumnNames.Same: ColumnNames)(_.inside)

  // A parser that does not know a logical type keeps its name as a property.
  def logicalName(schema: Schema): Option[String] =
    Option(schema.getLogicalType).map(_.getName).orElse(Option(schema.getProp(LogicalType.LOGICAL_TYPE_PROP)))
}
