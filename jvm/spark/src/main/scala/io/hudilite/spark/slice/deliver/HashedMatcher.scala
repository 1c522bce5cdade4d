package io.hudilite.spark.slice.deliver

import io.hudilite.spark.logfile.read.{LogRecord, MergedLog}

import org.apache.spark.memory.SparkOutOfMemoryError
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter
import org.apache.spark.sql.execution.hudilite.TaskMemory
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.map.BytesToBytesMap
import org.apache.spark.unsafe.types.UTF8String

/** By record keys, with base rows in any order: the merged log is in a hash map, in memory that Spark manages. */
private[slice] final class HashedMatcher private (
    map: BytesToBytesMap, override val record: LogRecord, fields: Int, override val records: Long, keyColumn: Int)
    extends LogMatcher {

  import HashedMatcher._

  private val writer = new KeyWriter
  private val found = new UnsafeRow(fields)
  private var keys: ColumnVector = _
  private var rows = 0
  private lazy val entries = map.iterator()

  override def start(batch: ColumnarBatch): Unit = {
    keys = batch.column(keyColumn)
    rows = batch.numRows
  }

  override def seek(from: Int): Int = {
    // hot path
    var row = from
    while (row < rows && !isLogged(keys.getUTF8String(row))) row += 1
    row
  }

  private def isLogged(key: UTF8String): Boolean = {
    val wanted = writer.row(key)
    val place = map.lookup(wanted.getBaseObject, wanted.getBaseOffset, wanted.getSizeInBytes)
    place.isDefined && moveTo(place)
  }

  /** Moves to the record, unless it is done with. */
  private def moveTo(place: BytesToBytesMap#Location): Boolean = {
    found.pointTo(place.getValueBase, place.getValueOffset, place.getValueLength)
    val open = !record.isDone(found)
    if (open) record.moveTo(found)
    open
  }

  override def isMatch: Boolean = true

  override def advance(): Unit = record.markDone()

  override def nextUnmatched(): Boolean = {
    var open = false
    while (!open && entries.hasNext) open = moveTo(entries.next()) // hot path
    open
  }

  override def close(): Unit = map.free()
}

private[slice] object HashedMatcher {

  private val InitialEntries = 1024

  /** A matcher with the records of `log`, which is closed; `None` when they do not fit into the task's memory. */
  def of(log: MergedLog, keyColumn: Int): Option[HashedMatcher] =
    try newMap().flatMap { map =>
        val fits = try fill(map, log)
        catch {
          case e: Throwable =>
            map.free()
            throw e
        }
        if (fits) Some(new HashedMatcher(map, log.newRecord(), log.recordFields, log.records, keyColumn))
        else {
          map.free()
          None
        }
      }
    finally log.close()

  private def newMap(): Option[BytesToBytesMap] =
    try Some(TaskMemory.newMap(InitialEntries))
    catch { case _: SparkOutOfMemoryError => None }

  private def fill(map: BytesToBytesMap, log: MergedLog): Boolean = {
    // hot path
    val writer = new KeyWriter
    var fits = true
    while (fits && log.next()) {
      val key = writer.row(log.key)
      val row = log.record.content
      fits = map.lookup(key.getBaseObject, key.getBaseOffset, key.getSizeInBytes).append(key.getBaseObject,
        key.getBaseOffset, key.getSizeInBytes, row.getBaseObject, row.getBaseOffset, row.getSizeInBytes)
    }
    fits
  }

  /** Keys as rows of one column: the map wants whole words. */
  private final class KeyWriter {
    private val writer = new UnsafeRowWriter(1)
    def row(key: UTF8String): UnsafeRow = {
      writer.reset()
      writer.zeroOutNullBytes()
      writer.write(0, key)
      writer.getRow
    }
  }
}
