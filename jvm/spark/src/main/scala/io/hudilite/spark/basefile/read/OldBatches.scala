package io.hudilite.spark.basefile.read

import io.hudilite.spark.shim.VectorizedReaders

import java.io.Closeable

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapred.FileSplit
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ParquetMetadata}
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.vectorized.ColumnVector

import scala.collection.JavaConverters._

/** Old rows in batches, by Spark's vectorized parquet reader; the vectors are reused from batch to batch.
  *
  * @param footer
  *   the file's footer
  * @param blocks
  *   the row groups to read, neighbours, at least one
  * @param columns
  *   the columns to read
  * @param sizedFor
  *   the columns whose width says how many rows a batch has, `None` for those that are read
  */
private[spark] final class OldBatches(path: Path, footer: ParquetMetadata, blocks: Seq[BlockMetaData],
    columns: FileColumns, readers: ReaderContexts, sizedFor: Option[FileColumns] = None)
    extends Closeable {

  private val reader = open()

  /** The columns in the types that are wanted. */
  val vectors: Array[ColumnVector] = {
    val batch = reader.resultBatch()
    Array.tabulate(batch.numCols)(i => ColumnView.of(batch.column(i), columns.conversions(i)))
  }

  /** Rows of the current batch. */
  def rows: Int = reader.resultBatch().numRows

  /** Moves on to the next batch; false when there is none. */
  def next(): Boolean = reader.nextKeyValue()

  override def close(): Unit = reader.close()

  private def batchRows: Int = BatchRows.of(blocks, sizedFor.getOrElse(columns).requested,
    SQLConf.get.parquetVectorizedReaderBatchSize)

  private def open(): VectorizedParquetRecordReader = {
    val facts = footer.getFileMetaData
    val entry = (key: String) => facts.getKeyValueMetaData.get(key)
    val dates = DataSourceUtils.datetimeRebaseSpec(entry, "CORRECTED")
    val times = DataSourceUtils.int96RebaseSpec(entry, "CORRECTED")
    val created = new VectorizedParquetRecordReader(null, dates.mode.toString, dates.timeZone, times.mode.toString,
      times.timeZone, false, batchRows)
    try {
      val start = blocks.head.getStartingPos
      val length = blocks.last.getStartingPos + blocks.last.getCompressedSize - start
      // A reader that is handed a footer reads all row groups in it.
      VectorizedReaders.initialize(created, new FileSplit(path, start, length, Array.empty[String]),
        readers.of(columns.requested, filter = None), new ParquetMetadata(facts, blocks.asJava))
      created.enableReturningBatches()
      created.resultBatch()
      created
    } catch {
      case e: Throwable =>
        created.close()
        throw e
    }
  }
}
