package io.hudilite.spark.slice.deliver

import io.hudilite.spark.basefile.read.SplitReader
import io.hudilite.spark.row.{ExternalSort, SortColumn}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Rows of a base file in the order of the UTF-8 bytes of a key, by Spark's external sorter, which spills. */
private[slice] final class SortedRows(batches: SplitReader[ColumnarBatch], schema: StructType, keyOrdinal: Int)
    extends SplitReader[InternalRow] {

  private val sorter = ExternalSort.sorter(schema, SortColumn.Text(keyOrdinal))
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
