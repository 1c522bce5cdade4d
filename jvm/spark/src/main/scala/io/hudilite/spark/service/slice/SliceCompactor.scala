package io.hudilite.spark.service.slice

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.basefile.encode.{BaseFileWriter, KeySummary}
import io.hudilite.spark.basefile.read.OldBaseFile
import io.hudilite.spark.logfile.read.{LogJob, LogRowLayout, MergedLog}
import io.hudilite.spark.row.{CarriedSchema, RunningTask}
import io.hudilite.spark.slice.rewrite.{BaseFileCursor, BaseMerge, WriterSink}
import io.hudilite.spark.task.{SliceBatch, TaskWork}
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.TaskOutput
import io.hudilite.timeline.{LogScan, WriteStat}
import io.hudilite.transaction.rollback.Markers

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.util.LongAccumulator

/** Merges the log files of file slices into their next base files.
  *
  * Every row keeps its commit time and sequence number, those of the logs too. A slice that loses all rows gets an empty
  * base file: its file group would otherwise show its old rows.
  *
  * @param output
  *   of the task, which confirms or discards what is written
  */
private[service] final class SliceCompactor(output: TaskOutput, logs: LogJob) {

  private val job = output.job
  private val rows = LogRowLayout(logs, CarriedSchema.schema(job.dataSchema))
  private val ordering: Array[Int] = logs.orderingColumns.map(f => job.dataSchema.fieldIndex(f.name)).toArray

  def compact(slice: FileSlice): WriteStat = {
    val started = System.nanoTime()
    val log = MergedLog.of(rows, slice, job.conf.value)
    var begun: Option[Merge] = None
    try {
      val stat = output.orAborted(begun.foreach(_.abort())) {
        val merge = slice.base.map(over(_)).getOrElse(fresh(slice))
        begun = Some(merge)
        log.eachKey(merge.add(log))
        merge.finish(slice)
      }
      stat.copy(prevCommit = slice.instant,
        logScan = LogScan(records = log.records, files = slice.logs.size.toLong,
          filesCompacted = slice.logs.size.toLong, sizeCompacted = slice.logs.map(_.length).sum,
          updatedRecords = stat.numUpdateWrites, readTimeMs = (System.nanoTime() - started) / 1000000L))
    } finally log.close()
  }

  private def over(base: BaseFile): Merge = {
    val old = output.old(base)
    new Merge(Some(old), output.successor(old))
  }

  private def fresh(slice: FileSlice): Merge =
    new Merge(None, output.open(slice.partition, slice.fileId, Markers.Create, new KeySummary(job.bloom.create())))

  /** One base file in the making. */
  private final class Merge(old: Option[OldBaseFile], writer: BaseFileWriter) extends WriterSink {

    private val base = new BaseMerge(old, writer, logs.rule, ordering, this)
    private var inserts = 0L
    private var updates = 0L
    private var deletes = 0L

    /** The log's present record against the old rows with its key. */
    def add(log: MergedLog): Unit = {
      val key = log.key
      if (base.seek(key)) base.meetFirst(key, log.record) else if (!log.isDelete) base.insert(log.row)
    }

    override def kept(old: BaseFileCursor): Unit = ()

    override def replaced(old: BaseFileCursor, row: InternalRow): Unit = {
      writer.keepRow(row) // the key is an old one, so a bloom filter that was carried over has it
      updates += 1
    }

    override def deleted(old: BaseFileCursor): Unit = deletes += 1

    override def inserted(row: InternalRow): Unit = {
      writer.adoptRow(row)
      inserts += 1
    }

    def finish(slice: FileSlice): WriteStat = {
      base.keepRest()
      val count = writer.rows
      val size = writer.close()
      WriteStat(slice.fileId, output.relativePath(writer), slice.instant, slice.partition, numWrites = count,
        numDeletes = deletes, numUpdateWrites = updates, numInserts = inserts, totalWriteBytes = size,
        fileSizeInBytes = size, prevBaseFile = slice.base.map(_.name))
    }

    def abort(): Unit =
      try base.close()
      finally writer.abort()
  }
}

/** Merges file slices and answers with the stats of the files that it wrote.
  *
  * An attempt that is repeated writes files of other names; the losers are removed as the compaction commits.
  *
  * @param done
  *   counts the file slices that are compacted
  */
private[service] final case class CompactionWork(kind: CompactionKind, write: WriteJob, logs: LogJob,
    done: LongAccumulator) extends TaskWork[SliceBatch, WriteStat] {

  override def apply(batch: SliceBatch): Seq[WriteStat] = {
    val output = new TaskOutput(write, RunningTask.attempt)
    output.orDiscarded(())(stats(batch.slices, output))
  }

  private def stats(slices: Seq[FileSlice], output: TaskOutput): Seq[WriteStat] = {
    val compact: FileSlice => Seq[WriteStat] = kind match {
      case CompactionKind.Base =>
        val compactor = new SliceCompactor(output, logs)
        slice => Seq(compactor.compact(slice))
      case CompactionKind.Log => new LogFolder(output, logs).fold
    }
    slices.flatMap { slice =>
      val written = compact(slice)
      done.add(1L)
      written
    }
  }
}
