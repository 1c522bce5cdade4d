package io.hudilite.metadata

import org.apache.avro.{JsonProperties, LogicalTypes, Schema}
import org.apache.avro.generic.GenericData

import scala.collection.JavaConverters._

/** The Avro schema of the records of a metadata table, with Hudi's names, order and defaults
  * (docs/format.md#metadata-table). A reader of Hudi's takes fields by name, so releases that know fewer of them pass over
  * the others.
  */
object RecordSchema {

  private[metadata] val MetaColumns: Seq[String] = Seq("_hoodie_commit_time", "_hoodie_commit_seqno",
    "_hoodie_record_key", "_hoodie_partition_path", "_hoodie_file_name")

  /** Of the decimals of version 1 of the statistics, whatever the column has. */
  private[metadata] val DecimalScale = 15
  private val DecimalPrecision = 30

  private type Field = () => Schema.Field

  private def required(name: String, schema: => Schema): Field = () => new Schema.Field(name, schema, null, null)

  private def defaulting(name: String, schema: => Schema, default: AnyRef): Field =
    () => new Schema.Field(name, schema, null, default)

  private def optional(name: String, schema: => Schema): Field =
    defaulting(name, nullOr(schema), JsonProperties.NULL_VALUE)

  private def nullOr(schemas: Schema*): Schema =
    Schema.createUnion((Schema.create(Schema.Type.NULL) +: schemas).asJava)

  private def record(name: String, fields: Field*): Schema =
    Schema.createRecord(name, null, "org.apache.hudi.avro.model", false, fields.map(_.apply()).asJava)

  private def withJavaStrings(schema: Schema): Schema = {
    GenericData.setStringType(schema, GenericData.StringType.String)
    schema
  }

  private def plain(of: Schema.Type): Schema = Schema.create(of)
  private def text: Schema = withJavaStrings(plain(Schema.Type.STRING))
  private def long: Schema = plain(Schema.Type.LONG)
  private def int: Schema = plain(Schema.Type.INT)
  private def boolean: Schema = plain(Schema.Type.BOOLEAN)
  private def bytes: Schema = plain(Schema.Type.BYTES)

  private def file: Schema =
    record("HoodieMetadataFileInfo", required("size", long), required("isDeleted", boolean))

  private def bloom: Schema = record("HoodieMetadataBloomFilter", required("type", text),
    required("timestamp", text), required("bloomFilter", bytes), required("isDeleted", boolean))

  // In the order of their numbers in the union.
  private def wrappers: Seq[Schema] = Seq(
    "BooleanWrapper" -> boolean, "IntWrapper" -> int, "LongWrapper" -> long, "FloatWrapper" -> plain(Schema.Type.FLOAT),
    "DoubleWrapper" -> plain(Schema.Type.DOUBLE), "BytesWrapper" -> bytes, "StringWrapper" -> text,
    "DateWrapper" -> int,
    "DecimalWrapper" -> LogicalTypes.decimal(DecimalPrecision, DecimalScale).addToSchema(bytes),
    "TimeMicrosWrapper" -> LogicalTypes.timeMicros.addToSchema(long), "TimestampMicrosWrapper" -> long,
    "LocalDateWrapper" -> int).map { case (name, of) => record(name, required("value", of)) }

  private def statistics: Schema = {
    val values = wrappers
    // Never written; hudi-rs takes records of files of one metadata table only where their schemas are alike.
    val bounds = values :+ record("ArrayWrapper", optional("wrappedValues", Schema.createArray(nullOr(values: _*))))
    record("HoodieMetadataColumnStats", optional("fileName", text), optional("columnName", text),
      defaulting("minValue", nullOr(bounds: _*), JsonProperties.NULL_VALUE),
      defaulting("maxValue", nullOr(bounds: _*), JsonProperties.NULL_VALUE), optional("valueCount", long),
      optional("nullCount", long), optional("totalSize", long), optional("totalUncompressedSize", long),
      required("isDeleted", boolean), defaulting("isTightBound", boolean, java.lang.Boolean.FALSE),
      optional("valueType",
        record("HoodieValueTypeInfo", required("typeOrdinal", int), optional("additionalInfo", text))))
  }

  private def place: Schema = record("HoodieRecordIndexInfo", optional("partitionName", text),
    optional("fileIdHighBits", long), optional("fileIdLowBits", long), optional("fileIndex", int),
    optional("fileId", text), optional("instantTime", long), defaulting("fileIdEncoding", int, Int.box(0)),
    optional("position", long))

  private def own: Seq[Field] = Seq(required("key", text), required("type", int),
    required("filesystemMetadata", nullOr(withJavaStrings(Schema.createMap(file)))),
    optional("BloomFilterMetadata", bloom), optional("ColumnStatsMetadata", statistics),
    optional("recordIndexMetadata", place),
    optional("SecondaryIndexMetadata", record("HoodieSecondaryIndexInfo", required("isDeleted", boolean))))

  private val Name = "HoodieMetadataRecord"

  /** As commits of a metadata table name it. */
  lazy val ofCommits: String = record(Name, own: _*).toString

  /** As the records lie in files: with meta columns, which are all null. */
  lazy val ofFiles: String =
    record(Name, MetaColumns.map(optional(_, plain(Schema.Type.STRING))) ++ own: _*).toString
}
