package io.hudilite.spark.row

import org.apache.spark.{SparkEnv, TaskContext}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.execution.UnsafeExternalRowSorter.PrefixComputer
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.{PrefixComparator, PrefixComparators}

/** A column that rows are sorted by. */
sealed abstract class SortColumn(private[spark] val prefixes: PrefixComparator) extends Ordering[InternalRow] {
  def ordinal: Int

  /** Eight bytes of the value that distinguish most values. */
  private[spark] def prefix(row: InternalRow): Long
}

object SortColumn {

  /** A text, by its UTF-8 bytes. */
  final case class Text(ordinal: Int) extends SortColumn(PrefixComparators.STRING) {
    override def compare(a: InternalRow, b: InternalRow): Int =
      a.getUTF8String(ordinal).compareTo(b.getUTF8String(ordinal))
    override private[spark] def prefix(row: InternalRow): Long =
      PrefixComparators.StringPrefixComparator.computePrefix(row.getUTF8String(ordinal))
  }

  final case class Number(ordinal: Int) extends SortColumn(PrefixComparators.LONG) {
    override def compare(a: InternalRow, b: InternalRow): Int =
      java.lang.Long.compare(a.getLong(ordinal), b.getLong(ordinal))
    override private[spark] def prefix(row: InternalRow): Long = row.getLong(ordinal)
  }

  /** A number; rows with a negative one are sorted by the UTF-8 bytes of a text. */
  final case class NumberOrText(ordinal: Int, text: Int) extends SortColumn(PrefixComparators.LONG) {
    override def compare(a: InternalRow, b: InternalRow): Int = {
      val number = a.getLong(ordinal)
      val order = java.lang.Long.compare(number, b.getLong(ordinal))
      if (order != 0 || number >= 0) order else a.getUTF8String(text).compareTo(b.getUTF8String(text))
    }
    override private[spark] def prefix(row: InternalRow): Long = row.getLong(ordinal)
  }
}

/** Spark's external sorter. It takes its memory from the task's memory manager and spills. */
object ExternalSort {

  // Spark's pages have up to 64 MiB. To zero one takes longer than to sort the few rows of a file group. A task can
  // have 8192 pages.
  private val MaxPageBytes = 4L << 20
  private val MinPageBytes = 64L << 10

  /** A sorter of unsafe rows with this schema. Rows equal in `by` are sorted by `thenBy`.
    *
    * @param bytes
    *   expected size of the rows, to within a factor of some hundred, when it is known
    */
  def sorter(schema: StructType, by: SortColumn, thenBy: Option[SortColumn] = None, bytes: Long = MaxPageBytes)
      : UnsafeExternalRowSorter = {
    if (TaskContext.get() == null) throw new IllegalStateException("rows are sorted in tasks only")
    val order = thenBy.fold[Ordering[InternalRow]](by)(new ByTwo(by, _))
    // Spark keeps pages for their next use by their exact size.
    val wanted = java.lang.Long.highestOneBit(bytes.max(MinPageBytes).min(MaxPageBytes) * 2 - 1)
    val page = SparkEnv.get.memoryManager.pageSizeBytes.min(wanted)
    UnsafeExternalRowSorter.create(schema, order, by.prefixes, new Prefixes(by), page, false)
  }

  private final class ByTwo(first: SortColumn, second: SortColumn) extends Ordering[InternalRow] {
    override def compare(a: InternalRow, b: InternalRow): Int = {
      val order = first.compare(a, b)
      if (order != 0) order else second.compare(a, b)
    }
  }

  /** Prefixes that the sorter compares before it looks at rows. */
  private final class Prefixes(column: SortColumn) extends PrefixComputer {
    private val prefix = new PrefixComputer.Prefix
    override def computePrefix(row: InternalRow): PrefixComputer.Prefix = {
      prefix.isNull = row.isNullAt(column.ordinal)
      prefix.value = if (prefix.isNull) 0L else column.prefix(row)
      prefix
    }
  }
}
