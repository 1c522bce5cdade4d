package io.hudilite.spark.slice.deliver

import io.hudilite.filegroup.FileSlice
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.basefile.read.SplitReader
import io.hudilite.spark.logfile.read.{LogBlocks, LogRowLayout, MergedLog}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Expression,
  GenericInternalRow,
  JoinedRow,
  Literal,
  UnsafeProjection
}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.vectorized.ColumnarBatch
import org.apache.spark.unsafe.types.UTF8String

/** Merges rows of base files that were found by their keys with the records of log files. One instance serves all slices
  * of a task; a row is valid until the next.
  *
  * @param baseColumns
  *   of the rows found: all columns of the log's rows, then those of [[RowPlace]]
  * @param output
  *   columns to deliver; with `Gone` among them rows of the base file that the log deletes come, too
  */
private[spark] final class SliceLookup(
    logRows: LogRowLayout, baseColumns: StructType, output: StructType, conf: Configuration) {

  private val key = baseColumns.fieldIndex(MetaFields.RecordKey)
  private val logColumns = logRows.columns
  private val places = StructType(output.fields.filter(f => RowPlace.contains(f.name)))
  private val orderings = StructType(logRows.job.orderingColumns)
  private val tellsGone = places.fieldNames.contains(RowPlace.Gone)

  private val ofBase = projection(Seq(baseColumns), gone = false)
  private val ofLog = projection(Seq(places, logColumns), gone = false)
  // The row as it was, with the ordering values that a row has to win over so that it is seen in its place.
  private lazy val ofGone = projection(Seq(orderings, baseColumns), gone = true)

  /** Delivers the columns from rows that have those of `from` one behind the other, the first that has a column. */
  private def projection(from: Seq[StructType], gone: Boolean): UnsafeProjection = {
    val names = from.flatMap(_.fieldNames)
    UnsafeProjection.create(output.fields.toSeq.map {
      case StructField(RowPlace.Gone, _, _, _) => Literal(gone): Expression
      case field => BoundReference(names.indexOf(field.name), field.dataType, nullable = true)
    })
  }

  /** Rows of a slice with some keys, as a query sees them.
    *
    * @param keys
    *   sorted by their UTF-8 bytes
    * @param base
    *   rows of the base file with these keys
    * @param sorted
    *   the rows of the base file are in the order of the keys' UTF-8 bytes
    * @param found
    *   counts the records that become rows
    */
  def rows(slice: FileSlice, keys: Array[UTF8String], base: Option[SplitReader[ColumnarBatch]], sorted: Boolean,
      found: SQLMetric, context: TaskContext): Iterator[InternalRow] = {
    val log = MergedLog.of(logRows, LogBlocks.of(logRows.job, slice, conf), conf, keys = Some(keys))
    val inOrder = if (sorted) base
    else base.map(rows =>
      new RowBatches(new SortedRows(rows, baseColumns, key), baseColumns, SliceLookup.SortedAtOnce))
    val merged = new LookedUp(inOrder, log, UTF8String.fromString(slice.fileId), found)
    context.addTaskCompletionListener[Unit](_ => merged.close())
    merged
  }

  /** One row after the other, each taken before the merge goes on. */
  private final class LookedUp(base: Option[SplitReader[ColumnarBatch]], log: MergedLog, fileId: UTF8String,
      found: SQLMetric) extends Iterator[InternalRow] with ReaderSink {

    private val loop = new MergeLoop(base, baseColumns, log.rule, log.rule.fields, logColumns,
      if (base.isEmpty) new LogOnlyMatcher(log) else new KeyMatcher(log, key), this)
    private val place = new GenericInternalRow(SliceLookup.placeOfRecord(places, fileId))
    private val won = new GenericInternalRow(orderings.length)
    private val joined = new JoinedRow
    private var batch: ColumnarBatch = _
    private var from = 0 // of rows that stay
    private var until = 0
    private var ready: InternalRow = _ // hot path: null for none
    private var more = true

    override def isFull: Boolean = from < until || ready != null

    override def hasNext: Boolean = {
      while (more && !isFull) more = loop.step()
      if (!more) close()
      isFull
    }

    override def next(): InternalRow = {
      if (!hasNext) throw new NoSuchElementException("no more rows")
      if (from < until) {
        from += 1
        ofBase(batch.getRow(from - 1))
      } else {
        val row = ready
        ready = null
        row
      }
    }

    override def start(next: ColumnarBatch): Unit = batch = next

    override def end(): Unit = ()

    override def untouched(first: Int, behind: Int): Unit = {
      from = first
      until = behind
    }

    override def kept(old: BatchRow): Unit = until = old.at + 1

    override def replaced(old: BatchRow, row: InternalRow): Unit = inserted(row)

    override def deleted(old: BatchRow): Unit = if (tellsGone) {
      orderings.indices.foreach { i =>
        won.update(i, if (log.record.isUnordered) old.ordering(i) else log.record.ordering(i))
      }
      ready = ofGone(joined(won, batch.getRow(old.at)))
    }

    override def inserted(row: InternalRow): Unit = {
      found += 1
      ready = ofLog(joined(place, row))
    }

    def close(): Unit = loop.close()
  }
}

private[spark] object SliceLookup {

  private val SortedAtOnce = 1024

  /** Values of a record of a log file in columns that say where a row is: it has no position in a base file. One that is a
    * row has not been deleted.
    */
  def placeOfRecord(columns: StructType, fileId: UTF8String): Array[Any] =
    columns.fieldNames.map {
      case RowPlace.FileId => fileId
      case RowPlace.Gone => false
      case _ => null
    }
}
