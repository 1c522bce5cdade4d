package io.hudilite.spark.slice.deliver

import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.basefile.read.ScanFilter.{IsNull, Negation}

import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnChunkMetaData, ParquetMetadata}

import scala.collection.JavaConverters._

/** Nulls that filters leave out, such as those of `IS NOT NULL`, which Spark adds to most joins and comparisons. */
private[deliver] object FilteredNulls {

  /** The filters leave out nulls alone, and each row group has other values in these columns as well. Of a column that is
    * not found in the file by its name nothing is known.
    */
  def nowhereAlone(footer: ParquetMetadata, filters: Seq[ScanFilter]): Boolean = {
    val columns = ScanFilter.conjuncts(filters).map {
      case Negation(IsNull(column)) => Some(column.mkString("."))
      case _ => None
    }
    columns.forall(_.isDefined) &&
    footer.getBlocks.asScala.forall(group => columns.flatten.forall(chunk(group, _).exists(hasValues)))
  }

  private def chunk(group: BlockMetaData, column: String): Option[ColumnChunkMetaData] =
    group.getColumns.asScala.find(_.getPath.toDotString == column)

  // As Parquet has it, which reads a row group unless it knows that all values are null.
  private def hasValues(chunk: ColumnChunkMetaData): Boolean = Option(chunk.getStatistics)
    .forall(found => !found.isNumNullsSet || found.getNumNulls < chunk.getValueCount)
}
