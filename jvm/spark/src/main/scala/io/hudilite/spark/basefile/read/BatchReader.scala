package io.hudilite.spark.basefile.read

import org.apache.spark.TaskContext
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Batches of one split by Spark's vectorized parquet reader.
  *
  * Columns keep the vectors that the reader filled, put in order. Only narrower types, and rows outside the range of an
  * incremental read, need a view on top. The batch that `get` returns is reused.
  */
private[spark] final class BatchReader(job: FileRead, file: BaseFileReader)
    extends SplitReader[ColumnarBatch] {

  private val commitTimes: Array[UTF8String] = job.commitTimes.toArray.flatten.map(UTF8String.fromString)

  // Constant values by the positions of the wanted columns.
  private val constants: Map[Int, UTF8String] =
    ConstantColumns.of(file.footer, file.columns.requested, except = file.filtered)
  private val (known, read) = file.columns.requested.indices.partition(constants.contains)

  private val toRead = StructType(read.map(file.columns.requested(_)))
  private val mostRows = BatchRows.of(file.footer.getBlocks.asScala.toSeq, toRead, job.settings.batchSize)
  private val batches = new FileBatches(file.hadoopSplit, file.footer,
    FileColumns(toRead, read.map(file.columns.conversions)), file.context(toRead), file.calendar, mostRows,
    job.settings.offHeap && TaskContext.get() != null,
    known.map(i => file.columns.requested(i) -> constants(i)))
  private val vectors: Array[ColumnVector] = arrange()
  private val whole = new ColumnarBatch(vectors)
  private val selection = new Array[Int](mostRows)
  private lazy val selected = new ColumnarBatch(vectors.map(v => new SelectedVector(v, selection): ColumnVector))
  private var current: ColumnarBatch = whole

  /** Vectors of the columns to deliver. */
  private def arrange(): Array[ColumnVector] = job.columns.indices.map(vector).toArray

  /** Vector of a wanted column. The file's batches have the columns that are read, then the constants. */
  private def vector(wanted: Int): ColumnVector =
    if (constants.contains(wanted))
      ColumnView.of(batches.vectors(read.size + known.indexOf(wanted)), file.columns.conversions(wanted))
    else batches.vectors(read.indexOf(wanted))

  override def next(): Boolean = {
    // hot path: once per batch
    var found = false
    var more = true
    while (!found && more) {
      more = batches.next()
      if (more) found = select()
    }
    found
  }

  /** Sets `current` to the rows of the batch that are delivered; `false` when there are none. */
  private def select(): Boolean = {
    val rows = batches.rows
    val count = if (job.commitTimes.isEmpty) rows else matching(rows)
    current = if (count == rows) whole else selected
    current.setNumRows(count)
    count > 0
  }

  private def matching(rows: Int): Int = {
    // hot path
    val column = vector(file.commitTimeColumn)
    var count = 0
    var row = 0
    while (row < rows) {
      if (!column.isNullAt(row) && isSelected(column.getUTF8String(row))) {
        selection(count) = row
        count += 1
      }
      row += 1
    }
    count
  }

  private def isSelected(time: UTF8String): Boolean = {
    // hot path: a range holds few instants, and neighbours mostly share theirs
    var i = 0
    while (i < commitTimes.length && commitTimes(i) != time) i += 1
    val found = i < commitTimes.length
    if (found && i > 0) {
      val first = commitTimes(0)
      commitTimes(0) = commitTimes(i)
      commitTimes(i) = first
    }
    found
  }

  override def get(): ColumnarBatch = current

  override def size: Int = current.numRows

  override def close(): Unit = batches.close()
}
