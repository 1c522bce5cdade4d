package io.hudilite.spark.service.slice

import io.hudilite.filegroup.FileSlice
import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.logfile.read.LogJob
import io.hudilite.spark.row.RunningTask
import io.hudilite.spark.task.{SliceBatch, TaskWork}
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.TaskOutput
import io.hudilite.timeline.WriteStat

import org.apache.spark.util.LongAccumulator

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
