package io.hudilite.spark.lookup

import io.hudilite.record.MetaFields

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, GenericInternalRow, JoinedRow, UnsafeProjection}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Base rows and log records of one slice, both in the order of their keys, as the rows that a query sees.
  *
  * @param base
  *   rows of `fileColumns`, then of `computed`; a row is valid until the next
  * @param fileColumns
  *   columns of the log's rows
  */
private[lookup] final class MergedRows(
    base: Iterator[InternalRow], records: WantedRecords, orderings: Seq[String], fileColumns: StructType,
    computed: StructType, output: StructType, fileId: UTF8String, metrics: ProbeMetrics)
    extends Iterator[InternalRow] {

  private val log = records.log
  private val wide = StructType(fileColumns.fields ++ computed.fields)
  private val project = UnsafeProjection.create(output.fields.toSeq.map { f =>
    BoundReference(wide.fieldIndex(f.name), f.dataType, nullable = true)
  })
  private val keyOrdinal = wide.fieldIndex(MetaFields.RecordKey)
  private val ordered: Array[(Int, DataType)] = orderings.map(n => wide.fieldIndex(n) -> wide(n).dataType).toArray
  private val behind = new GenericInternalRow(KeyProbe.computedOfLog(computed, fileId))
  private val joined = new JoinedRow

  // hot path: null stands for the end of either side
  private var row: InternalRow = _
  private var ready: InternalRow = _
  private var logged = false
  // The log's record has been compared with a base row of its key, and lost against it.
  private var lost = false
  private var overtaken = false
  nextBase()
  nextRecord()

  private def nextBase(): Unit = row = if (base.hasNext) base.next() else null

  private def nextRecord(): Unit = {
    logged = records.next()
    lost = false
    overtaken = false
  }

  override def hasNext: Boolean = {
    while (ready == null && (row != null || logged)) step()
    ready != null
  }

  private def step(): Unit = {
    val order = if (row == null) 1 else if (!logged) -1 else row.getUTF8String(keyOrdinal).compareTo(log.key)
    if (order < 0) keepBase()
    else if (order > 0) takeRecord()
    else {
      if (!lost && !overtaken) if (wins) overtaken = true else lost = true
      if (lost) keepBase() else nextBase()
    }
  }

  private def wins: Boolean = log.alwaysWins || log.winsOver { i =>
    val (ordinal, dataType) = ordered(i)
    if (row.isNullAt(ordinal)) null else row.get(ordinal, dataType)
  }

  // The projection copies what the next row would overwrite.
  private def keepBase(): Unit = {
    ready = project(row)
    nextBase()
  }

  private def takeRecord(): Unit = {
    if (!lost && !log.isDelete) {
      metrics.found += 1
      ready = project(joined(log.row, behind))
    }
    nextRecord()
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    val result = ready
    ready = null
    result
  }
}

/** Keys of log records, with where they are. */
private[lookup] final class LoggedKeys(
    records: WantedRecords, output: StructType, partition: UTF8String, fileId: UTF8String, metrics: ProbeMetrics)
    extends Iterator[InternalRow] {

  private val project = UnsafeProjection.create(output)
  private val row = new GenericInternalRow(KeyProbe.computedOfLog(output, fileId))
  private val keyOrdinal = output.fieldNames.indexOf(MetaFields.RecordKey)
  private val partitionOrdinal = output.fieldNames.indexOf(MetaFields.PartitionPath)
  private var ready: Option[Boolean] = None

  override def hasNext: Boolean = {
    if (ready.isEmpty) ready = Some(records.next())
    ready.get
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more keys")
    ready = None
    metrics.found += 1
    if (keyOrdinal >= 0) row.update(keyOrdinal, records.log.key)
    if (partitionOrdinal >= 0) row.update(partitionOrdinal, partition)
    project(row)
  }
}
