package io.hudilite.spark.logfile.read

import io.hudilite.filegroup.FileSlice
import io.hudilite.merge.{MergeRule, Outcome}
import io.hudilite.spark.row.{ExternalSort, RunningTask, SortColumn}

import java.io.Closeable

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.unsafe.types.UTF8String

/** The log records of one slice, one a key after merging among themselves.
  *
  * They come in the order of the keys' UTF-8 bytes, or in that of the base file's rows that they replace, behind those
  * whose keys the base file does not have. Sorting them
  * takes its memory from the task's memory manager and spills; besides, one block is in memory at a time.
  */
final class MergedLog private (rows: LogRowLayout, order: SortColumn, sorted: SortedLog) extends Closeable {

  /** Decides between records, and between a record and a row of the base file. */
  private[spark] val rule: MergeRule = rows.job.rule

  private val later = new LogRecord(rows)
  private val winner = UnsafeRow.createFromByteArray(0, rows.schema.length) // copyFrom needs an array of its own
  private var ahead: UnsafeRow = sorted.next()

  /** The record that `next` moved to. */
  private[spark] val record: LogRecord = new LogRecord(rows)

  /** A second view on records that were kept. */
  private[spark] def newRecord(): LogRecord = new LogRecord(rows)

  private[spark] def recordFields: Int = rows.schema.length

  /** By the bounds of the base file's ordering values that came with the log, each record wins over every row of it. */
  private[spark] def winOverBase: Boolean = sorted.winOverBase

  /** Log records read, before merging. */
  def records: Long = sorted.records

  /** Moves on to the next key; `false` behind the last one. */
  def next(): Boolean = {
    // hot path
    val found = ahead != null
    if (found) {
      winner.copyFrom(ahead)
      record.moveTo(winner)
      ahead = sorted.next()
      while (ahead != null && order.compare(ahead, winner) == 0) {
        merge()
        ahead = sorted.next()
      }
    }
    found
  }

  /** Moves through all keys that are left, unless Spark has killed the task. */
  private[spark] def eachKey(take: => Unit): Unit = {
    var seen = 0L
    while (next()) { // hot path
      if ((seen & MergedLog.KillCheckMask) == 0) RunningTask.stopIfKilled()
      seen += 1
      take
    }
  }

  /** The next record against those of its key before it. */
  private def merge(): Unit = rule.decide(later.moveTo(ahead), record) match { // hot path
    case Outcome.Kept =>
    case Outcome.Replaced | Outcome.Deleted => winner.copyFrom(ahead)
    case Outcome.Overlaid => winner.copyFrom(rows.overlay(ahead, winner))
    case Outcome.Underlaid => winner.copyFrom(rows.overlay(winner, ahead))
  }

  def key: UTF8String = record.key

  def isDelete: Boolean = record.isDelete

  /** The wanted columns, reused by `next`; null for a delete block's record, which has no values. */
  def row: InternalRow = record.row

  override def close(): Unit = sorted.close()
}

object MergedLog {

  private val KillCheckMask = 0x3ffL

  /** The records of the slice's logs in the order of their keys. */
  private[spark] def of(rows: LogRowLayout, slice: FileSlice, conf: Configuration): MergedLog =
    of(rows, LogBlocks.of(rows.job, slice, conf), conf)

  /** The records of these blocks in the order of their keys.
    *
    * @param bounds
    *   limits that the values of the base file's ordering columns do not exceed, if they are known
    * @param keys
    *   of the records that are wanted, sorted by their UTF-8 bytes; `None` for those of all keys
    */
  private[spark] def of(rows: LogRowLayout, blocks: LogBlocks, conf: Configuration,
      bounds: Option[IndexedSeq[Any]] = None, keys: Option[Array[UTF8String]] = None): MergedLog = {
    val order = SortColumn.Text(rows.keyOrdinal)
    val sorted = SortedLog.read(rows, blocks, conf, order, positions = false, bounds, keys)
    new MergedLog(rows, order, sorted.getOrElse(throw new IllegalStateException("every record has a key")))
  }

  /** As [[of]]; the records have the positions of the base file's rows that they replace when every block says them. */
  private[spark] def withPositions(rows: LogRowLayout, blocks: LogBlocks, conf: Configuration): MergedLog = {
    val order = SortColumn.Text(rows.keyOrdinal)
    val placed = if (blocks.havePositions) SortedLog.read(rows, blocks, conf, order, positions = true) else None
    placed.map(new MergedLog(rows, order, _)).getOrElse(of(rows, blocks, conf))
  }

  /** The records in the order of the base file's rows that they replace, before them those that replace none; `None` when
    * a block does not say it of all its records.
    */
  private[spark] def byPosition(
      rows: LogRowLayout, blocks: LogBlocks, conf: Configuration, bounds: Option[IndexedSeq[Any]]): Option[MergedLog] =
    if (!blocks.havePositions) None
    else {
      val order = SortColumn.NumberOrText(LogRowLayout.Position, rows.keyOrdinal)
      SortedLog.read(rows, blocks, conf, order, positions = true, bounds).map(new MergedLog(rows, order, _))
    }
}

/** All records of a slice's logs, sorted; none is merged yet.
  *
  * @param winOverBase
  *   each of them wins over every row of the base file
  */
private[read] final class SortedLog private (
    sorter: UnsafeExternalRowSorter, val records: Long, val winOverBase: Boolean) extends Closeable {

  private val sorted: Iterator[InternalRow] = sorter.sort()

  /** The next record, which is reused, or null behind the last one. */
  def next(): UnsafeRow = if (sorted.hasNext) sorted.next().asInstanceOf[UnsafeRow] else null

  override def close(): Unit = sorter.cleanupResources()
}

private[read] object SortedLog {

  /** Reads and sorts the records; those that are equal in `order` keep that in which they were written. `None` when
    * positions are wanted and a block has not one for each record.
    *
    * @param keys
    *   of the records that are wanted, sorted by their UTF-8 bytes; `None` for those of all keys
    */
  def read(rows: LogRowLayout, blocks: LogBlocks, conf: Configuration, order: SortColumn, positions: Boolean,
      bounds: Option[IndexedSeq[Any]] = None, keys: Option[Array[UTF8String]] = None): Option[SortedLog] = {
    val sorter = ExternalSort.sorter(rows.schema, order, Some(SortColumn.Number(LogRowLayout.Sequence)),
      blocks.selected.map(_.contentLength).sum)
    try {
      val records = new LogRecords(rows, blocks, conf, positions, bounds)
      if (records.foreach(wanted(rows, keys)(sorter.insertRow)))
        Some(new SortedLog(sorter, records.count, records.winOverBase))
      else {
        sorter.cleanupResources()
        None
      }
    } catch {
      case e: Throwable =>
        sorter.cleanupResources()
        throw e
    }
  }

  private def wanted(rows: LogRowLayout, keys: Option[Array[UTF8String]])(take: UnsafeRow => Unit)
      : UnsafeRow => Unit =
    keys.fold(take) { sorted =>
      val all = sorted.asInstanceOf[Array[AnyRef]]
      row => if (java.util.Arrays.binarySearch(all, row.getUTF8String(rows.keyOrdinal)) >= 0) take(row) // hot path
    }
}
