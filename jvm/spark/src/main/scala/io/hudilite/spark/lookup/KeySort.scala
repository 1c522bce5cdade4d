package io.hudilite.spark.lookup

import io.hudilite.record.MetaFields

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

/** Puts rows of a base file that another writer left in some other order into the order of their record keys, with
  * Spark's external sorter, which spills.
  */
private[lookup] object KeySort {

  /** @param rows
    *   unsafe rows of `schema`, each valid until the next
    */
  def sorted(rows: Iterator[InternalRow], schema: StructType): Iterator[InternalRow] = {
    val key = schema.fieldIndex(MetaFields.RecordKey)
    val sorter = UnsafeExternalRowSorter.create(schema, byKey(key), PrefixComparators.STRING, new Prefix(key),
      SparkEnv.get.memoryManager.pageSizeBytes, false)
    rows.foreach(row => sorter.insertRow(row.asInstanceOf[UnsafeRow]))
    sorter.sort()
  }

  private def byKey(key: Int): Ordering[InternalRow] = new Ordering[InternalRow] {
    override def compare(a: InternalRow, b: InternalRow): Int = a.getUTF8String(key).compareTo(b.getUTF8String(key))
  }

  private final class Prefix(key: Int) extends UnsafeExternalRowSorter.PrefixComputer {
    private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix
    override def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
      prefix.isNull = row.isNullAt(key)
      prefix.value =
        if (prefix.isNull) 0L else PrefixComparators.StringPrefixComparator.computePrefix(row.getUTF8String(key))
      prefix
    }
  }
}
