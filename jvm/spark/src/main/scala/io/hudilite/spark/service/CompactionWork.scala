package io.hudilite.spark.service

import io.hudilite.filegroup.{FileSlice, Lots}
import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.logfile.read.LogJob
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.task.TaskWork
import io.hudilite.spark.write.{TaskOutput, WriteJob}
import io.hudilite.timeline.WriteStat

import org.apache.spark.TaskContext
import org.apache.spark.util.LongAccumulator

/** The file slices of one task. */
private[service] final case class SliceLot(slices: Seq[FileSlice])

private[service] object SliceLot {

  /** Less than this is no work for a task of its own. */
  private val LotBytes = 32L << 20

  // What a slice takes beside its bytes, in bytes.
  private val OpenBytes = 1L << 20

  /** A task for each slice of some size, and small ones together, as long as there is work for all cores. */
  def deal(slices: Seq[FileSlice], cores: Int): Seq[SliceLot] = {
    def weight(slice: FileSlice): Long = slice.totalLength + OpenBytes
    val full = (slices.map(weight).sum + LotBytes - 1) / LotBytes
    Lots.deal(slices, full.max(cores.toLong).min(slices.size.toLong).toInt)(weight).map(SliceLot(_))
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
    done: LongAccumulator) extends TaskWork[SliceLot, WriteStat] {

  override def apply(lot: SliceLot): Seq[WriteStat] = {
    val task = TaskContext.get()
    val output = new TaskOutput(write, TaskAttempt(task.partitionId(), task.stageId(), task.taskAttemptId()))
    output.orDiscarded(())(stats(lot.slices, output))
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
