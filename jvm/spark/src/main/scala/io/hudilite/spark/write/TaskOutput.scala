package io.hudilite.spark.write

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FileNames, Partitions}
import io.hudilite.spark.basefile.encode.{BaseFileWriter, KeySummary, SequenceNumbers}
import io.hudilite.spark.basefile.read.{OldBaseFile, ReaderContexts}
import io.hudilite.spark.logfile.encode.TaskBlocks
import io.hudilite.spark.row.{RunningTask, TaskAttempt}
import io.hudilite.spark.slice.BloomCarry
import io.hudilite.storage.{HadoopStorage, Storage}
import io.hudilite.transaction.rollback.{Marker, Markers}

import scala.collection.mutable

/** What the files of one task attempt share: markers, partition folders and the counter of sequence numbers. */
final class TaskOutput(val job: WriteJob, val attempt: TaskAttempt) {

  private[spark] val storage: Storage = new HadoopStorage(job.conf.value)
  private[spark] val readers = new ReaderContexts(job.conf.value, caseSensitive = false)
  private val knownPartitions = mutable.Set.empty[String]
  private val begun = mutable.ArrayBuffer.empty[Marker]
  private val layout = job.layout
  private[spark] val sequence = new SequenceNumbers(job.instant, attempt.partitionId)

  /** Opens a base file after its marker: a crash in between leaves nothing that a rollback would not find. */
  private[spark] def open(partition: String, fileId: String, ioType: String, keys: KeySummary,
      plain: Set[Int] = Set.empty): BaseFileWriter = {
    if (knownPartitions.add(partition)) Partitions.createMetadata(storage, job.basePath, partition, job.instant)
    val name = FileNames.baseFile(fileId, attempt.writeToken, job.instant)
    begin(partition, name, ioType)
    new BaseFileWriter(layout, partition, fileId, name, sequence, keys, plain)
  }

  /** A base file of the table that is about to be replaced. */
  private[spark] def old(file: BaseFile): OldBaseFile = new OldBaseFile(job.basePath, file, job.dataSchema, readers)

  /** Opens the next base file of the file group of `old`. It takes over the bloom filter where it can. */
  private[spark] def successor(old: OldBaseFile): BaseFileWriter = {
    val carried = BloomCarry.of(old, job.bloom)
    val keys = new KeySummary(carried.getOrElse(job.bloom.create()), carried.isDefined,
      oldUnique = old.footer(BaseFileFooter.UniqueKeys).contains("true"))
    val plain = old.columnsWithoutDictionary(layout.fileSchema)
    val writer = open(old.file.partition, old.file.fileId, Markers.Merge, keys, plain)
    if (carried.isDefined) keys.widenBy(Seq(BaseFileFooter.MinKey, BaseFileFooter.MaxKey).flatMap(old.footer(_)))
    writer
  }

  /** Makes the marker of a file that is about to be written. */
  private[spark] def begin(partition: String, name: String, ioType: String): Unit = {
    val marker = Marker(relativePath(partition, name), ioType)
    begun += marker
    Markers.create(storage, job.basePath, job.instant, marker)
  }

  /** Deletes all files that were begun; what writes to them has been closed.
    *
    * A write that fails has its files deleted by their markers, but a task may outlive that: Spark does not wait for the
    * tasks that it kills.
    */
  private[spark] def discard(): Unit = RunningTask.uninterrupted {
    begun.foreach(Markers.discard(storage, job.basePath, job.instant, _))
    begun.clear()
  }

  /** Runs what writes and finishes files. When it fails or the task is killed, `abort` closes them, and all are deleted. */
  private[spark] def orDiscarded[T](abort: => Unit)(write: => T): T =
    try {
      val written = write
      RunningTask.stopIfKilled()
      written
    } catch {
      case e: Throwable =>
        try
          try abort
          finally discard()
        catch { case onAbort: Exception => e.addSuppressed(onAbort) }
        throw e
    }

  /** Path of a file below the table's base path. */
  private[spark] def relativePath(writer: BaseFileWriter): String = relativePath(writer.partition, writer.name)

  private[spark] def relativePath(partition: String, name: String): String =
    if (partition.isEmpty) name else s"$partition/$name"

  private[spark] lazy val heldChanges: HeldChanges.Layout = new HeldChanges.Layout(job.dataSchema)

  private[spark] val blocks: TaskBlocks = new TaskBlocks(layout, sequence)
}
