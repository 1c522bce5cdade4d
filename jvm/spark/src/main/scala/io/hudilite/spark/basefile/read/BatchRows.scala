package io.hudilite.spark.basefile.read

import java.util.Locale

import org.apache.parquet.hadoop.metadata.BlockMetaData
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._

/** How many rows a batch holds. Spark's reader collects as many as the session says, however wide they are: 4096 rows of a
  * megabyte are more than a vector can hold. And it makes vectors for as many, however few there are to come: of a file of
  * twenty rows to make them would take longer than to read it.
  */
private[spark] object BatchRows {

  /** Size of a batch in bytes, after which another one begins. */
  val MostBytes: Long = 16L << 20

  /** By what the rows of a row group take on average in the file, before they are compressed.
    *
    * @param columns
    *   those that are read, by their names in the file
    * @param most
    *   what the session says
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
