package io.hudilite.metadata

import io.hudilite.codec.avro.AvroOutput
import io.hudilite.metadata.MetadataPayload._
import io.hudilite.metadata.StatValue._

import java.math.BigDecimal
import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

/** Records to Avro's binary encoding in the schema of [[RecordSchema]], meta columns in front. The field for the key is
  * blank, since the key of the file's entry says it.
  */
object RecordEncoder {

  def encode(record: MetadataRecord): Array[Byte] = {
    val out = new AvroOutput
    RecordSchema.MetaColumns.foreach(_ => out.long(Absent))
    out.text("")
    out.long(typeOf(record.payload).toLong)
    // Each kind of record has one field, in the order of the schema.
    val parts = Seq[PartialFunction[MetadataPayload, AvroOutput => Unit]](
      { case names: Names => entries(names, _) },
      { case bloom: Bloom => filter(bloom, _) },
      { case Statistics(of, _) => statistics(of, _) },
      { case place: Place => this.place(place, _) },
      { case Pair(isDeleted) => _.boolean(isDeleted) })
    parts.foreach(part => optional(out, part.lift(record.payload))(write => write(out)))
    out.result()
  }

  /** Hudi's number of the kind of a record. */
  def typeOf(payload: MetadataPayload): Int = payload match {
    case Names(_, ofPartitions) => if (ofPartitions) 1 else 2
    case Statistics(_, ofPartition) => if (ofPartition) 6 else 3
    case _: Bloom => 4
    case _: Place => 5
    case _: Pair => 7
    case NoPlace => throw new IllegalArgumentException("a key that goes has no record")
  }

  private val Absent = 0L
  private val Present = 1L

  private def optional[T](out: AvroOutput, value: Option[T])(write: T => Unit): Unit = value match {
    case None => out.long(Absent)
    case Some(present) =>
      out.long(Present)
      write(present)
  }

  private def entries(names: Names, out: AvroOutput): Unit =
    out.items(names.entries.toSeq.sortBy(_._1)(MetadataKeys.order)) { case (name, file) =>
      out.text(name)
      out.long(file.bytes)
      out.boolean(file.isDeleted)
    }

  private def filter(bloom: Bloom, out: AvroOutput): Unit = {
    out.text(bloom.kind)
    out.text(bloom.instant)
    out.bytes(bloom.text.getBytes(UTF_8))
    out.boolean(bloom.isDeleted)
  }

  private def statistics(of: ColumnStatistics, out: AvroOutput): Unit = {
    Seq(of.file, of.column).foreach(text => optional(out, Some(text))(out.text))
    Seq(of.min, of.max).foreach(bound =>
      bound.fold(out.long(Absent))(value(_, of.valueType, out)))
    Seq(of.values, of.nulls, of.bytes, of.uncompressedBytes).foreach(n => optional(out, Some(n))(out.long))
    out.boolean(of.isDeleted)
    out.boolean(of.isTight)
    optional(out, of.valueType) { valueType =>
      out.long(valueType.ordinal.toLong)
      optional(out, valueType.additional)(out.text)
    }
  }

  private def value(of: StatValue, valueType: Option[StatType], out: AvroOutput): Unit = {
    val (wrapper, content) = wrapped(of, valueType)
    out.long(wrapper + Present)
    content match {
      case v: Boolean => out.boolean(v)
      case v: Int => out.long(v.toLong)
      case v: Long => out.long(v)
      case v: Float => out.float(v)
      case v: Double => out.double(v)
      case v: String => out.text(v)
      case v: BigDecimal => out.bytes(v.unscaledValue.toByteArray)
      case v: Array[Byte] => out.bytes(v)
      case other => throw new IllegalArgumentException(s"$other is no value of a wrapper")
    }
  }

  /** The value as its wrapper holds it, and the number of the wrapper among all: version 2 of the statistics has wrappers
    * of the physical types alone.
    */
  def wrapped(of: StatValue, valueType: Option[StatType]): (Int, Any) = {
    val isSecond = valueType.exists(_.ordinal != StatType.V1)
    of match {
      case Flag(v) => 0 -> v
      case Int32(v) => 1 -> v
      case Int64(v) => 2 -> v
      case Float32(v) => 3 -> v
      case Float64(v) => 4 -> v
      case Octets(hex) => 5 -> hex.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray
      case Text(v) => 6 -> v
      case Day(v) => (if (isSecond) 1 else 7) -> v
      case Decimal(v) if isSecond => 5 -> v.unscaledValue.toByteArray
      case Decimal(v) => 8 -> v.setScale(RecordSchema.DecimalScale)
      case TimeMicros(v) => 9 -> v
      case TimestampMicros(v) => 10 -> v
    }
  }

  private val OfUuid = 0
  private val OfText = 1
  private val NoNumber = -1
  private val NumberedUuid = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-(\\d{1,9}))?".r

  /** The id of a file group as a record of the record index has it.
    *
    * @param number
    *   behind the UUID, -1 for none
    * @param encoding
    *   0 for a UUID with its number, 1 for a text
    */
  final case class FileIdParts(high: Long, low: Long, number: Int, text: String, encoding: Int)

  // Readers of Hudi's fail on a file id that is null.
  def fileId(id: String): FileIdParts = id match {
    case NumberedUuid(uuid, index) =>
      val bits = UUID.fromString(uuid)
      FileIdParts(bits.getMostSignificantBits, bits.getLeastSignificantBits, Option(index).fold(NoNumber)(_.toInt), "",
        OfUuid)
    case other => FileIdParts(NoNumber.toLong, NoNumber.toLong, NoNumber, other, OfText)
  }

  private def place(of: Place, out: AvroOutput): Unit = {
    val id = fileId(of.fileId)
    optional(out, Some(of.partition))(out.text)
    Seq(id.high, id.low, id.number.toLong).foreach(n => optional(out, Some(n))(out.long))
    optional(out, Some(id.text))(out.text)
    optional(out, of.instantMs)(out.long)
    out.long(id.encoding.toLong)
    optional(out, of.position)(out.long)
  }
}
