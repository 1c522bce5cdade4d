package io.hudilite.spark.logfile.read

import io.hudilite.spark.row.{ExternalSort, SortColumn}

import java.io.Closeable

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.unsafe.types.UTF8String

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
