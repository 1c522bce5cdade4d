package io.hudilite.spark.write.task

import io.hudilite.spark.row.{ExternalSort, SortColumn}
import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Rows of many partitions in no order: one open file for each of the first partitions that come, and the rows of all
  * others are sorted by partition and key, in memory that Spark manages and on disk, before they are written. So each
  * partition gets as few files as its rows fill.
  */
private[write] final class SpillingPartitionWriter(output: TaskOutput) {

  private val open = mutable.LinkedHashMap.empty[UTF8String, NewFileGroups]
  private var held: Option[SpilledRows] = None

  def insert(partition: UTF8String, key: UTF8String, row: InternalRow): Unit = {
    val writer = open.getOrElse(partition, null)
    if (writer != null) writer.insert(key, row)
    else if (open.size < SpillingPartitionWriter.MaxOpen) begin(partition.copy()).insert(key, row)
    else hold.insert(partition, key, row)
  }

  private def begin(partition: UTF8String): NewFileGroups = {
    val writer = new NewFileGroups(output, partition.toString)
    open.put(partition, writer)
    writer
  }

  private def hold: SpilledRows = held.getOrElse {
    val rows = new SpilledRows(output.job.dataSchema)
    held = Some(rows)
    rows
  }

  def close(): Seq[WriteStat] = {
    val stats = mutable.ArrayBuffer.empty[WriteStat]
    stats ++= finish()
    held.foreach { rows =>
      rows.foreach { (partition, key, row) =>
        if (!open.contains(partition)) {
          stats ++= finish()
          begin(partition.copy())
        }
        open(partition).insert(key, row)
      }
    }
    stats ++= finish()
    stats.toList
  }

  private def finish(): Seq[WriteStat] = {
    val stats = open.values.toList.flatMap(_.close())
    open.clear()
    stats
  }

  def abort(): Unit =
    try open.values.foreach(_.abort())
    finally held.foreach(_.free())
}

private object SpillingPartitionWriter {

  /** Each open file buffers a row group. */
  val MaxOpen = 16
}

/** Rows in the order of their partitions and keys. */
private final class SpilledRows(dataSchema: StructType) {

  private val schema = StructType(Seq(StructField("partition", StringType, nullable = false),
      StructField("key", StringType, nullable = false), StructField("row", dataSchema, nullable = false)))
  private val toUnsafe = UnsafeProjection.create(schema)
  private val first = new FirstColumns(dataSchema)
  private val held = new GenericInternalRow(schema.length)
  private val sorter = ExternalSort.sorter(schema, SortColumn.Text(0), thenBy = Some(SortColumn.Text(1)))

  def insert(partition: UTF8String, key: UTF8String, row: InternalRow): Unit = {
    held.update(0, partition)
    held.update(1, key)
    held.update(2, first.of(row))
    sorter.insertRow(toUnsafe(held).asInstanceOf[UnsafeRow])
  }

  /** Hands all rows on and frees their memory. */
  def foreach(take: (UTF8String, UTF8String, InternalRow) => Unit): Unit =
    try {
      val rows = sorter.sort()
      while (rows.hasNext) { // hot path
        val row = rows.next()
        take(row.getUTF8String(0), row.getUTF8String(1), row.getStruct(2, dataSchema.length))
      }
    } finally free()

  def free(): Unit = sorter.cleanupResources()
}
