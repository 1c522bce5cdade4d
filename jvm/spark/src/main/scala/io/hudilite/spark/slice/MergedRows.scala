package io.hudilite.spark.slice

import io.hudilite.merge.Outcome
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.logfile.read.MergedLog

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  GenericInternalRow,
  JoinedRow,
  Literal,
  UnsafeProjection
}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

/** Base rows and log records of one slice, both in the order of their keys, as the rows that a query sees.
  *
  * @param base
  *   rows of `fileColumns`, then of `computed`; a row is valid until the next
  * @param fileColumns
  *   columns of the log's rows
  * @param computed
  *   columns of [[RowPlace]]; with `Gone` among them the rows of the base file that the log deletes come, too
  * @param found
  *   counts the records that become rows
  */
private[spark] final class MergedRows(
    base: Iterator[InternalRow], records: WantedRecords, fileColumns: StructType,
    computed: StructType, output: StructType, fileId: UTF8String, found: SQLMetric)
    extends Iterator[InternalRow] {

  private val log = records.log
  private val wide = StructType(fileColumns.fields ++ computed.fields)
  private val project = UnsafeProjection.create(output.fields.toSeq.map { f =>
    BoundReference(wide.fieldIndex(f.name), f.dataType, nullable = true)
  })
  private val tellsGone = computed.fieldNames.contains(RowPlace.Gone)
  private val keyOrdinal = wide.fieldIndex(MetaFields.RecordKey)
  private val older = new RowVersion(wide, log.rule.fields.map(wide.fieldIndex).toArray)
  private val behind = new GenericInternalRow(MergedRows.placeOfRecord(computed, fileId))
  private val joined = new JoinedRow

  // hot path: null stands for the end of either side
  private var row: InternalRow = _
  private var ready: InternalRow = _
  private var logged = false
  // The log's record has been compared with the first base row of its key, and lost against it. Of several rows of a key
  // the others stay, as scans have it.
  private var compared = false
  private var lost = false
  // It has only some columns, and has been merged with that row.
  private var merged = false
  nextBase()
  nextRecord()

  private def nextBase(): Unit = row = if (base.hasNext) base.next() else null

  private def nextRecord(): Unit = {
    logged = records.next()
    compared = false
    lost = false
    merged = false
  }

  override def hasNext: Boolean = {
    while (ready == null && (row != null || logged)) step()
    ready != null
  }

  private def step(): Unit = {
    val order = if (row == null) 1 else if (!logged) -1 else row.getUTF8String(keyOrdinal).compareTo(log.key)
    if (order < 0) keepBase()
    else if (order > 0) takeRecord()
    else if (compared) keepBase()
    else {
      compared = true
      log.rule.decide(log.record, older.moveTo(row)) match {
        case Outcome.Kept | Outcome.Underlaid =>
          lost = true
          keepBase()
        case Outcome.Deleted if tellsGone => tellGone()
        case Outcome.Replaced | Outcome.Deleted => nextBase()
        case Outcome.Overlaid => mergeBase()
      }
    }
  }

  // The projection copies what the next row would overwrite.
  private def keepBase(): Unit = {
    ready = project(row)
    nextBase()
  }

  // The row as it was, with the ordering values that a row has to win over so that it is seen in its place.
  private lazy val orderings = new GenericInternalRow(log.rule.fields.size)
  private lazy val projectGone = UnsafeProjection.create(output.fields.toSeq.map { f =>
    val ordering = log.rule.fields.indexOf(f.name)
    if (f.name == RowPlace.Gone) Literal.TrueLiteral
    else BoundReference(if (ordering < 0) wide.fieldIndex(f.name) else wide.length + ordering, f.dataType,
      nullable = true)
  })

  private def tellGone(): Unit = {
    log.rule.fields.indices.foreach { i =>
      orderings.update(i, if (log.record.isUnordered) older.ordering(i) else log.record.ordering(i))
    }
    ready = projectGone(joined(row, orderings))
    nextBase()
  }

  private def mergeBase(): Unit = {
    found += 1
    merged = true
    ready = project(joined(log.record.over(i => if (row.isNullAt(i)) null else row.get(i, fileColumns(i).dataType)),
        behind))
    nextBase()
  }

  private def takeRecord(): Unit = {
    if (!lost && !merged && !log.isDelete) {
      found += 1
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

private[spark] object MergedRows {

  /** What a record of a log file has in columns that say where a row is: it has no position in a base file. One that is a
    * row has not been deleted.
    */
  def placeOfRecord(columns: StructType, fileId: UTF8String): Array[Any] =
    columns.fieldNames.map {
      case RowPlace.FileId => fileId
      case RowPlace.Gone => false
      case _ => null
    }
}

/** The records of a log with one of some sorted keys. */
private[spark] final class WantedRecords(val log: MergedLog, keys: Array[UTF8String]) {

  private var at = 0

  /** Moves on to the next record with a wanted key; false and closed when there is none. */
  def next(): Boolean = {
    var found = false
    while (!found && at < keys.length && log.next()) { // hot path: both sides are in the order of their keys
      while (at < keys.length && keys(at).compareTo(log.key) < 0) at += 1
      found = at < keys.length && keys(at) == log.key
    }
    if (!found) log.close()
    found
  }
}
