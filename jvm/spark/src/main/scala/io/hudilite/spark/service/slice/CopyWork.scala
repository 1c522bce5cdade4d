package io.hudilite.spark.service.slice

import io.hudilite.filegroup.{FileNames, FileSlice}
import io.hudilite.spark.row.RunningTask
import io.hudilite.spark.task.{TaskJob, TaskWork}
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.timeline.WriteStat

import org.apache.spark.sql.SparkSession
import org.apache.spark.util.LongAccumulator

/** A base file that is put together from those of some slices of a partition; `fileId` is that of its new file group. */
private[service] final case class CopiedFile(slices: Seq[FileSlice], fileId: String)

/** Puts base files together and answers with the stats of the new ones.
  *
  * @param done
  *   counts the files that are finished
  */
private[service] final case class CopyWork(write: WriteJob, done: LongAccumulator)
    extends TaskWork[CopiedFile, WriteStat] {

  override def apply(file: CopiedFile): Seq[WriteStat] = {
    val stat = new SliceCopier(write, RunningTask.attempt).copy(file.slices, file.fileId)
    done.add(1L)
    Seq(stat)
  }
}

private[service] object CopyWork {

  /** Puts each of these lots together, as one job of Spark's. */
  def run(session: SparkSession, write: WriteJob, lots: Seq[Seq[FileSlice]], done: LongAccumulator): Seq[WriteStat] = {
    // Tasks that begin file groups by themselves count from 0.
    val items = lots.zipWithIndex.map { case (slices, i) =>
      CopiedFile(slices, FileNames.newFileId(write.instant, -1, i))
    }
    if (items.isEmpty) Nil
    else
      TaskJob.run(session, s"hudilite clustering ${write.instant} of ${write.basePath}", CopyWork(write, done), items)
  }
}
