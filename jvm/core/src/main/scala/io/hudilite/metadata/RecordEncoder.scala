package io.hudilite.metadata

import io.hudilite.codec.avro.AvroOutput
import io.hudilite.metadata.MetadataPayload._
import io.hudilite.metadata.StatValue._

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
    out.long(typeOf(record.payload))
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

  private def typeOf(payload: MetadataPayload): Long = payload match {
    case Names(_, ofPartitions) => if (ofPartitions) 1L else 2L
    case Statistics(_, ofPartition) => if (ofPartition) 6L else 3L
    case _: Bloom => 4L
    case _: Place => 5L
    case _: Pair => 7L
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
      bound.fold(out.long(Absent))(value(_, of.valueType.filter(_.ordinal != StatType.V1), out)))
    Seq(of.values, of.nulls, of.bytes, of.uncompressedBytes).foreach(n => optional(out, Some(n))(out.long))
    out.boolean(of.isDeleted)
    out.boolean(of.isTight)
    optional(out, of.valueType) { valueType =>
      out.long(valueType.ordinal.toLong)
      optional(out, valueType.additional)(out.text)
    }
  }

  /** The value in its wrapper, by the number of that in the union: version 2 of the statistics has wrappers of the
    * physical types alone.
    */
  private def value(of: StatValue, second: Option[StatType], out: AvroOutput): Unit = {
    def wrapped(number: Long)(write: => Unit): Unit = {
      out.long(number)
      write
    }
    of match {
      case Flag(v) => wrapped(1L)(out.boolean(v))
      case Int32(v) => wrapped(2L)(out.long(v.toLong))
      case Int64(v) => wrapped(3L)(out.long(v))
      case Float32(v) => wrapped(4L)(out.float(v))
      case Float64(v) => wrapped(5L)(out.double(v))
      case Octets(hex) => wrapped(6L)(out.bytes(hex.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray))
      case Text(v) => wrapped(7L)(out.text(v))
      case Day(v) => wrapped(if (second.isDefined) 2L else 8L)(out.long(v.toLong))
      case Decimal(v) if second.isDefined => wrapped(6L)(out.bytes(v.unscaledValue.toByteArray))
      case Decimal(v) => wrapped(9L)(out.bytes(v.setScale(RecordSchema.DecimalScale).unscaledValue.toByteArray))
      case TimeMicros(v) => wrapped(10L)(out.long(v))
      case TimestampMicros(v) => wrapped(11L)(out.long(v))
    }
  }

  private val OfUuid = 0L
  private val OfText = 1L
  private val NoNumber = -1L
  private val NumberedUuid = "([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-(\\d{1,9}))?".r

  private def place(of: Place, out: AvroOutput): Unit = {
    // Readers of Hudi's fail on a file id that is null.
    val (high, low, number, text, encoding) = of.fileId match {
      case NumberedUuid(uuid, index) =>
        val id = UUID.fromString(uuid)
        (id.getMostSignificantBits, id.getLeastSignificantBits, Option(index).fold(NoNumber)(_.toLong), "", OfUuid)
      case other => (NoNumber, NoNumber, NoNumber, other, OfText)
    }
    optional(out, Some(of.partition))(out.text)
    Seq(high, low, number).foreach(n => optional(out, Some(n))(out.long))
    optional(out, Some(text))(out.text)
    optional(out, of.instantMs)(out.long)
    out.long(encoding)
    optional(out, of.position)(out.long)
  }
}
