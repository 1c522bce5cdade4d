package io.hudilite.spark.log

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.util.collection.unsafe.sort.{PrefixComparator, PrefixComparators}

/** What log records are sorted and merged by; records that are equal in it keep the order in which they were written.
  */
private[log] sealed abstract class LogOrder(prefixes: PrefixComparator) {

  def compare(a: InternalRow, b: InternalRow): Int

  protected def prefix: UnsafeExternalRowSorter.PrefixComputer

  final def isSame(a: UnsafeRow, b: UnsafeRow): Boolean = compare(a, b) == 0

  /** Spark's external sorter for rows of this schema: it takes its memory from the task's memory manager and spills. */
  final def sorter(rows: LogRows): UnsafeExternalRowSorter = {
    if (TaskContext.get() == null) throw new IllegalStateException("log records are merged in tasks only")
    val ordering = new Ordering[InternalRow] {
      override def compare(a: InternalRow, b: InternalRow): Int = {
        val order = LogOrder.this.compare(a, b)
        if (order != 0) order
        else java.lang.Long.compare(a.getLong(LogRows.Sequence), b.getLong(LogRows.Sequence))
      }
    }
    UnsafeExternalRowSorter.create(rows.schema, ordering, prefixes, prefix,
      SparkEnv.get.memoryManager.pageSizeBytes, false)
  }
}

private[log] object LogOrder {

  /** By the UTF-8 bytes of the record key. */
  final class ByKey(keyOrdinal: Int) extends LogOrder(PrefixComparators.STRING) {
    override def compare(a: InternalRow, b: InternalRow): Int =
      a.getUTF8String(keyOrdinal).compareTo(b.getUTF8String(keyOrdinal))
    override protected def prefix: UnsafeExternalRowSorter.PrefixComputer =
      new Prefixes(row => PrefixComparators.StringPrefixComparator.computePrefix(row.getUTF8String(keyOrdinal)))
  }

  /** By the row of the base file that the record replaces. */
  object ByPosition extends LogOrder(PrefixComparators.LONG) {
    override def compare(a: InternalRow, b: InternalRow): Int =
      java.lang.Long.compare(a.getLong(LogRows.Position), b.getLong(LogRows.Position))
    override protected def prefix: UnsafeExternalRowSorter.PrefixComputer =
      new Prefixes(_.getLong(LogRows.Position))
  }

  private final class Prefixes(of: InternalRow => Long) extends UnsafeExternalRowSorter.PrefixComputer {
    private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix
    override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
      prefix.isNull = false
      prefix.value = of(row)
      prefix
    }
  }
}
