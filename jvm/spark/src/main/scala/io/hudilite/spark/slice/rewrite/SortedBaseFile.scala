package io.hudilite.spark.slice.rewrite

import io.hudilite.record.RowPlace
import io.hudilite.spark.basefile.encode.BaseFileWriter
import io.hudilite.spark.basefile.read.OldBaseFile
import io.hudilite.spark.row.{CarriedSchema, ExternalSort, KeyCheck, RowKeys, SortColumn}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{LongType, StructField}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

/** Rows of a file that another writer left in some other order: sorted by key first, with Spark's external sorter.
  *
  * The sorter takes its memory from the task's memory manager and spills; the new file is sorted, so that the next
  * merge of this file group need not do it again.
  */
private[slice] final class SortedBaseFile(old: OldBaseFile, writer: BaseFileWriter, keys: KeyCheck)
    extends BaseFileCursor {

  // Behind the columns that are kept: the number of the row in its file.
  private val schema = CarriedSchema.schema(old.dataSchema).add(StructField(RowPlace.Position, LongType))
  private val positionOrdinal = schema.size - 1
  private val sorter = ExternalSort.sorter(schema, SortColumn.Text(CarriedSchema.KeyOrdinal),
    thenBy = Some(SortColumn.Number(positionOrdinal)))
  private val made = old.keysToMake.map(settings =>
    new RowKeys(CarriedSchema.schema(old.dataSchema), settings.copy(partitionFields = Nil), toWrite = false))
  private val sorted: Iterator[InternalRow] = sort()
  private var current: InternalRow = _
  private var taken = 0L
  advance()

  /** The columns to sort, of rows that have a key behind all where it is made. */
  private def columns: Seq[Expression] = schema.fields.toSeq.zipWithIndex.map { case (field, i) =>
    val at = if (i == CarriedSchema.KeyOrdinal && made.isDefined) schema.size else i
    BoundReference(at, field.dataType, nullable = true)
  }

  private def sort(): Iterator[InternalRow] = {
    val toUnsafe = UnsafeProjection.create(columns)
    if (old.blocks.nonEmpty) {
      val batches = old.batches(old.blocks)
      try {
        val position = new GenericInternalRow(2)
        val numbered = new JoinedRow
        var next = 0L
        while (batches.next()) {
          keys.check(batches.vectors(CarriedSchema.KeyOrdinal), batches.rows)
          val rows = new ColumnarBatch(batches.vectors, batches.rows).rowIterator()
          while (rows.hasNext) { // hot path
            val row = rows.next()
            position.update(0, next)
            made.foreach(keysOf => position.update(1, keysOf.recordKey(row)))
            next += 1
            sorter.insertRow(toUnsafe(numbered(row, position)).asInstanceOf[UnsafeRow])
          }
        }
      } finally batches.close()
    }
    sorter.sort()
  }

  override def remaining: Long = old.rows - taken

  private def advance(): Unit = current = if (sorted.hasNext) sorted.next() else null

  private def key: UTF8String = current.getUTF8String(CarriedSchema.KeyOrdinal)

  override def keepBelow(bound: UTF8String): Unit =
    while (current != null && key.compareTo(bound) < 0) keepOne() // hot path

  override def isAt(wanted: UTF8String): Boolean = current != null && key == wanted

  override def position: Long = current.getLong(positionOrdinal)

  override def value(ordinal: Int): Any = {
    val at = CarriedSchema.Meta.size + ordinal
    if (current.isNullAt(at)) null else current.get(at, schema(at).dataType)
  }

  override def keepOne(): Unit = {
    writer.keepRow(current)
    dropOne()
  }

  override def dropOne(): Unit = {
    taken += 1
    advance()
  }

  override def settle(): Unit = ()

  override def keepRest(): Unit = while (current != null) keepOne()

  override def close(): Unit = sorter.cleanupResources()
}
