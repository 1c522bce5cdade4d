package io.hudilite.stats

import io.hudilite.stats.ValueBounds._

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, CodingErrorAction}
import java.nio.charset.StandardCharsets.UTF_8
import java.util

import org.apache.parquet.column.statistics.{BinaryStatistics, IntStatistics, LongStatistics, Statistics}
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation._

import scala.collection.JavaConverters._

/** Bounds of columns from what a Parquet footer says of its row groups: pure.
  *
  * Fractions are left out, whose bounds can hide a NaN, and so are decimals, which have many forms.
  */
private[stats] object FooterColumns {

  /** The columns of which each row group is certain. */
  def of(footer: ParquetMetadata, names: Seq[String]): Map[String, ColumnBounds] =
    (for (name <- names.distinct; bounds <- of(footer, name)) yield name -> bounds).toMap

  private def of(footer: ParquetMetadata, name: String): Option[ColumnBounds] = {
    val known = footer.getFileMetaData.getSchema.getFields.asScala.map(_.getName)
    val groups = footer.getBlocks.asScala.toSeq
    // Columns of other letter case are matched by the session's settings; they are rare, and then read.
    if (!known.exists(_.equalsIgnoreCase(name))) Some(ColumnBounds(groups.map(_.getRowCount).sum, None))
    else {
      val bounds = groups.map(boundsOf(_, name))
      if (bounds.exists(_.isEmpty)) None else Some(together(groups.map(_.getRowCount).zip(bounds.flatten)))
    }
  }

  private def boundsOf(group: BlockMetaData, name: String): Option[ColumnBounds] = for {
    chunk <- group.getColumns.asScala.find(c => c.getPath.size == 1 && c.getPath.toDotString == name)
    statistics <- Option(chunk.getStatistics).filter(_.isNumNullsSet)
  } yield ColumnBounds(statistics.getNumNulls,
    if (statistics.hasNonNullValue) values(statistics, annotation(chunk)) else None)

  private def annotation(chunk: ColumnChunkMetaData): Option[LogicalTypeAnnotation] =
    Option(chunk.getPrimitiveType.getLogicalTypeAnnotation)

  /** @param groups
    *   the rows of each row group, and what is known of them
    */
  private def together(groups: Seq[(Long, ColumnBounds)]): ColumnBounds = {
    val found = groups.collect { case (rows, bounds) if bounds.nulls < rows => bounds.values }
    val values = if (found.isEmpty || found.exists(_.isEmpty)) None
    else found.tail.foldLeft(found.head)((all, next) => all.flatMap(around(_, next.get)))
    ColumnBounds(groups.map(_._2.nulls).sum, values)
  }

  private def around(a: ValueBounds, b: ValueBounds): Option[ValueBounds] = (a, b) match {
    case (Ints(x, y), Ints(v, w)) => Some(Ints(x.min(v), y.max(w)))
    case (Longs(x, y), Longs(v, w)) => Some(Longs(x.min(v), y.max(w)))
    case (Days(x, y), Days(v, w)) => Some(Days(x.min(v), y.max(w)))
    case (Micros(x, y), Micros(v, w)) => Some(Micros(x.min(v), y.max(w)))
    case (Texts(x, y), Texts(v, w)) =>
      Some(Texts(if (isBefore(v, x)) v else x, if (isBefore(y, w)) w else y))
    case _ => None
  }

  private def isBefore(a: String, b: String): Boolean =
    util.Arrays.compareUnsigned(a.getBytes(UTF_8), b.getBytes(UTF_8)) < 0

  private def values(statistics: Statistics[_], written: Option[LogicalTypeAnnotation]): Option[ValueBounds] =
    (statistics, written) match {
      case (s: IntStatistics, None) => Some(Ints(s.getMin, s.getMax))
      case (s: IntStatistics, Some(i: IntLogicalTypeAnnotation)) if i.isSigned => Some(Ints(s.getMin, s.getMax))
      case (s: IntStatistics, Some(_: DateLogicalTypeAnnotation)) => Some(Days(s.getMin, s.getMax))
      case (s: LongStatistics, None) => Some(Longs(s.getMin, s.getMax))
      case (s: LongStatistics, Some(i: IntLogicalTypeAnnotation)) if i.isSigned => Some(Longs(s.getMin, s.getMax))
      case (s: LongStatistics, Some(t: TimestampLogicalTypeAnnotation))
          if t.getUnit == TimeUnit.MICROS && t.isAdjustedToUTC => Some(Micros(s.getMin, s.getMax))
      case (s: BinaryStatistics, Some(_: StringLogicalTypeAnnotation)) =>
        for (min <- text(s.genericGetMin.getBytes); max <- text(s.genericGetMax.getBytes)) yield Texts(min, max)
      case _ => None
    }

  /** The text of these bytes, unless some of them are not UTF-8. */
  private def text(bytes: Array[Byte]): Option[String] =
    try Some(UTF_8.newDecoder.onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(bytes)).toString)
    catch { case _: CharacterCodingException => None }
}
