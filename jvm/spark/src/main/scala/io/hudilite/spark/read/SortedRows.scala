package io.hudilite.spark.read

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Rows of a base file in the order of the UTF-8 bytes of a key, by Spark's external sorter, which spills. */
private[read] final class SortedRows(batches: SplitReader[ColumnarBatch], schema: StructType, keyOrdinal: Int)
    extends SplitReader[InternalRow] {

  private val sorter = SortedRows.sorter(schema, keyOrdinal)
  private val sorted: Iterator[InternalRow] = sort()
  private var current: InternalRow = _

  private def sort(): Iterator[InternalRow] =
    try {
      val toUnsafe = UnsafeProjection.create(schema)
      while (batches.next()) {
        val rows = batches.get().rowIterator()
        while (rows.hasNext) sorter.insertRow(toUnsafe(rows.next()).asInstanceOf[UnsafeRow]) // hot path
      }
      sorter.sort()
    } catch {
      case e: Throwable =>
        sorter.cleanupResources()
        throw e
    } finally batches.close()

  override def next(): Boolean = {
    val found = sorted.hasNext
    if (found) current = sorted.next()
    found
  }

  override def get(): InternalRow = current

  override def size: Int = 1

  override def close(): Unit = sorter.cleanupResources()
}

private object SortedRows {

  private def sorter(schema: StructType, keyOrdinal: Int): UnsafeExternalRowSorter = {
    def key(row: InternalRow): UTF8String = row.getUTF8String(keyOrdinal)
    val ordering = new Ordering[InternalRow] {
      override def compare(a: InternalRow, b: InternalRow): Int = key(a).compareTo(key(b))
    }
    val prefixes = new UnsafeExternalRowSorter.PrefixComputer {
      private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix
      override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
        prefix.isNull = false
        prefix.value = PrefixComparators.StringPrefixComparator.computePrefix(key(row))
        prefix
      }
    }
    UnsafeExternalRowSorter.create(schema, ordering, PrefixComparators.STRING, prefixes,
      SparkEnv.get.memoryManager.pageSizeBytes, false)
  }
}
