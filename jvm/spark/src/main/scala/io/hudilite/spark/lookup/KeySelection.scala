package io.hudilite.spark.lookup

import io.hudilite.spark.row.OrderedRows

import java.util

import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

/** Finds the rows of a base file that have one of some keys, batch by batch. */
private[lookup] trait KeySelection {

  /** Puts the numbers of the rows found into `into`, ascending, and says how many there are.
    *
    * @param keys
    *   record keys of the batch
    */
  def select(keys: ColumnVector, rows: Int, into: Array[Int]): Int
}

/** For files with their rows in the order of the keys' UTF-8 bytes: most keys of the file are leapt over.
  *
  * @param wanted
  *   in the same order
  */
private[lookup] final class InOrder(wanted: Array[UTF8String]) extends OrderedRows with KeySelection {

  private var next = 0
  private var keys: ColumnVector = _

  override protected def compare(row: Int): Int = keys.getUTF8String(row).compareTo(wanted(next))

  override def select(column: ColumnVector, rows: Int, into: Array[Int]): Int = {
    // hot path
    keys = column
    var count = 0
    var row = 0
    while (row < rows && next < wanted.length) {
      row = firstNotBelow(row, rows)
      if (row < rows) {
        val key = keys.getUTF8String(row)
        while (next < wanted.length && wanted(next).compareTo(key) < 0) next += 1
        if (next < wanted.length && wanted(next) == key) {
          into(count) = row // the same key may follow
          count += 1
          row += 1
        }
      }
    }
    count
  }
}

/** For files of other writers. */
private[lookup] final class AnyOrder(wanted: Array[UTF8String]) extends KeySelection {

  private val set = new util.HashSet[UTF8String](wanted.length * 2)
  wanted.foreach(set.add)

  override def select(keys: ColumnVector, rows: Int, into: Array[Int]): Int = {
    // hot path
    var count = 0
    var row = 0
    while (row < rows) {
      if (set.contains(keys.getUTF8String(row))) {
        into(count) = row
        count += 1
      }
      row += 1
    }
    count
  }
}
