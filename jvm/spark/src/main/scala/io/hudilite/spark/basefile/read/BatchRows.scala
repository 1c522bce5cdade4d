package io.hudilite.spark.basefile.read

import java.util.Locale

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** Number of rows of a batch. Spark's reader collects as many as the session says, however wide they are, although a
  * vector cannot hold 4096 rows of a megabyte each. And it makes vectors for as many, however few rows there are: for a
  * file of twenty rows that would take longer than the read.
  */
private[spark] object BatchRows {

  /** Largest size of a batch in bytes. */
  val MostBytes: Long = 16L << 20

  /** Number of rows by the average size of a row in a row group, before compression.
    *
    * @param columns
    *   columns that are read, by their names in the file
    * @param most
    *   number that the session allows
    */
  def of(blocks: Seq[BlockMetaData], columns: StructType, most: Int): Int = {
    val names = columns.fieldNames.map(_.toLowerCase(Locale.ROOT)).toSet
    val atMost = blocks.map(_.getRowCount).foldLeft(1L)(math.max) // no batch goes beyond its row group
    (blocks.map(rowsOf(_, names)) :+ atMost :+ most.toLong).min.toInt
  }

  private def rowsOf(block: BlockMetaData, names: Set[String]): Long = {
    val bytes = block.getColumns.asScala.filter(chunk => names(chunk.getPath.iterator.next().toLowerCase(Locale.ROOT)))
      .map(_.getTotalUncompressedSize).sum
    if (bytes <= MostBytes) Long.MaxValue else math.max(1L, (MostBytes.toDouble / bytes * block.getRowCount).toLong)
  }
}
