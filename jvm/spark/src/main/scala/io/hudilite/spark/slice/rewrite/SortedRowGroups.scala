package io.hudilite.spark.slice.rewrite

import io.hudilite.spark.basefile.encode.BaseFileWriter
import io.hudilite.spark.basefile.read.{OldBaseFile, OldRows}
import io.hudilite.spark.row.{CarriedSchema, KeyCheck, OrderedRows}

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray}
import org.apache.spark.unsafe.types.UTF8String

/** Rows of a file that is sorted by key, row group by row group.
  *
  * Runs of kept rows go from column vectors to the new file column by column. A row group without a change is not even
  * read: its column chunks are copied as bytes, see [[RowGroupCopy]]. Of one whose first row is replaced, perhaps all
  * rows are: until one is kept only the keys and what is compared are read.
  *
  * @param compared
  *   ordinals of the data columns whose values are asked for
  * @param keys
  *   looks at the keys that are read
  */
private[slice] final class SortedRowGroups(old: OldBaseFile, writer: BaseFileWriter, compared: Array[Int],
    keys: KeyCheck) extends OrderedRows with BaseFileCursor {

  private val ranges = old.blocks.map(OldBaseFile.keyRange)
  private val copy = new RowGroupCopy(old, writer)

  private val few: Array[Int] = (CarriedSchema.KeyOrdinal +: compared.map(CarriedSchema.Meta.size + _)).distinct

  private var group = 0
  private var batches: OldRows = _
  private var batch = 0 // how many were read of the row group
  private var vectors: Array[ColumnVector] = _ // null for a column that is not read
  private var whole = false // all columns are read
  private var rows = 0
  private var runStart = 0
  private var next = 0
  private var passed = 0L
  private var sought: UTF8String = _ // what `compare` compares with

  override def remaining: Long = old.rows - passed - next

  override def keepBelow(key: UTF8String): Unit = {
    var searching = true
    while (searching) { // hot path
      if (batches != null) searching = !findInBatch(key)
      else if (group >= old.blocks.length || startsAbove(key)) searching = false
      else if (endsBelow(key)) passGroup()
      else openGroup(all = !startsAt(key))
    }
  }

  private def startsAbove(key: UTF8String): Boolean =
    ranges(group).exists { case (smallest, _) => order(smallest, key) > 0 }

  private def startsAt(key: UTF8String): Boolean =
    ranges(group).exists { case (smallest, _) => order(smallest, key) == 0 }

  private def endsBelow(key: UTF8String): Boolean =
    ranges(group).exists { case (_, largest) => order(largest, key) < 0 }

  private def order(bytes: Array[Byte], key: UTF8String): Int = UTF8String.fromBytes(bytes).compareTo(key)

  /** Moves to the first row of the batch that is not below the key; false when the batch has none and was passed. */
  private def findInBatch(key: UTF8String): Boolean = {
    sought = key
    next = firstNotBelow(next, rows)
    val found = next < rows
    if (!found) nextBatch()
    found
  }

  override protected def compare(row: Int): Int = keyAt(row).compareTo(sought)

  private def keyAt(row: Int): UTF8String = vectors(CarriedSchema.KeyOrdinal).getUTF8String(row)

  private def openGroup(all: Boolean): Unit = {
    openColumns(all)
    batch = 0
    nextBatch()
  }

  private def openColumns(all: Boolean): Unit = {
    val blocks = Seq(old.blocks(group))
    batches = if (all) old.batches(blocks) else old.batches(blocks, few)
    vectors = if (all) batches.vectors else new Array[ColumnVector](old.columns.conversions.length)
    if (!all) few.indices.foreach(i => vectors(few(i)) = batches.vectors(i))
    whole = all
  }

  /** Goes on with all columns, at the same row. */
  private def readWhole(): Unit = if (!whole) {
    batches.close()
    batches = null
    openColumns(all = true)
    (0 until batch).foreach(_ => batches.next())
  }

  /** Settles the current batch and reads the next one, or closes the row group when there is none. */
  private def nextBatch(): Unit = {
    settle()
    passed += rows
    runStart = 0
    next = 0
    if (batches.next()) {
      rows = batches.rows
      batch += 1
      keys.check(vectors(CarriedSchema.KeyOrdinal), rows)
    } else {
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
      openGroup(all = true)
      keepGroup()
    }

  private def keepGroup(): Unit =
    while (batches != null) {
      next = rows
      nextBatch()
    }

  override def isAt(key: UTF8String): Boolean = {
    if (batches != null && next >= rows) nextBatch()
    if (batches == null && group < old.blocks.length && !startsAbove(key)) openGroup(all = !startsAt(key))
    batches != null && next < rows && keyAt(next) == key
  }

  override def position: Long = passed + next

  override def value(ordinal: Int): Any = {
    if (vectors(CarriedSchema.Meta.size + ordinal) == null) readWhole()
    val vector = vectors(CarriedSchema.Meta.size + ordinal)
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
      readWhole()
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
