package io.hudilite.spark.inspect

import org.apache.spark.sql.types._

/** Columns of the records of a metadata table, as Hudi 1.2 shows them: fields of its records, unions as structs. */
private[inspect] object MetadataColumns {

  val Key = "key"
  val Type = "type"
  val Files = "filesystemMetadata"
  val Bloom = "BloomFilterMetadata"
  val Statistics = "ColumnStatsMetadata"
  val Place = "recordIndexMetadata"
  val Pair = "SecondaryIndexMetadata"

  /** Types of the values in the wrappers of bounds, by their numbers in the union. */
  val Wrapped: Seq[DataType] = Seq(BooleanType, IntegerType, LongType, FloatType, DoubleType, BinaryType, StringType,
    IntegerType, DecimalType(30, 15), LongType, LongType, IntegerType)

  private def struct(fields: (String, DataType)*): StructType =
    StructType(fields.map { case (name, dataType) => StructField(name, dataType) })

  private val wrappers: Seq[(String, DataType)] =
    Wrapped.zipWithIndex.map { case (dataType, i) => s"member$i" -> struct("value" -> dataType) }

  private val bound: StructType =
    struct(wrappers :+ s"member${Wrapped.size}" -> struct("wrappedValues" -> ArrayType(struct(wrappers: _*))): _*)

  private val statistics: StructType = struct("fileName" -> StringType, "columnName" -> StringType,
    "minValue" -> bound, "maxValue" -> bound, "valueCount" -> LongType, "nullCount" -> LongType,
    "totalSize" -> LongType, "totalUncompressedSize" -> LongType, "isDeleted" -> BooleanType,
    "isTightBound" -> BooleanType,
    "valueType" -> struct("typeOrdinal" -> IntegerType, "additionalInfo" -> StringType))

  val All: Seq[(String, DataType)] = Seq(
    Key -> StringType,
    Type -> IntegerType,
    Files -> MapType(StringType, struct("size" -> LongType, "isDeleted" -> BooleanType)),
    Bloom -> struct("type" -> StringType, "timestamp" -> StringType, "bloomFilter" -> BinaryType,
      "isDeleted" -> BooleanType),
    Statistics -> statistics,
    Place -> struct("partitionName" -> StringType, "fileIdHighBits" -> LongType, "fileIdLowBits" -> LongType,
      "fileIndex" -> IntegerType, "fileId" -> StringType, "instantTime" -> LongType, "fileIdEncoding" -> IntegerType,
      "position" -> LongType),
    Pair -> struct("isDeleted" -> BooleanType))
}
