package io.hudilite.spark.slice

import io.hudilite.merge.{MergeRule, Outcome, Version}
import io.hudilite.spark.basefile.encode.BaseFileWriter
import io.hudilite.spark.basefile.read.OldBaseFile
import io.hudilite.spark.row.KeyCheck

import java.io.Closeable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** The loop over the rows of a base file and newer versions of some of them, both in the order of the keys' bytes, on the
  * way into the file group's next base file. Writes hand their changes over one by one, compactions the records of a log.
  *
  * The two loops that make rows for readers are others, because they hand rows on instead of writing them: [[MergedBatches]]
  * leaves base rows in the vectors that Spark's reader filled, and never looks at most of them; [[MergedRows]] has only
  * the few rows that a lookup asked for, with columns that say where each of them is.
  *
  * @param old
  *   the file; `None` where the slice has only log files
  * @param ordinals
  *   of the data columns with the ordering values that `rule` compares
  * @param keys
  *   looks at the keys of the file that are read
  */
private[spark] final class BaseMerge(
    old: Option[OldBaseFile], val writer: BaseFileWriter, rule: MergeRule, ordinals: Array[Int],
    keys: KeyCheck = KeyCheck.None)
    extends Closeable {

  private val rows: BaseFileCursor =
    old.fold[BaseFileCursor](NoBaseFile)(BaseFileCursor.open(_, writer, ordinals, keys))

  private val older = new Version {
    override def ordering(field: Int): Any = rows.value(ordinals(field))
  }

  private var stayed = 0
  private var askedAt = -1L // the last row that was asked for by its number

  /** Rows that the last `overtake` kept. */
  def kept: Int = stayed

  /** Old rows that were not kept or left out yet. */
  def remaining: Long = rows.remaining

  /** Keeps the rows below this key, and tells whether there is one with it. */
  def seek(key: UTF8String): Boolean = {
    rows.keepBelow(key)
    rows.isAt(key)
  }

  /** Leaves out the rows with the key of the last `seek` over which the newer version wins, keeps the others, and calls
    * `ended` for each of those left out. Tells how many they were.
    */
  def overtake(key: UTF8String, newer: Version)(ended: => Unit): Int = {
    // hot path
    var overtaken = 0
    stayed = 0
    while (rows.isAt(key)) if (decide(newer)) {
      overtaken += 1
      ended
    }
    overtaken
  }

  /** The same for the first row with the key alone: of several, readers replace the first by what a log has. */
  def overtakeFirst(key: UTF8String, newer: Version): Boolean = {
    stayed = 0
    rows.isAt(key) && decide(newer)
  }

  /** Puts a version that lacks columns on top of the first row with the key of the last `seek`, unless that row wins. Tells
    * whether it did.
    *
    * @param row
    *   the row to write, in the columns of `CarriedSchema`, given the value of an old row by the ordinal of its data column; it
    *   must not refer to the old row
    */
  def completeFirst(key: UTF8String, newer: Version)(row: (Int => Any) => InternalRow): Boolean =
    rows.isAt(key) &&
      (rule.decide(newer, older) match {
        case Outcome.Overlaid =>
          val whole = row(rows.value)
          rows.dropOne()
          rows.settle()
          writer.keepRow(whole)
          true
        case _ =>
          rows.keepOne()
          false
      })

  /** The same as `overtake` for the row with this number in the old file; those before it are kept. Rows of a key are
    * asked for in the order of their numbers. A row asked for again, as several rows of a source delete it, is not left out
    * again.
    */
  def overtakeAt(key: UTF8String, position: Long, newer: Version): Boolean = position != askedAt && {
    stayed = 0
    askedAt = position
    while (rows.isAt(key) && rows.position < position) rows.keepOne()
    if (!rows.isAt(key) || rows.position != position)
      throw new IllegalStateException(s"the row $position of the old base file does not have the key $key")
    decide(newer)
  }

  /** Leaves the next row out, unless it is kept; whether it was left out. */
  private def decide(newer: Version): Boolean = rule.decide(newer, older) match {
    case Outcome.Kept =>
      rows.keepOne()
      stayed += 1
      false
    case Outcome.Replaced | Outcome.Deleted =>
      rows.dropOne()
      true
    case Outcome.Overlaid | Outcome.Underlaid => throw new IllegalStateException("a version that lacks columns")
  }

  /** Makes sure that all rows below the key of the last `seek` are in the new file, before a row with that key is. */
  def settle(): Unit = rows.settle()

  /** Keeps all rows that are left, and finishes the old file. */
  def keepRest(): Unit = {
    rows.keepRest()
    close()
  }

  /** Closes what reads the old file; the new one is the caller's. */
  override def close(): Unit = rows.close()
}
