package io.hudilite.spark.slice.rewrite

import io.hudilite.spark.slice.OutcomeSink
import io.hudilite.merge.{MergeRule, Outcome, Version}
import io.hudilite.spark.basefile.encode.BaseFileWriter
import io.hudilite.spark.basefile.read.OldBaseFile
import io.hudilite.spark.logfile.read.NewerVersion
import io.hudilite.spark.row.{CarriedSchema, KeyCheck}

import java.io.Closeable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/** The loop over the rows of a base file and newer versions of some of them, both in the order of the keys' bytes, on the
  * way into the file group's next base file. Writes hand their changes over one by one, compactions the records of a log.
  * Old rows that stay are written here, all others by the sink. `MergeLoop` is the one on the way to readers.
  *
  * @param old
  *   the file; `None` where the slice has only log files
  * @param ordinals
  *   of the data columns with the ordering values that `rule` compares
  * @param keys
  *   looks at the keys of the file that are read
  */
private[spark] final class BaseMerge(
    old: Option[OldBaseFile], writer: BaseFileWriter, rule: MergeRule, ordinals: Array[Int],
    sink: WriterSink, keys: KeyCheck = KeyCheck.None)
    extends Closeable {

  private val rows: BaseFileCursor =
    old.fold[BaseFileCursor](NoBaseFile)(BaseFileCursor.open(_, writer, ordinals, keys))

  private val older = new Version {
    override def ordering(field: Int): Any = rows.value(ordinals(field))
  }

  // By the columns of `CarriedSchema`, of which every version has those that are Hudi's.
  private val ofOlder: Int => Any = column => rows.value(column - CarriedSchema.Meta.size)

  private var stayed = 0
  private var askedAt = -1L // the last row that was asked for by its number

  /** Rows that the last `meet` or `meetAt` kept. */
  def kept: Int = stayed

  /** Old rows that were not kept or left out yet. */
  def remaining: Long = rows.remaining

  /** Keeps the rows below this key, and tells whether there is one with it. */
  def seek(key: UTF8String): Boolean = {
    rows.keepBelow(key)
    rows.isAt(key)
  }

  /** The next row has this key. */
  def isAt(key: UTF8String): Boolean = rows.isAt(key)

  /** Decides about all rows with the key of the last `seek`; answers how many there are. */
  def meet(key: UTF8String, newer: NewerVersion): Int = {
    // hot path
    var met = 0
    stayed = 0
    while (rows.isAt(key)) {
      decide(newer)
      met += 1
    }
    met
  }

  /** Decides about the first row with the key alone: of several, readers replace the first by what a log has. */
  def meetFirst(key: UTF8String, newer: NewerVersion): Unit = if (rows.isAt(key)) decide(newer)

  /** Decides about the row with this number in the old file; those before it are kept. Rows of a key are asked for in the
    * order of their numbers. A row asked for again, as several rows of a source delete it, is not decided about again.
    */
  def meetAt(key: UTF8String, position: Long, newer: NewerVersion): Unit = if (position != askedAt) {
    stayed = 0
    askedAt = position
    while (rows.isAt(key) && rows.position < position) {
      sink.kept(rows)
      rows.keepOne()
    }
    if (!rows.isAt(key) || rows.position != position)
      throw new IllegalStateException(s"the row $position of the old base file does not have the key $key")
    decide(newer)
  }

  /** Hands the sink a row without an old one, behind all rows below the key of the last `seek`. */
  def insert(row: InternalRow): Unit = {
    rows.settle()
    sink.inserted(row)
  }

  /** Keeps the next row or leaves it out; the sink sees it as it was, and writes behind the rows that were kept so far. */
  private def decide(newer: NewerVersion): Unit = rule.decide(newer, older) match { // hot path
    case Outcome.Kept => keep()
    case Outcome.Deleted =>
      sink.deleted(rows)
      rows.dropOne()
    case Outcome.Replaced => replace(newer.row)
    case Outcome.Overlaid => replace(newer.over(ofOlder))
    case Outcome.Underlaid =>
      val completed = newer.under(ofOlder)
      if (completed == null) keep() else replace(completed)
  }

  private def keep(): Unit = {
    sink.kept(rows)
    rows.keepOne()
    stayed += 1
  }

  private def replace(row: InternalRow): Unit = {
    rows.settle()
    sink.replaced(rows, row)
    rows.dropOne()
  }

  /** Keeps all rows that are left, and finishes the old file. */
  def keepRest(): Unit = {
    rows.keepRest()
    close()
  }

  /** Closes what reads the old file; the new one is the caller's. */
  override def close(): Unit = rows.close()
}

/** Rows of merged slices on their way into the next base file. */
private[spark] trait WriterSink extends OutcomeSink[BaseFileCursor]
