package io.hudilite.spark.slice.deliver

import io.hudilite.merge.MergeRule

import org.apache.parquet.column.statistics.{BinaryStatistics, IntStatistics, LongStatistics, Statistics}
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.schema.LogicalTypeAnnotation
import org.apache.parquet.schema.LogicalTypeAnnotation._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Limits that the ordering values of a base file do not exceed, by its footer.
  *
  * A record that wins over these wins over every row of the file, also over those without ordering values: records of a
  * daily batch are mostly newer than all that is there, and then nobody has to read what they are compared with.
  */
private[slice] object OrderingBounds {

  /** Values of the columns' types, null for a column without any; `None` when one is not certain.
    *
    * @param columns
    *   top-level columns with the types that they are read as
    */
  def of(footer: ParquetMetadata, columns: Seq[StructField]): Option[IndexedSeq[Any]] = {
    val bounds = columns.toIndexedSeq.map(bound(footer, _))
    if (bounds.forall(_.isDefined)) Some(bounds.flatten) else None
  }

  private def bound(footer: ParquetMetadata, column: StructField): Option[Any] = {
    val known = footer.getFileMetaData.getSchema.getFields.asScala.map(_.getName)
    // Columns of other letter case are matched by the session's settings; they are rare, and then read.
    if (!known.exists(_.equalsIgnoreCase(column.name))) Some(null)
    else {
      val bounds = footer.getBlocks.asScala.toSeq.map(boundsOf(_, column))
      if (bounds.exists(_.isEmpty)) None
      else Some(bounds.flatten.flatten.reduceOption((a, b) => if (MergeRule.compare(a, b) >= 0) a else b).orNull)
    }
  }

  /** The greatest value, and null where there are nulls, which are not less than every value. */
  private def boundsOf(group: BlockMetaData, column: StructField): Option[Seq[Any]] = for {
    chunk <- group.getColumns.asScala.find(c => c.getPath.size == 1 && c.getPath.toDotString == column.name)
    statistics <- Option(chunk.getStatistics).filter(_.isNumNullsSet)
    nulls = if (statistics.getNumNulls > 0) Seq[Any](null) else Nil
    values <-
      if (statistics.getNumNulls == group.getRowCount) Some(Nil)
      else if (statistics.hasNonNullValue) greatest(statistics, annotation(chunk), column.dataType).map(Seq(_))
      else None
  } yield nulls ++ values

  private def annotation(chunk: ColumnChunkMetaData): Option[LogicalTypeAnnotation] =
    Option(chunk.getPrimitiveType.getLogicalTypeAnnotation)

  /** Fractions are left out, whose bounds can hide a NaN, and decimals, which have many forms. */
  private def greatest(
      statistics: Statistics[_], written: Option[LogicalTypeAnnotation], wanted: DataType): Option[Any] =
    (statistics, written, wanted) match {
      case (s: IntStatistics, None, IntegerType) => Some(s.getMax)
      case (s: IntStatistics, None, LongType) => Some(s.getMax.toLong)
      case (s: LongStatistics, None, LongType) => Some(s.getMax)
      case (s: IntStatistics, Some(_: DateLogicalTypeAnnotation), DateType) => Some(s.getMax).filter(_ >= CertainDays)
      case (s: LongStatistics, Some(t: TimestampLogicalTypeAnnotation), TimestampType)
          if t.getUnit == TimeUnit.MICROS && t.isAdjustedToUTC =>
        Some(s.getMax).filter(_ >= CertainDays * MicrosPerDay)
      // A writer that cuts a long bound makes it greater.
      case (s: BinaryStatistics, Some(_: StringLogicalTypeAnnotation), StringType) =>
        Some(UTF8String.fromBytes(s.genericGetMax.getBytes))
      case _ => None
    }

  // 1901-01-01: what was written before 1900 in the old calendar is shifted by readers, but not to behind that.
  private val CertainDays = -25202
  private val MicrosPerDay = 86400L * 1000000L
}
