package io.hudilite.spark.service.slice

import io.hudilite.filegroup.FileSlice
import io.hudilite.log.OrderingValue
import io.hudilite.spark.logfile.encode.{OrderingValues, PartialRecords}
import io.hudilite.spark.logfile.read.{LogBlocks, LogJob, LogRecord, LogRowLayout, MergedLog}
import io.hudilite.spark.row.CarriedSchema
import io.hudilite.spark.write.task.{LogGroupWriter, TaskOutput}
import io.hudilite.timeline.{LogScan, WriteStat}

import org.apache.spark.sql.catalyst.ProjectingInternalRow

import scala.collection.mutable

/** Folds the log blocks of file slices into few, which stand in their place (docs/format.md#log-compaction).
  *
  * The newest record of each key is kept as it is, with its commit time, its sequence number and the row of the base
  * file that it replaces; one that lacks columns lacks them still. A key that is deleted stays deleted, as strongly as it
  * was: the base file may have it.
  *
  * @param output
  *   of the task, which confirms or discards what is written
  */
private[service] final class LogFolder(output: TaskOutput, logs: LogJob) {

  private val job = output.job
  private val rows = LogRowLayout(logs, CarriedSchema.schema(job.dataSchema))
  private val orderings = new OrderingValues(job.orderingOrdinals, job.dataSchema)

  /** One stat for each log file that was written; none when the log has no records. */
  def fold(slice: FileSlice): Seq[WriteStat] = {
    val started = System.nanoTime()
    val blocks = LogBlocks.of(logs, slice, job.conf.value)
    val log = MergedLog.withPositions(rows, blocks, job.conf.value)
    try {
      val writer = new LogGroupWriter(output, slice, blocks.instants)
      val stats = output.orAborted(writer.abort()) {
        run(log, writer)
        writer.close()
      }
      val scan = LogScan(records = log.records, files = slice.logs.size.toLong,
        filesCompacted = slice.logs.size.toLong, sizeCompacted = slice.logs.map(_.length).sum,
        blocks = blocks.selected.size.toLong, readTimeMs = (System.nanoTime() - started) / 1000000L)
      stats.take(1).map(_.copy(logScan = scan)) ++ stats.drop(1)
    } finally log.close()
  }

  private def run(log: MergedLog, writer: LogGroupWriter): Unit = {
    val data = ProjectingInternalRow(job.dataSchema, job.dataSchema.indices.map(_ + CarriedSchema.Meta.size))
    log.eachKey {
      val record = log.record
      if (!record.isDelete || record.deletesByColumn) keep(record, writer)
      else writer.keepDelete(record.key, ordering(record, data), record.position)
    }
  }

  private def keep(record: LogRecord, writer: LogGroupWriter): Unit =
    partial(record.columnSet) match {
      case Some(records) => writer.keepPart(record.row, records, record.position)
      case None => writer.keep(record.row, record.position)
    }

  // By the numbers of their sets of columns. A record of all columns is a whole one, whichever records gave them.
  private val partialRecords = mutable.Map.empty[Int, Option[PartialRecords]]

  private def partial(columnSet: Int): Option[PartialRecords] = partialRecords.getOrElseUpdate(columnSet, {
      val data = rows.columnsOf(columnSet).map(_ - CarriedSchema.Meta.size).filter(_ >= 0)
      if (data.size == job.dataSchema.size) None else Some(new PartialRecords(output.blocks, data))
    })

  /** Ordering values that make a delete win exactly where it did. */
  private def ordering(record: LogRecord, data: ProjectingInternalRow): OrderingValue =
    if (logs.rule.alwaysWins(record)) OrderingValue.CommitTime
    else {
      data.project(record.values)
      orderings.of(data)
    }
}
