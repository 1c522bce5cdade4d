package io.hudilite.spark.service.slice

import io.hudilite.filegroup.FileSlice
import io.hudilite.spark.row.RunningTask
import io.hudilite.spark.task.TaskWork
import io.hudilite.spark.write.WriteJob
import io.hudilite.timeline.WriteStat

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
    val stat = new SliceCopier(write, RunningTask.attempt).copy(file.slices, file.fileId)
    done.add(1L)
    Seq(stat)
  }
}
