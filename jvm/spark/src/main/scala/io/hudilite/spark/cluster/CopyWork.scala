package io.hudilite.spark.cluster

import io.hudilite.filegroup.FileSlice
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.task.TaskWork
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.timeline.WriteStat

import org.apache.spark.TaskContext
import org.apache.spark.util.LongAccumulator

/** A base file that is put together from those of some slices of a partition; `fileId` is that of its new file group. */
private[spark] final case class CopiedFile(slices: Seq[FileSlice], fileId: String)

/** Puts base files together and answers with the stats of the new ones.
  *
  * @param done
  *   counts the files that are finished
  */
private[spark] final case class CopyWork(write: WriteJob, done: LongAccumulator)
    extends TaskWork[CopiedFile, WriteStat] {

  override def apply(file: CopiedFile): Seq[WriteStat] = {
    val task = TaskContext.get()
    val attempt = TaskAttempt(task.partitionId(), task.stageId(), task.taskAttemptId())
    val stat = new SliceCopier(write, attempt).copy(file.slices, file.fileId)
    done.add(1L)
    Seq(stat)
  }
}
