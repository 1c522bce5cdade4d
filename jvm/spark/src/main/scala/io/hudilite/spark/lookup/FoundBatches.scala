package io.hudilite.spark.lookup

import io.hudilite.spark.basefile.read.{OldRows, SelectedVector, SplitReader}

import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** The rows of a base file that have one of some keys, in batches that are each valid until the next.
  *
  * @param order
  *   the columns to show, by their positions in the file's batches; the first ones stand where they are
  * @param keyColumn
  *   position of the record key
  * @param selected
  *   room for the numbers of the rows of a batch
  * @param wanted
  *   how many keys are looked for; those that are not found count as let pass in vain
  * @param numbers
  *   a last column has the numbers of the rows: nothing of the file is skipped, so that counting gives them
  */
private[lookup] final class FoundBatches(file: OldRows, order: Seq[Int], keyColumn: Int, selection: KeySelection,
    selected: Array[Int], wanted: Int, numbers: Boolean, metrics: ProbeMetrics) extends SplitReader[ColumnarBatch] {

  private val counted = if (numbers) Some(new OnHeapColumnVector(selected.length, LongType)) else None
  private var shown: Array[ColumnVector] = _
  private var batch = new ColumnarBatch(Array.empty[ColumnVector])
  private var behind = 0L
  private var missing = wanted
  private var ended = false

  override def next(): Boolean = {
    // hot path: once per batch
    var count = 0
    while (count == 0 && !ended && file.next()) {
      count = selection.select(file.vectors(keyColumn), file.rows, selected)
      metrics.rowsRead += file.rows
      counted.foreach(number(_, count))
      behind += file.rows
    }
    metrics.found += count
    missing -= count
    if (count > 0) show()
    batch.setNumRows(count)
    if (count == 0 && !ended) end()
    count > 0
  }

  // Mostly they are those of the batch before.
  private def show(): Unit = if (file.vectors ne shown) {
    shown = file.vectors
    batch = new ColumnarBatch((order.map(i => new SelectedVector(shown(i), selected): ColumnVector) ++ counted).toArray)
  }

  private def end(): Unit = {
    if (missing > 0) metrics.falsePositives += missing // a metric of Spark's never takes anything back
    ended = true
    close()
  }

  private def number(vector: OnHeapColumnVector, count: Int): Unit = {
    var i = 0
    while (i < count) { // hot path
      vector.putLong(i, behind + selected(i))
      i += 1
    }
  }

  override def get(): ColumnarBatch = batch

  override def size: Int = batch.numRows

  override def close(): Unit = file.close()
}
