package io.hudilite.metadata.check

import io.hudilite.metadata.StatValue
import io.hudilite.metadata.StatValue._

import java.math.{BigDecimal, BigInteger}
import java.nio.{ByteBuffer, ByteOrder}

import org.apache.parquet.column.statistics.Statistics
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName._

import scala.collection.JavaConverters._

/** A column of a file as its footer tells of it.
  *
  * @param bounds
  *   least and greatest value; `None` where not all row groups tell, or tell of values that do not compare
  * @param isEmpty
  *   there are nulls only
  */
private[check] final case class FooterFacts(values: Long, nulls: Option[Long], bytes: Long, uncompressedBytes: Long,
    bounds: Option[(StatValue, StatValue)], isEmpty: Boolean)

private[check] object FooterFacts {

  /** By the dotted name of the column. */
  def of(footer: ParquetMetadata): Map[String, FooterFacts] =
    footer.getBlocks.asScala.toSeq.flatMap(_.getColumns.asScala).groupBy(_.getPath.toDotString)
      .map { case (column, chunks) => column -> together(chunks) }

  private def together(chunks: Seq[ColumnChunkMetaData]): FooterFacts = {
    val statistics = chunks.map(c => Option(c.getStatistics: Statistics[_]).filter(_.isNumNullsSet))
    val filled = chunks.zip(statistics).filterNot { case (c, s) => s.exists(_.getNumNulls == c.getValueCount) }
    val bounds = filled.map { case (chunk, s) =>
      s.filter(_.hasNonNullValue).flatMap(boundsOf(chunk.getPrimitiveType, _))
    }
    FooterFacts(chunks.map(_.getValueCount).sum,
      if (statistics.forall(_.isDefined)) Some(statistics.map(_.fold(0L)(_.getNumNulls)).sum) else None,
      chunks.map(_.getTotalSize).sum, chunks.map(_.getTotalUncompressedSize).sum,
      if (bounds.isEmpty || bounds.exists(_.isEmpty)) None
      else bounds.flatten.tail.foldLeft(bounds.head)((all, next) => all.flatMap(around(_, next))),
      filled.isEmpty)
  }

  private def boundsOf(column: PrimitiveType, of: Statistics[_]): Option[(StatValue, StatValue)] =
    for (min <- value(column, of.getMinBytes); max <- value(column, of.getMaxBytes)) yield min -> max

  /** Bounds of both. */
  def around(a: (StatValue, StatValue), b: (StatValue, StatValue)): Option[(StatValue, StatValue)] = for {
    low <- StatValue.compare(a._1, b._1)
    high <- StatValue.compare(a._2, b._2)
  } yield (if (low <= 0) a._1 else b._1, if (high >= 0) a._2 else b._2)

  private def value(column: PrimitiveType, bytes: Array[Byte]): Option[StatValue] = {
    lazy val number = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
    def decimal(unscaled: => BigInteger)(otherwise: => StatValue): StatValue = column.getLogicalTypeAnnotation match {
      case d: DecimalLogicalTypeAnnotation => Decimal(new BigDecimal(unscaled, d.getScale))
      case _ => otherwise
    }
    column.getPrimitiveTypeName match {
      case BOOLEAN => Some(Flag(bytes(0) != 0))
      case INT32 if column.getLogicalTypeAnnotation.isInstanceOf[DateLogicalTypeAnnotation] => Some(Day(number.getInt))
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

  /** The two are one value; a record may hold a time in the form of its column or as a plain number. */
  def isSame(ofFile: StatValue, ofRecord: StatValue): Boolean = (ofFile, ofRecord) match {
    case (Int64(a), TimestampMicros(b)) => a == b
    case (Int64(a), TimeMicros(b)) => a == b
    case _ => StatValue.compare(ofFile, ofRecord).contains(0)
  }
}
