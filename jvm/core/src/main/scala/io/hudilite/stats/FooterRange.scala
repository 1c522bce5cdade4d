package io.hudilite.stats

import io.hudilite.metadata.{StatType, StatValue}
import io.hudilite.metadata.StatValue._

import java.math.{BigDecimal, BigInteger}
import java.nio.charset.{CharacterCodingException, CodingErrorAction}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ColumnPath, ParquetMetadata}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._
import org.apache.parquet.schema.Type
import org.apache.parquet.schema.Type.Repetition.REPEATED

import scala.annotation.tailrec
import scala.collection.JavaConverters._

/** Ranges of columns from what a Parquet footer says of its row groups: pure. Columns of other letter case are matched by
  * the session's settings; they are rare, and then read.
  */
private[stats] final class FooterRange(footer: ParquetMetadata) {

  import FooterRange._

  private val facts = footer.getFileMetaData
  private val byParquetMr = Option(facts.getCreatedBy).exists(_.startsWith("parquet-mr"))

  /** The range of the column or field of this name; `None` where it is not certain. */
  def of(name: String, kind: ColumnKind): Option[ColumnRange] = {
    val path = name.split('.')
    found(facts.getSchema.getFields.asScala.toSeq, path.toList) match {
      case Nothing => Some(ColumnRange.OfNulls)
      case Unclear => None
      case Column => together(kind, chunks(ColumnPath.get(path: _*)).filter(_.getValueCount > 0))
    }
  }

  // A file may have thousands of columns.
  private def chunks(column: ColumnPath): Seq[ColumnChunkMetaData] =
    footer.getBlocks.asScala.toSeq.flatMap(_.getColumns.asScala.find(_.getPath == column))

  private def together(kind: ColumnKind, groups: Seq[ColumnChunkMetaData]): Option[ColumnRange] = {
    val found = groups.map(known)
    if (found.exists(_.isEmpty)) None
    else {
      val values = found.flatten.filter(_.hasValues).map(range(_, kind))
      if (values.exists(_.isEmpty)) None
      else Some(ColumnRange(found.flatten.exists(_.nulls > 0), values.flatten.reduceOption((a, b) => a.or(b)),
          Some(found.flatten.map(_.nulls).sum)))
    }
  }

  private def range(group: KnownChunk, kind: ColumnKind): Option[ValueRange] =
    if (needsParquetMr(group.column) && !byParquetMr) None
    else for {
      (least, greatest) <- group.bounds
      min <- bound(group.column, least)
      max <- bound(group.column, greatest)
      range <- StoredBounds.range(kind, min, max)
    } yield range
}

private object FooterRange {

  /** A column of a row group, of which at least the nulls are known. */
  private final case class KnownChunk(
      column: PrimitiveType, nulls: Long, hasValues: Boolean, bounds: Option[(Array[Byte], Array[Byte])])

  private def known(chunk: ColumnChunkMetaData): Option[KnownChunk] =
    Option(chunk.getStatistics).filter(_.isNumNullsSet).map(of =>
      KnownChunk(chunk.getPrimitiveType, of.getNumNulls, of.getNumNulls < chunk.getValueCount,
        if (of.hasNonNullValue) Some(of.getMinBytes -> of.getMaxBytes) else None))

  private sealed trait Found
  private case object Column extends Found

  /** A column that the file lacks, and is null in all rows. */
  private case object Nothing extends Found
  private case object Unclear extends Found

  @tailrec
  private def found(fields: Seq[Type], path: List[String]): Found =
    fields.find(_.getName.equalsIgnoreCase(path.head)) match {
      case None => Nothing
      case Some(field) if !fields.exists(_.getName == path.head) || field.isRepetition(REPEATED) => Unclear
      case Some(_) =>
        val field = fields.find(_.getName == path.head).get
        if (field.isPrimitive) { if (path.tail.isEmpty) Column else Unclear }
        else if (path.tail.isEmpty || field.getLogicalTypeAnnotation != null) Unclear
        else found(field.asGroupType.getFields.asScala.toSeq, path.tail)
    }

  /** Other writers may leave out NaN of bounds, and order decimals by their bytes. */
  private def needsParquetMr(column: PrimitiveType): Boolean = column.getPrimitiveTypeName match {
    case FLOAT | DOUBLE => true
    case BINARY | FIXED_LEN_BYTE_ARRAY => column.getLogicalTypeAnnotation.isInstanceOf[DecimalLogicalTypeAnnotation]
    case _ => false
  }

  private def bound(column: PrimitiveType, bytes: Array[Byte]): Option[StoredBound] = {
    lazy val number = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    def as(value: StatValue, ordinal: Int): Option[StoredBound] = Some(StoredBound(value, Some(ordinal)))
    column.getPrimitiveTypeName match {
      case BOOLEAN => as(Flag(bytes(0) != 0), StatType.Boolean)
      case INT32 => int32(column, number.getInt)
      case INT64 => int64(column, number.getLong)
      case FLOAT => as(Float32(number.getFloat), StatType.Float)
      case DOUBLE => as(Float64(number.getDouble), StatType.Double)
      case BINARY | FIXED_LEN_BYTE_ARRAY => ofBytes(column, bytes)
      case INT96 => None
    }
  }

  private def int32(column: PrimitiveType, value: Int): Option[StoredBound] = column.getLogicalTypeAnnotation match {
    case null => Some(StoredBound(Int32(value), Some(StatType.Int)))
    case i: IntLogicalTypeAnnotation if i.isSigned => Some(StoredBound(Int32(value), Some(StatType.Int)))
    case _: DateLogicalTypeAnnotation => Some(StoredBound(Day(value), Some(StatType.Date)))
    case d: DecimalLogicalTypeAnnotation => Some(decimal(BigInteger.valueOf(value.toLong), d))
    case _ => None
  }

  private def int64(column: PrimitiveType, value: Long): Option[StoredBound] = column.getLogicalTypeAnnotation match {
    case null => Some(StoredBound(Int64(value), Some(StatType.Long)))
    case i: IntLogicalTypeAnnotation if i.isSigned => Some(StoredBound(Int64(value), Some(StatType.Long)))
    case t: TimestampLogicalTypeAnnotation => instant(t).map(ordinal => StoredBound(Int64(value), Some(ordinal)))
    case d: DecimalLogicalTypeAnnotation => Some(decimal(BigInteger.valueOf(value), d))
    case _ => None
  }

  private def instant(of: TimestampLogicalTypeAnnotation): Option[Int] = (of.getUnit, of.isAdjustedToUTC) match {
    case (TimeUnit.MILLIS, true) => Some(StatType.TimestampMillis)
    case (TimeUnit.MICROS, true) => Some(StatType.TimestampMicros)
    case (TimeUnit.MILLIS, false) => Some(StatType.LocalTimestampMillis)
    case (TimeUnit.MICROS, false) => Some(StatType.LocalTimestampMicros)
    case _ => None
  }

  private def ofBytes(column: PrimitiveType, bytes: Array[Byte]): Option[StoredBound] =
    column.getLogicalTypeAnnotation match {
      case null if column.getPrimitiveTypeName == BINARY => Some(StoredBound(octets(bytes), None))
      case _: StringLogicalTypeAnnotation => text(bytes).map(t => StoredBound(Text(t), Some(StatType.Text)))
      case d: DecimalLogicalTypeAnnotation => Some(decimal(new BigInteger(bytes), d))
      case _ => None
    }

  private def decimal(unscaled: BigInteger, of: DecimalLogicalTypeAnnotation): StoredBound =
    StoredBound(Decimal(new BigDecimal(unscaled, of.getScale)), Some(StatType.Decimal))

  /** The text of these bytes, unless some of them are not UTF-8. */
  private def text(bytes: Array[Byte]): Option[String] =
    try Some(UTF_8.newDecoder.onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(bytes)).toString)
    catch { case _: CharacterCodingException => None }
}
