package io.hudilite.spark.basefile.read

import java.util.Locale

import org.apache.parquet.column.statistics.BinaryStatistics
import org.apache.parquet.hadoop.metadata.{ColumnChunkMetaData, ParquetMetadata}
import org.apache.parquet.io.api.Binary
import org.apache.parquet.schema.LogicalTypeAnnotation.StringLogicalTypeAnnotation
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector
import org.apache.spark.sql.types.{DataType, StringType, StructType}
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Text columns with one value in all rows of a file, by the statistics in its footer: partition columns, and most of
  * Hudi's own. A read of one would cost more than that of a column of numbers, and would make a text for each row.
  */
private[read] object ConstantColumns {

  /** Longest text whose bounds no writer cuts, since some cut them to 64 bytes. */
  private val LongestBytes = 63

  /** Values by the positions of the columns among the requested ones.
    *
    * @param footer
    *   footer with the row groups that are read
    * @param except
    *   columns that are read all the same, in lower case
    */
  def of(footer: ParquetMetadata, requested: StructType, except: Set[String] = Set.empty): Map[Int, UTF8String] = {
    val texts = requested.fields.filter(f => f.dataType == StringType && !except(f.name.toLowerCase(Locale.ROOT)))
      .map(_.name).toSet
    val groups = footer.getBlocks.asScala.toSeq.map(group => named(group.getColumns.asScala, texts))
    if (groups.isEmpty) Map.empty
    else (for {
      (field, position) <- requested.fields.toSeq.zipWithIndex
      values = groups.map(_.get(field.name).flatMap(only)).distinct
      value <- values.head if values.size == 1
    } yield position -> UTF8String.fromBytes(value.getBytes)).toMap
  }

  private def named(chunks: Iterable[ColumnChunkMetaData], names: Set[String]): Map[String, ColumnChunkMetaData] =
    chunks.iterator.filter(_.getPath.size == 1).map(c => c.getPath.iterator.next() -> c).filter(c => names(c._1)).toMap

  /** The only value of a chunk without nulls. */
  private def only(chunk: ColumnChunkMetaData): Option[Binary] = chunk.getStatistics match {
    case s: BinaryStatistics if isText(chunk) && s.isNumNullsSet && s.getNumNulls == 0 && s.hasNonNullValue =>
      Some(s.genericGetMin).filter(min => min == s.genericGetMax && min.length <= LongestBytes)
    case _ => None
  }

  private def isText(chunk: ColumnChunkMetaData): Boolean =
    chunk.getPrimitiveType.getLogicalTypeAnnotation.isInstanceOf[StringLogicalTypeAnnotation]
}

/** A column of one value. */
private[spark] object ConstantColumn {

  /** @param value
    *   in Spark's internal form
    */
  def of(rows: Int, dataType: DataType, value: Any): ColumnVector = {
    val vector = new ConstantColumnVector(rows, dataType)
    value match {
      case flag: Boolean => vector.setBoolean(flag)
      case number: Byte => vector.setByte(number)
      case number: Short => vector.setShort(number)
      case number: Int => vector.setInt(number)
      case number: Long => vector.setLong(number)
      case text: UTF8String => vector.setUtf8String(text)
      case null => vector.setNull()
      case other => throw new IllegalStateException(s"no column of one ${other.getClass}")
    }
    vector
  }
}
