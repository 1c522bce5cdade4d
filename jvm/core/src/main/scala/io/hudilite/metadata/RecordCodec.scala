package io.hudilite.metadata

import io.hudilite.codec.avro.{AvroCodecValues, AvroFields, AvroInput}
import io.hudilite.metadata.MetadataPayload._
import io.hudilite.metadata.StatValue._

import java.math.{BigDecimal, BigInteger}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID
import java.util.concurrent.atomic.AtomicReference

import org.apache.avro.Schema

/** Records in Avro's binary encoding, as the HFiles of a metadata table hold them. Fields are looked up by name in the
  * schema of the writer: the record grew with Hudi's versions. Other bytes end in an `IllegalArgumentException`.
  */
final class RecordCodec private (schema: Schema) {

  import RecordCodec._

  /** The record that is the `length` bytes from `offset` on. Its own field for the key is mostly blank. */
  def decode(key: String, bytes: Array[Byte], offset: Int, length: Int): MetadataRecord =
    MetadataRecord(key, payload(AvroCodecValues.record(schema, new AvroInput(bytes, offset, offset + length))))

  private def payload(record: AvroFields): MetadataPayload = record.number("type").toInt match {
    case 1 => Names(names(record), ofPartitions = true)
    case 2 => Names(names(record), ofPartitions = false)
    case 3 => Statistics(statistics(part(record, "ColumnStatsMetadata")), ofPartition = false)
    case 6 => Statistics(statistics(part(record, "ColumnStatsMetadata")), ofPartition = true)
    case 4 => bloom(part(record, "BloomFilterMetadata"))
    case 5 => place(part(record, "recordIndexMetadata"))
    case 7 => Pair(part(record, "SecondaryIndexMetadata").flag("isDeleted"))
    case other => throw new IllegalArgumentException(s"a record of the metadata table has the unknown type $other")
  }
}

object RecordCodec {

  /** @param schemaJson
    *   schema of the writer, with or without meta columns
    */
  def of(schemaJson: String): RecordCodec = {
    val known = last.get
    if (known != null && known._1 == schemaJson) known._2
    else {
      val made = new RecordCodec(new Schema.Parser().parse(schemaJson))
      last.set(schemaJson -> made)
      made
    }
  }

  // Hot path: blocks of one writer have one schema, and to parse it takes longer than to read a small one.
  private val last = new AtomicReference[(String, RecordCodec)]

  private def part(record: AvroFields, name: String): AvroFields = record.child(name).getOrElse(
    throw new IllegalArgumentException(s"a record of the metadata table has no $name"))

  private def names(record: AvroFields): Map[String, NamedFile] = record.childMap("filesystemMetadata").map {
    case (name, entry) => name -> NamedFile(entry.number("size"), entry.flag("isDeleted"))
  }

  private def statistics(of: AvroFields): ColumnStatistics = {
    val valueType = of.child("valueType").map(t => StatType(t.number("typeOrdinal").toInt, t.text("additionalInfo")))
    def bound(name: String): Option[StatValue] = of.child(name).flatMap(value(_, valueType))
    ColumnStatistics(of.text("fileName").getOrElse(""), of.text("columnName").getOrElse(""), bound("minValue"),
      bound("maxValue"), of.number("valueCount"), of.number("nullCount"), of.number("totalSize"),
      of.number("totalUncompressedSize"), of.flag("isDeleted"), of.flag("isTightBound"), valueType)
  }

  /** The value in a wrapper; `None` for one of a kind that bounds no column. */
  private def value(wrapper: AvroFields, valueType: Option[StatType]): Option[StatValue] =
    (wrapper.typeName, wrapper.value("value").orNull) match {
      case ("BooleanWrapper", v: Boolean) => Some(Flag(v))
      case ("IntWrapper", v: Int) if valueType.exists(_.ordinal == StatType.Date) => Some(Day(v))
      case ("IntWrapper", v: Int) => Some(Int32(v))
      case ("LongWrapper", v: Long) => Some(Int64(v))
      case ("FloatWrapper", v: Float) => Some(Float32(v))
      case ("DoubleWrapper", v: Double) => Some(Float64(v))
      case ("BytesWrapper", v: Array[Byte]) =>
        Some(valueType.filter(_.ordinal == StatType.Decimal).fold[StatValue](octets(v))(decimal(v, _)))
      case ("StringWrapper", v: String) => Some(Text(v))
      case ("DateWrapper" | "LocalDateWrapper", v: Int) => Some(Day(v))
      case ("DecimalWrapper", v: Array[Byte]) => Some(Decimal(new BigDecimal(new BigInteger(v), DecimalScale)))
      case ("TimeMicrosWrapper", v: Long) => Some(TimeMicros(v))
      case ("TimestampMicrosWrapper", v: Long) => Some(TimestampMicros(v))
      case _ => None
    }

  // Of the decimals of version 1, whatever the column has.
  private val DecimalScale = 15

  private def decimal(unscaled: Array[Byte], of: StatType): Decimal =
    Decimal(new BigDecimal(new BigInteger(unscaled), StatType.scale(of)))

  private def bloom(of: AvroFields): Bloom = Bloom(of.text("type").getOrElse(""), of.text("timestamp").getOrElse(""),
    of.value("bloomFilter").collect { case b: Array[Byte] => new String(b, UTF_8) }.getOrElse(""), of.flag("isDeleted"))

  private val OfUuid = 0L
  private val NoIndex = -1L

  private def place(of: AvroFields): Place = {
    val id =
      if (of.number("fileIdEncoding") != OfUuid) of.text("fileId").getOrElse("")
      else {
        val uuid = new UUID(of.number("fileIdHighBits"), of.number("fileIdLowBits")).toString
        of.long("fileIndex").filter(_ != NoIndex).fold(uuid)(n => s"$uuid-$n")
      }
    Place(of.text("partitionName").getOrElse(""), id, of.long("instantTime"), of.long("position"))
  }
}
