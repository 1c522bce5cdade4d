package io.hudilite.spark.service

import io.hudilite.filegroup.FileSlice
import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.logfile.read.LogJob
import io.hudilite.spark.row.TaskAttempt
import io.hudilite.spark.task.{StatRows, TaskWork}
import io.hudilite.spark.write.WriteJob

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.LongAccumulator

/** Merges a file slice and answers with the stats of the files that it wrote, as [[StatRows]].
  *
  * An attempt that is repeated writes a file of another name; the losers are removed as the compaction commits.
  *
  * @param done
  *   counts the file slices that are compacted
  */
private[service] final case class CompactionWork(kind: CompactionKind, write: WriteJob, logs: LogJob,
    done: LongAccumulator) extends TaskWork[FileSlice] {

  override def schema: StructType = StatRows.schema

  override def apply(slice: FileSlice): Seq[InternalRow] = {
    val task = TaskContext.get()
    val attempt = TaskAttempt(task.partitionId(), task.stageId(), task.taskAttemptId())
    val stats = kind match {
      case CompactionKind.Base => Seq(new SliceCompactor(write, logs, attempt).compact(slice))
      case CompactionKind.Log => new LogFolder(write, logs, attempt).fold(slice)
    }
    done.add(1L)
    stats.map(StatRows.toRow)
  }
}
