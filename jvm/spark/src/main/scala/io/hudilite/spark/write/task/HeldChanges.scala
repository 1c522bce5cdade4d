package io.hudilite.spark.write.task

import io.hudilite.log.RowPosition
import io.hudilite.spark.row.{ExternalSort, SortColumn}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{IntegerType, LongType, StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Changes of a file group, kept in their order until it is known how they are written.
  *
  * Spark's external sorter holds them: it takes its memory from the task's memory manager and spills.
  */
private[write] final class HeldChanges(layout: HeldChanges.Layout) {

  import layout.{dataColumns, first, schema, toUnsafe}

  private val change = new GenericInternalRow(schema.length)
  private val sorter = ExternalSort.sorter(schema, SortColumn.Number(0), bytes = HeldChanges.PageBytes)
  private var count = 0L
  private var insertCount = 0L

  /** Inserts among the changes. */
  def inserts: Long = insertCount

  def insert(key: UTF8String, row: InternalRow): Unit = {
    insertCount += 1
    hold(key, row, RowPosition.Unknown, HeldChanges.Insert)
  }

  def update(key: UTF8String, row: InternalRow, position: Long): Unit = hold(key, row, position, HeldChanges.Update)

  def putBack(key: UTF8String, row: InternalRow, position: Long): Unit = hold(key, row, position, HeldChanges.PutBack)

  def upsert(key: UTF8String, row: InternalRow): Unit = hold(key, row, RowPosition.Unknown, HeldChanges.Upsert)

  def delete(key: UTF8String, position: Long): Unit = update(key, null, position)

  private def hold(key: UTF8String, row: InternalRow, position: Long, kind: Int): Unit = {
    change.update(0, count)
    change.update(1, key)
    change.update(2, first.of(row))
    change.update(3, position)
    change.update(4, kind)
    sorter.insertRow(toUnsafe(change).asInstanceOf[UnsafeRow])
    count += 1
  }

  /** Hands all changes on and frees their memory. */
  def replay(changes: GroupWriter, inserts: GroupWriter): Unit =
    try {
      val rows = sorter.sort()
      while (rows.hasNext) { // hot path
        val row = rows.next()
        val key = row.getUTF8String(1)
        val kind = row.getInt(4)
        if (kind == HeldChanges.Insert) inserts.insert(key, row.getStruct(2, dataColumns))
        else if (kind == HeldChanges.Upsert) changes.upsert(key, row.getStruct(2, dataColumns))
        else if (kind == HeldChanges.PutBack) changes.putBack(key, row.getStruct(2, dataColumns), row.getLong(3))
        else if (row.isNullAt(2)) changes.delete(key, row.getLong(3))
        else changes.update(key, row.getStruct(2, dataColumns), row.getLong(3))
      }
    } finally free()

  def free(): Unit = sorter.cleanupResources()
}

private[write] object HeldChanges {

  private val Insert = 0
  private val Update = 1
  private val Upsert = 2
  private val PutBack = 3

  /** How changes are kept; one for all file groups of a task. */
  final class Layout(dataSchema: StructType) {
    val dataColumns: Int = dataSchema.length
    val first: FirstColumns = new FirstColumns(dataSchema)
    val schema: StructType = StructType(Seq(StructField("number", LongType, nullable = false),
        StructField("key", StringType, nullable = false), StructField("row", dataSchema),
        StructField("position", LongType, nullable = false),
        StructField("kind", IntegerType, nullable = false)))

    /** Its row is valid until the next. */
    val toUnsafe: UnsafeProjection = UnsafeProjection.create(schema)
  }

  /** The group is small, and so are most of the changes that are held for it. */
  val PageBytes: Long = 1L << 20
}
