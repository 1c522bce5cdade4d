package io.hudilite.spark.bootstrap.task

import io.hudilite.error.CorruptTable
import io.hudilite.filegroup.{FileNames, Lots, MappedSource}
import io.hudilite.spark.basefile.encode.{BaseFileWriter, KeySummary}
import io.hudilite.spark.basefile.read.{BaseFileReader, BatchReader, FileRange, FileRead, ReaderSettings}
import io.hudilite.spark.row.{RowKeys, RunningTask}
import io.hudilite.spark.task.{TaskJob, TaskWork}
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.spark.write.task.TaskOutput
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.rollback.Markers

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/** A skeleton that is written, and its source. */
private[bootstrap] final case class WrittenSkeleton(stat: WriteStat, mapped: MappedSource)

/** Writes a skeleton for each source file: its rows in their order, with their record keys and no other columns.
  *
  * @param write
  *   job of files without data columns
  * @param keyColumns
  *   columns of the sources that record keys are made of
  */
private[bootstrap] final case class SkeletonWork(write: WriteJob, keyColumns: StructType)
    extends TaskWork[SkeletonWork.Sources, WrittenSkeleton] {

  import SkeletonWork._

  override def apply(lot: Sources): Seq[WrittenSkeleton] = {
    val attempt = RunningTask.attempt
    val output = new TaskOutput(write, attempt)
    val sources = lot.sources.zipWithIndex.map { case (source, i) =>
      source -> FileNames.newFileId(write.instant, attempt.partitionId, i)
    }
    val stats = output.orDiscarded(())(sources.map { case (source, fileId) => skeleton(output, source, fileId) })
    stats.zip(sources).map { case (stat, (source, fileId)) =>
      WrittenSkeleton(stat, MappedSource(source.partition, fileId, source.partition, source.status))
    }
  }

  private def skeleton(output: TaskOutput, source: FoundSource, fileId: String): WriteStat = {
    checkUnchanged(output, source)
    val writer = output.open(source.partition, fileId, Markers.Create, new KeySummary(write.bloom.create()))
    output.orAborted(writer.abort()) {
      writer.keys.noteUnordered() // whoever rewrites sorted rows takes row groups one by one
      writeKeys(output, source, writer)
      output.begun(writer)
    }
  }

  // Readers hold the length against the index, too.
  private def checkUnchanged(output: TaskOutput, source: FoundSource): Unit = {
    val now = SourceLook.status(new Path(source.status.path), output.readers.conf)
    if (now.length != source.status.length || now.modifiedMs != source.status.modifiedMs)
      throw CorruptTable("CORRUPT_FILE", "path" -> source.status.path,
        "reason" ->
          "it was written again while the table was bootstrapped")
  }

  private def writeKeys(output: TaskOutput, source: FoundSource, writer: BaseFileWriter): Unit = {
    val job = FileRead(write.basePath, keyColumns, Nil, None, keysToCheck = false, None,
      ReaderSettings.ofWholeFiles(BatchRows))
    val length = source.status.length
    val range = FileRange(writer.name, writer.fileId, length, 0L, length)
    val reader = new BatchReader(job, new BaseFileReader(job, output.readers, range, Some(source.status.path)))
    try {
      val keys = new RowKeys(keyColumns, write.keys.copy(partitionFields = Nil), toWrite = false)
      val nothing = InternalRow.empty
      while (reader.next()) { // hot path
        RunningTask.stopIfKilled()
        val rows = reader.get().rowIterator()
        while (rows.hasNext) writer.write(keys.recordKey(rows.next()), nothing)
      }
    } finally reader.close()
  }
}

private[bootstrap] object SkeletonWork {

  /** Sources of one task. */
  final case class Sources(sources: Seq[FoundSource])

  private val BatchRows = 4096

  /** Least work for a task of its own. */
  private val LotBytes = 128L << 20

  def run(session: SparkSession, work: SkeletonWork, sources: Seq[FoundSource]): Seq[WrittenSkeleton] = {
    val lots = Lots.ofTasks(sources, session.sparkContext.defaultParallelism, LotBytes)(_.status.length + 1)
    TaskJob.run(session, s"hudilite bootstrap of ${work.write.basePath}", work, lots.map(Sources(_)))
  }
}
