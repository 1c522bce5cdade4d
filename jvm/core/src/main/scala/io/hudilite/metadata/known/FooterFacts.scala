package io.hudilite.metadata.known

import io.hudilite.metadata.{ColumnFacts, StatType, StatValue}
import io.hudilite.metadata.StatValue._

import java.math.{BigDecimal, BigInteger}
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

import scala.collection.JavaConverters._

/** The columns of a Parquet file as its footer tells of them: pure. */
object FooterFacts {

  /** By the dotted name of the column. */
  def of(footer: ParquetMetadata): Map[String, ColumnFacts] =
    footer.getBlocks.asScala.toSeq.flatMap(_.getColumns.asScala).groupBy(_.getPath.toDotString)
      .map { case (column, chunks) => column -> together(chunks) }

  private def together(chunks: Seq[ColumnChunkMetaData]): ColumnFacts = {
    val statistics = chunks.map(c => Option(c.getStatistics: Statistics[_]).filter(_.isNumNullsSet))
    val filled = chunks.zip(statistics).filterNot { case (c, s) => s.exists(_.getNumNulls == c.getValueCount) }
    val bounds = filled.map { case (chunk, s) =>
      s.filter(_.hasNonNullValue).flatMap(boundsOf(chunk.getPrimitiveType, _))
    }
    ColumnFacts(chunks.map(_.getValueCount).sum,
      if (statistics.forall(_.isDefined)) Some(statistics.map(_.fold(0L)(_.getNumNulls)).sum) else None,
      chunks.map(_.getTotalSize).sum, chunks.map(_.getTotalUncompressedSize).sum,
      if (bounds.isEmpty || bounds.exists(_.isEmpty)) None
      else bounds.flatten.tail.foldLeft(bounds.head)((all, next) => all.flatMap(StatValue.around(_, next))),
      filled.isEmpty, kind(chunks.head.getPrimitiveType))
  }

  private def boundsOf(column: PrimitiveType, of: Statistics[_]): Option[(StatValue, StatValue)] =
    for (min <- value(column, of.getMinBytes); max <- value(column, of.getMaxBytes)) yield min -> max

  private def value(column: PrimitiveType, bytes: Array[Byte]): Option[StatValue] = {
    lazy val number = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    def decimal(unscaled: => BigInteger)(otherwise: => StatValue): StatValue = column.getLogicalTypeAnnotation match {
      case d: DecimalLogicalTypeAnnotation => Decimal(new BigDecimal(unscaled, d.getScale))
      case _ => otherwise
    }
    column.getPrimitiveTypeName match {
      case BOOLEAN => Some(Flag(bytes(0) != 0))
      case INT32 if column.getLogicalTypeAnnotation.isInstanceOf[DateLogicalTypeAnnotation] => Some(Day(number.getInt))
      // Bounds without a sign do not compare as Java's numbers do.
      case INT32 | INT64 if isUnsigned(column) => None
      case INT32 => Some(decimal(BigInteger.valueOf(number.getInt(0).toLong))(Int32(number.getInt(0))))
      case INT64 => Some(decimal(BigInteger.valueOf(number.getLong(0)))(Int64(number.getLong(0))))
      case FLOAT => Some(Float32(number.getFloat))
      case DOUBLE => Some(Float64(number.getDouble))
      case INT96 => None
      case _ => Some(decimal(new BigInteger(bytes))(column.getLogicalTypeAnnotation match {
          case _: StringLogicalTypeAnnotation | _: EnumLogicalTypeAnnotation | _: JsonLogicalTypeAnnotation =>
            Text(new String(bytes, java.nio.charset.StandardCharsets.UTF_8))
          case _ => octets(bytes)
        }))
    }
  }

  private def isUnsigned(column: PrimitiveType): Boolean = column.getLogicalTypeAnnotation match {
    case i: IntLogicalTypeAnnotation => !i.isSigned
    case _ => false
  }

  private def kind(column: PrimitiveType): StatType = column.getLogicalTypeAnnotation match {
    case d: DecimalLogicalTypeAnnotation => StatType.decimal(d.getPrecision, d.getScale)
    case _: UUIDLogicalTypeAnnotation => StatType.plain(StatType.Uuid)
    case _: DateLogicalTypeAnnotation => StatType.plain(StatType.Date)
    case t: TimeLogicalTypeAnnotation =>
      StatType.plain(if (t.getUnit == TimeUnit.MILLIS) StatType.TimeMillis else StatType.TimeMicros)
    case t: TimestampLogicalTypeAnnotation =>
      val first = if (t.isAdjustedToUTC) StatType.TimestampMillis else StatType.LocalTimestampMillis
      StatType.plain(first + t.getUnit.ordinal)
    case _: StringLogicalTypeAnnotation | _: EnumLogicalTypeAnnotation | _: JsonLogicalTypeAnnotation =>
      StatType.plain(StatType.Text)
    case _ => StatType.plain(plain(column.getPrimitiveTypeName))
  }

  private def plain(stored: PrimitiveType.PrimitiveTypeName): Int = stored match {
    case BOOLEAN => StatType.Boolean
    case INT32 => StatType.Int
    case INT64 => StatType.Long
    case FLOAT => StatType.Float
    case DOUBLE => StatType.Double
    case BINARY => StatType.Bytes
    case FIXED_LEN_BYTE_ARRAY => StatType.Fixed
    case _ => StatType.Null // INT96, which has no bounds
  }
}
