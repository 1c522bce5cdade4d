package io.hudilite.spark.lookup

import io.hudilite.filegroup.FileSlice
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.logfile.read.{LogBlocks, LogJob, LogRowLayout, MergedLog}
import io.hudilite.spark.slice.deliver.SliceLookup
import io.hudilite.stats.{FactsAsked, KeyBounds}

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{GenericInternalRow, UnsafeProjection}
import org.apache.spark.sql.types.{StringType, StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** A slice to look keys up in.
  *
  * @param addedInLogs
  *   its log files may hold keys that its base file does not have
  * @param bounds
  *   those of the keys of its base file, where they are known already
  */
private[lookup] final case class ProbedSlice(slice: FileSlice, addedInLogs: Boolean, bounds: Option[KeyBounds] = None)

/** Looks keys up in one file slice, in an executor.
  *
  * @param base
  *   looks into base files
  * @param logs
  *   how log files are read; `None` when no slice of the table has any
  * @param byKey
  *   a key in the base file counts as present whatever the log files do to it: what an index of base files knows. Log files
  *   are asked without a base file, or where they may hold other keys. Otherwise rows are those that a query sees.
  */
private[lookup] final case class SliceProbe(
    base: KeyProbe, logs: Option[LogJob], byKey: Boolean) {

  val output: StructType = base.output

  /** Rows of the base file that log files delete are among what is found. */
  def tellsGone: Boolean = output.fieldNames.contains(RowPlace.Gone)

  /** The rows that a query sees. */
  def asSeen: SliceProbe = copy(byKey = false)

  // The columns asked for, and those that a merge looks at besides.
  private val fileColumns: StructType = {
    val asked = output.fields.filterNot(f => RowPlace.contains(f.name))
    val needed = StructField(MetaFields.RecordKey, StringType) +: logs.toSeq.flatMap(_.orderingColumns)
    StructType(asked ++ needed.filterNot(f => asked.exists(_.name == f.name)))
  }
  private val wide: KeyProbe =
    base.copy(output = StructType(fileColumns.fields ++ output.fields.filter(f => RowPlace.contains(f.name))))
  // Kept for all slices of a task: tasks get copies of this.
  @transient private lazy val logRows: Option[LogRowLayout] = logs.map(LogRowLayout(_, fileColumns))
  @transient private lazy val lookup: Option[SliceLookup] =
    logRows.map(new SliceLookup(_, wide.columns, output, base.batches.conf))

  /** Asks for facts on the slices' base files beside each other; `rows` then finds them in memory.
    *
    * @param keys
    *   those of a partition, sorted
    */
  def bringFacts(slices: Seq[ProbedSlice], keys: String => Array[UTF8String]): FactsAsked = {
    val bounds = (for (probed <- slices; file <- probed.slice.base; of <- probed.bounds) yield file -> of).toMap
    base.bring(slices.flatMap(_.slice.base), bounds, keys)
  }

  /** Rows of `slice` with one of `keys`, which are sorted by their UTF-8 bytes. */
  def rows(probed: ProbedSlice, keys: Array[UTF8String], metrics: ProbeMetrics, context: TaskContext)
      : Iterator[InternalRow] = {
    val slice = probed.slice
    if (keys.isEmpty) Iterator.empty
    else (slice.base, logRows) match {
      case (_, Some(_)) if slice.logs.nonEmpty && !byKey => merged(slice, keys, metrics, context)
      case (Some(file), Some(log)) if probed.addedInLogs =>
        inEither(slice, base.rows(file, keys, metrics, context), log, keys, metrics, context)
      case (Some(file), _) => base.rows(file, keys, metrics, context)
      case (None, Some(log)) => logged(slice, log, keys, metrics, context)
      case (None, None) => Iterator.empty
    }
  }

  /** Rows of the base file, then the keys that it does not have and the log files hold. */
  private def inEither(slice: FileSlice, inBase: Iterator[InternalRow], logRows: LogRowLayout, keys: Array[UTF8String],
      metrics: ProbeMetrics, context: TaskContext): Iterator[InternalRow] = {
    val key = output.fieldIndex(MetaFields.RecordKey)
    val found = new java.util.HashSet[UTF8String]
    val noted = inBase.map { row =>
      found.add(row.getUTF8String(key).copy())
      row
    }
    noted ++ {
      val others = keys.filterNot(found.contains)
      if (others.isEmpty) Iterator.empty else logged(slice, logRows, others, metrics, context)
    }
  }

  private def merged(slice: FileSlice, keys: Array[UTF8String], metrics: ProbeMetrics, context: TaskContext)
      : Iterator[InternalRow] = {
    val found = slice.base.flatMap(wide.found(_, keys, metrics, context))
    val sorted = found.isEmpty || slice.base.forall(base.facts.isSorted)
    lookup.iterator.flatMap(_.rows(slice, keys, found, sorted, metrics.found, context))
  }

  /** Those of the keys that the log files of a slice hold, the ones that they delete included. */
  private def logged(slice: FileSlice, logRows: LogRowLayout, keys: Array[UTF8String], metrics: ProbeMetrics,
      context: TaskContext): Iterator[InternalRow] = {
    val log = openLog(logRows, slice, context, Some(keys))
    new LoggedKeys(log, output, UTF8String.fromString(slice.partition), UTF8String.fromString(slice.fileId), metrics)
  }

  /** Rows of the base file that the log files delete; `output` has `Gone`. */
  def gone(slice: FileSlice, metrics: ProbeMetrics, context: TaskContext): Iterator[InternalRow] =
    logRows.filter(_ => slice.base.isDefined).fold(Iterator.empty: Iterator[InternalRow]) { log =>
      val keys = deletedKeys(openLog(log, slice, context, None))
      val at = output.fieldIndex(RowPlace.Gone)
      if (keys.isEmpty) Iterator.empty else merged(slice, keys, metrics, context).filter(_.getBoolean(at))
    }

  private def deletedKeys(log: MergedLog): Array[UTF8String] = {
    val keys = Array.newBuilder[UTF8String]
    while (log.next()) if (log.isDelete) keys += log.key.copy()
    log.close()
    keys.result()
  }

  private def openLog(logRows: LogRowLayout, slice: FileSlice, context: TaskContext,
      keys: Option[Array[UTF8String]]): MergedLog = {
    val conf = base.batches.conf
    val log = MergedLog.of(logRows, LogBlocks.of(logRows.job, slice, conf), conf, keys = keys)
    context.addTaskCompletionListener[Unit](_ => log.close())
    log
  }
}

/** Keys of log records, with where they are. */
private[lookup] final class LoggedKeys(
    log: MergedLog, output: StructType, partition: UTF8String, fileId: UTF8String, metrics: ProbeMetrics)
    extends Iterator[InternalRow] {

  private val project = UnsafeProjection.create(output)
  private val row = new GenericInternalRow(SliceLookup.placeOfRecord(output, fileId))
  private val keyOrdinal = output.fieldNames.indexOf(MetaFields.RecordKey)
  private val partitionOrdinal = output.fieldNames.indexOf(MetaFields.PartitionPath)
  private var ready: Option[Boolean] = None

  override def hasNext: Boolean = {
    if (ready.isEmpty) ready = Some(log.next())
    if (!ready.get) log.close()
    ready.get
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more keys")
    ready = None
    metrics.found += 1
    if (keyOrdinal >= 0) row.update(keyOrdinal, log.key)
    if (partitionOrdinal >= 0) row.update(partitionOrdinal, partition)
    project(row)
  }
}
