package io.hudilite.spark.basefile.read

import io.hudilite.spark.shim.VectorizedReaders

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.execution.datasources.parquet.VectorizedParquetRecordReader
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.JavaConverters._

/** Batches of one split by Spark's vectorized parquet reader.
  *
  * Columns keep the vectors that the reader filled, put in order; only narrower types and rows outside the range of an
  * incremental read put a view on top. The batch is reused, so is what `get` returns.
  */
private[spark] final class BatchReader(job: FileRead, file: BaseFileReader)
    extends SplitReader[ColumnarBatch] {

  private val commitTimes: Array[UTF8String] = job.commitTimes.toArray.flatten.map(UTF8String.fromString)

  // By the positions of the wanted columns.
  private val constants: Map[Int, UTF8String] =
    ConstantColumns.of(file.footer, file.columns.requested, except = file.filtered)
  private val (known, read) = file.columns.requested.indices.partition(constants.contains)

  private val toRead = StructType(read.map(file.columns.requested(_)))
  private val mostRows = BatchRows.of(file.footer.getBlocks.asScala.toSeq, toRead, job.settings.batchSize)
  private val reader = open()
  private val vectors: Array[ColumnVector] = arrange(reader.resultBatch())
  private val whole = new ColumnarBatch(vectors)
  private val selection = new Array[Int](mostRows)
  private lazy val selected = new ColumnarBatch(vectors.map(v => new SelectedVector(v, selection): ColumnVector))
  private var current: ColumnarBatch = whole

  private def open(): VectorizedParquetRecordReader = {
    val settings = job.settings
    val created = new VectorizedParquetRecordReader(file.int96Zone.orNull, file.datetimeRebase.mode.toString,
      file.datetimeRebase.timeZone, file.int96Rebase.mode.toString, file.int96Rebase.timeZone,
      settings.offHeap && TaskContext.get() != null, mostRows)
    try {
      VectorizedReaders.initialize(created, file.hadoopSplit, file.context(toRead), file.footer)
      created.initBatch(StructType(known.map(file.columns.requested(_))),
        new GenericInternalRow(known.map(constants).toArray[Any]))
      created.enableReturningBatches()
      created
    } catch {
      case e: Throwable =>
        created.close()
        throw e
    }
  }

  /** The vectors of the columns to deliver. */
  private def arrange(batch: ColumnarBatch): Array[ColumnVector] =
    job.columns.indices.map(at => ColumnView.of(vector(batch, at), file.columns.conversions(at))).toArray

  /** The reader delivers the columns that it reads, then the constants. */
  private def vector(batch: ColumnarBatch, wanted: Int): ColumnVector =
    batch.column(if (constants.contains(wanted)) read.size + known.indexOf(wanted) else read.indexOf(wanted))

  override def next(): Boolean = {
    // hot path: once per batch
    var found = false
    var more = true
    while (!found && more) {
      more = reader.nextKeyValue()
      if (more) found = select()
    }
    found
  }

  /** Sets `current` to the rows of the batch that count; `false` when there are none. */
  private def select(): Boolean = {
    val batch = reader.resultBatch()
    val count = if (job.commitTimes.isEmpty) batch.numRows else matching(batch)
    current = if (count == batch.numRows) whole else selected
    current.setNumRows(count)
    count > 0
  }

  private def matching(batch: ColumnarBatch): Int = {
    // hot path
    val column = vector(batch, file.commitTimeColumn)
    val rows = batch.numRows
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

  override def close(): Unit = reader.close()
}
