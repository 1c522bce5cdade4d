package io.hudilite.spark.slice

import io.hudilite.spark.basefile.encode.BaseFileWriter
import io.hudilite.spark.basefile.read.{OldBaseFile, OldBatches}
import io.hudilite.spark.row.KeptRows

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray}
import org.apache.spark.unsafe.types.UTF8String

/** Rows of a file that is sorted by key, row group by row group.
  *
  * Runs of kept rows go from column vectors to the new file column by column. A row group without a change is not even
  * read: its column chunks are copied as bytes, see [[RowGroupCopy]].
  */
private[slice] final class SortedRowGroups(old: OldBaseFile, writer: BaseFileWriter) extends OldRows {

  private val ranges = old.blocks.map(OldBaseFile.keyRange)
  private val copy = new RowGroupCopy(old, writer)

  private var group = 0
  private var batches: OldBatches = _
  private var vectors: Array[ColumnVector] = _
  private var rows = 0
  private var runStart = 0
  private var next = 0
  private var passed = 0L

  override def remaining: Long = old.rows - passed - next

  override def keepBelow(key: UTF8String): Unit = {
    var searching = true
    while (searching) { // hot path
      if (batches != null) searching = !findInBatch(key)
      else if (group >= old.blocks.length || startsAbove(key)) searching = false
      else if (endsBelow(key)) passGroup()
      else openGroup()
    }
  }

  private def startsAbove(key: UTF8String): Boolean =
    ranges(group).exists { case (smallest, _) => compare(smallest, key) > 0 }

  private def endsBelow(key: UTF8String): Boolean =
    ranges(group).exists { case (_, largest) => compare(largest, key) < 0 }

  private def compare(bytes: Array[Byte], key: UTF8String): Int = UTF8String.fromBytes(bytes).compareTo(key)

  /** Moves to the first row of the batch that is not below the key; false when the batch has none and was passed. */
  private def findInBatch(key: UTF8String): Boolean =
    if (next >= rows || keyAt(rows - 1).compareTo(key) < 0) {
      next = rows
      nextBatch()
      false
    } else {
      var from = next
      var until = rows - 1
      while (from < until) { // hot path
        val middle = (from + until) >>> 1
        if (keyAt(middle).compareTo(key) < 0) from = middle + 1 else until = middle
      }
      next = from
      true
    }

  private def keyAt(row: Int): UTF8String = vectors(KeptRows.KeyOrdinal).getUTF8String(row)

  private def openGroup(): Unit = {
    batches = old.batches(Seq(old.blocks(group)))
    vectors = batches.vectors
    nextBatch()
  }

  /** Settles the current batch and reads the next one, or closes the row group when there is none. */
  private def nextBatch(): Unit = {
    settle()
    passed += rows
    runStart = 0
    next = 0
    if (batches.next()) rows = batches.rows
    else {
      rows = 0
      batches.close()
      batches = null
      group += 1
    }
  }

  private def passGroup(): Unit =
    if (copy.pays(group)) {
      copy.append(group)
      passed += old.blocks(group).getRowCount
      group += 1
    } else {
      openGroup()
      keepGroup()
    }

  private def keepGroup(): Unit =
    while (batches != null) {
      next = rows
      nextBatch()
    }

  override def isAt(key: UTF8String): Boolean = {
    if (batches != null && next >= rows) nextBatch()
    if (batches == null && group < old.blocks.length && !startsAbove(key)) openGroup()
    batches != null && next < rows && keyAt(next) == key
  }

  override def position: Long = passed + next

  override def value(ordinal: Int): Any = {
    val vector = vectors(KeptRows.Meta.size + ordinal)
    if (vector.isNullAt(next)) null else new ColumnarArray(vector, next, 1).get(0, vector.dataType)
  }

  override def keepOne(): Unit = next += 1

  override def dropOne(): Unit = {
    settle()
    next += 1
    runStart = next
  }

  override def settle(): Unit =
    if (batches != null && runStart < next) {
      writer.keepRun(vectors, runStart, next)
      runStart = next
    }

  override def keepRest(): Unit = {
    if (batches != null) keepGroup()
    while (group < old.blocks.length) passGroup()
  }

  override def close(): Unit = {
    if (batches != null) batches.close()
    copy.close()
  }
}
