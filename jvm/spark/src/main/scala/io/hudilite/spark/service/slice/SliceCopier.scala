package io.hudilite.spark.service.slice

import io.hudilite.filegroup.{BaseFile, FileNames, FileSlice}
import io.hudilite.spark.basefile.encode.{BaseFileWriter, KeySummary}
import io.hudilite.spark.row.{RunningTask, TaskAttempt}
import io.hudilite.spark.slice.rewrite.FileAppender
import io.hudilite.spark.task.{TaskJob, TaskWork}
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.TaskOutput
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.rollback.Markers

import org.apache.spark.sql.SparkSession
import org.apache.spark.unsafe.types.UTF8String
import org.apache.spark.util.LongAccumulator

/** Puts the rows of several file slices of a partition into the first base file of a new file group, without sorting them:
  * as bytes where that can be, see [[FileAppender]].
  *
  * Every row keeps its commit time, sequence number, record key and partition path.
  *
  * @param keptFooterBytes
  *   most bytes of footers that are held between the look at all of them and the copying
  */
private[spark] final class SliceCopier(job: WriteJob, attempt: TaskAttempt,
    keptFooterBytes: Long = FileAppender.KeptFooterBytes) {

  private val output = new TaskOutput(job, attempt)

  /** @param slices
    *   of one partition, each with a base file and without log files
    * @param fileId
    *   of the new file group
    */
  def copy(slices: Seq[FileSlice], fileId: String): WriteStat = {
    val files = SliceCopier.baseFiles(slices)
    var begun: Option[BaseFileWriter] = None
    output.orDiscarded(begun.foreach(_.abort())) {
      val writer =
        output.open(slices.head.partition, fileId, Markers.Create, new KeySummary(job.bloom.create()))
      begun = Some(writer)
      val keys = output.keysOf(writer.partition, fileId)
      val told = if (keys.isOn) Some((key: UTF8String) => keys.came(key)) else None
      new FileAppender(writer, job.bloom, keptFooterBytes, told).append(files)(output.old)
      Seq(output.begun(writer))
    }.head
  }
}

private object SliceCopier {

  private def baseFiles(slices: Seq[FileSlice]): Seq[BaseFile] = {
    require(slices.nonEmpty && slices.forall(_.partition == slices.head.partition), "slices of one partition")
    slices.map { slice =>
      require(slice.logs.isEmpty, s"the file slice ${slice.fileId} has log files, which are not copied")
      slice.base.getOrElse(throw new IllegalArgumentException(s"the file slice ${slice.fileId} has no base file"))
    }
  }
}

/** Puts base files together and answers with the stats of the new ones.
  *
  * @param done
  *   counts the files that are finished
  */
private[service] final case class CopyWork(write: WriteJob, done: LongAccumulator)
    extends TaskWork[CopyWork.CopiedFile, WriteStat] {

  override def apply(file: CopyWork.CopiedFile): Seq[WriteStat] = {
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

  /** A base file that is put together from those of some slices of a partition.
    *
    * @param fileId
    *   of its new file group
    */
  final case class CopiedFile(slices: Seq[FileSlice], fileId: String)
}
