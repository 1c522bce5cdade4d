package io.hudilite.spark.write.task

import io.hudilite.filegroup.{BaseFile, BaseFileFooter, FileNames, FileSlice, Partitions}
import io.hudilite.spark.basefile.encode.{BaseFileWriter, KeySummary, SequenceNumbers}
import io.hudilite.spark.basefile.read.{OldBaseFile, ReaderContexts}
import io.hudilite.spark.logfile.encode.{LogSettings, PartialRecords, TaskBlocks}
import io.hudilite.spark.row.{RunningTask, TaskAttempt}
import io.hudilite.spark.slice.rewrite.{BloomCarry, KeyOutcomes, OldFiles}
import io.hudilite.spark.write.job.WriteJob
import io.hudilite.storage.{HadoopStorage, Storage, TableStorage}
import io.hudilite.timeline.WriteStat
import io.hudilite.transaction.rollback.{AttemptFiles, AttemptKeys, Marker, Markers}

import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** Markers, partition folders and the counter of sequence numbers, which the files of one task attempt share. */
final class TaskOutput(val job: WriteJob, val attempt: TaskAttempt) {

  private[spark] val storage: Storage = TableStorage.of(new HadoopStorage(job.conf.value), job.basePath)
  private[spark] val readers = new ReaderContexts(job.conf.value, caseSensitive = false)
  private val knownPartitions = mutable.Set.empty[String]
  private val files = new AttemptFiles(storage, job.basePath, job.permit)
  private val keys = new AttemptKeys(files, job.telling, attempt.writeToken)
  private var newGroups = 0
  private val layout = job.layout
  private[spark] val sequence = new SequenceNumbers(job.instant, attempt.partitionId)

  /** Opens a base file after its marker: a crash in between leaves nothing that a rollback would not find. */
  private[spark] def open(partition: String, fileId: String, ioType: String, keys: KeySummary,
      plain: Set[Int] = Set.empty): BaseFileWriter = {
    // A file that is replaced was found in a partition.
    if (knownPartitions.add(partition) && ioType != Markers.Merge)
      Partitions.createMetadata(storage, job.basePath, partition, job.instant)
    val name = FileNames.baseFile(fileId, attempt.writeToken, job.instant)
    begin(partition, name, ioType)
    new BaseFileWriter(layout, partition, fileId, name, sequence, keys, plain)
  }

  /** A base file of the table that is about to be replaced. */
  private[spark] def old(file: BaseFile): OldBaseFile =
    OldFiles.of(job.basePath, file, job.dataSchema, readers, job.evolved, job.keys,
      job.metaFields)

  /** Opens the next base file of the file group of `old`. It takes over the bloom filter where it can. */
  private[spark] def successor(old: OldBaseFile): BaseFileWriter = {
    val keys = BloomCarry.keys(old, job.bloom)
    val plain = old.columnsWithoutDictionary(layout.fileSchema)
    val writer = open(old.file.partition, old.file.fileId, Markers.Merge, keys, plain)
    if (keys.carried) keys.widenBy(Seq(BaseFileFooter.MinKey, BaseFileFooter.MaxKey).flatMap(old.footer(_)))
    writer
  }

  /** Id of the next new file group, which begins with this key; those of other attempts of the task are the same. */
  private[write] def newFileId(partition: String, key: UTF8String): String = {
    newGroups += 1
    job.fileId(FileNames.newFileId(job.instant, attempt.partitionId, newGroups - 1), partition, key)
  }

  /** Makes the marker of a file that is about to be written; a task whose write has ended gets no further. */
  private[spark] def begin(partition: String, name: String, ioType: String): Unit = {
    // The writer of the file asks nobody.
    storage.checkChange(s"${Partitions.directory(job.basePath, partition)}/$name")
    files.begin(Marker(relativePath(partition, name), ioType))
  }

  /** To be called when all files are whole, before the driver hears of them: what a task that was killed, or whose write
    * has ended, has written counts for nothing.
    */
  private[spark] def confirm(): Unit = {
    RunningTask.stopIfKilled()
    files.confirm()
  }

  /** As [[confirm]], for files with these stats, which get the facts that are wanted of them, and the keys of all. */
  private[spark] def confirm(stats: Seq[WriteStat]): Seq[WriteStat] = {
    val told = job.facts.fold(stats)(_.told(storage, job.basePath, stats, RunningTask.tasks))
    val keyed = if (told.isEmpty) told else told.head.copy(keys = keys.told()) +: told.tail
    confirm()
    keyed
  }

  /** Tells of the keys of a file group, where they are asked for. */
  private[spark] def keysOf(partition: String, fileId: String): GroupKeys =
    new GroupKeys(keys, keys.place(partition, Some(fileId)), keys.place(partition, None, Some(fileId)))

  /** Tells which keys changes of a slice's log take out of it, or bring back. */
  private[write] def outcomesIn(slice: FileSlice, settings: LogSettings, keys: GroupKeys): KeyOutcomes = {
    val counting = settings.counting.getOrElse(throw new IllegalStateException("nobody said which blocks count"))
    val logs = KeyOutcomes.logs(job.basePath, counting, job.rule, job.deleteMarker, job.dataSchema, job.evolved)
    new KeyOutcomes(slice, logs, job.comparedOrdinals, job.conf.value, old)(keys.came, keys.left)
  }

  /** Deletes all files that were begun; what writes to them has been closed.
    *
    * A write that fails has its files deleted by their markers, but a task may outlive that: Spark does not wait for the
    * tasks that it kills.
    */
  private[spark] def discard(): Unit = RunningTask.uninterrupted(files.discard())

  /** Runs a block that writes and finishes files. When it fails or the task is killed, `abort` closes them, and all are deleted. */
  private[spark] def orDiscarded(abort: => Unit)(write: => Seq[WriteStat]): Seq[WriteStat] =
    TaskOutput.or(discard())(confirm(orAborted(abort)(write)))

  /** Runs what writes some of the files of a task, whose caller confirms or discards all of them: `abort` closes these. */
  private[spark] def orAborted[T](abort: => Unit)(write: => T): T = TaskOutput.or(abort)(write)

  /** Path of a file below the table's base path. */
  /** Closes the first file of a file group. */
  private[spark] def begun(writer: BaseFileWriter): WriteStat = {
    val rows = writer.rows
    val size = writer.close()
    WriteStat(writer.fileId, relativePath(writer), WriteStat.NoPreviousCommit, writer.partition, numWrites = rows,
      numInserts = rows, totalWriteBytes = size, fileSizeInBytes = size)
  }

  private[spark] def relativePath(writer: BaseFileWriter): String = relativePath(writer.partition, writer.name)

  private[spark] def relativePath(partition: String, name: String): String =
    if (partition.isEmpty) name else s"$partition/$name"

  private[spark] lazy val heldChanges: HeldChanges.Layout = new HeldChanges.Layout(job.dataSchema)

  private[spark] val blocks: TaskBlocks = new TaskBlocks(layout, sequence)

  /** Records of updates, where they have only the columns that a statement sets. */
  private[write] lazy val updates: Option[PartialRecords] =
    job.logs.flatMap(_.updated).map(new PartialRecords(blocks, _))
}

private object TaskOutput {

  /** Runs it; a failure of `afterwards` goes with the failure that it follows. */
  private def or[T](afterwards: => Unit)(run: => T): T =
    try run
    catch {
      case e: Throwable =>
        try afterwards
        catch { case on: Exception => e.addSuppressed(on) }
        throw e
    }
}
