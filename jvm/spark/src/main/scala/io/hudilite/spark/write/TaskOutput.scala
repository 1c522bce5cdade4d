package io.hudilite.spark.write

import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.spark.row.ReaderContexts
import io.hudilite.storage.{HadoopStorage, Storage}
import io.hudilite.transaction.rollback.{Marker, Markers}

import java.nio.charset.StandardCharsets

import scala.collection.mutable

/** What the files of one task attempt share: markers, partition folders and the counter of sequence numbers. */
final class TaskOutput(val job: WriteJob, val attempt: TaskAttempt) {

  private[write] val storage: Storage = new HadoopStorage(job.conf.value)
  private[write] val readers = new ReaderContexts(job.conf.value, caseSensitive = false)
  private val knownPartitions = mutable.Set.empty[String]
  private val begun = mutable.ArrayBuffer.empty[Marker]
  private[write] val sequence = new SequenceNumbers(job.instant, attempt.partitionId)

  /** Opens a base file after its marker: a crash in between leaves nothing that a rollback would not find. */
  private[write] def open(partition: String, fileId: String, ioType: String, keys: KeySummary,
      plain: Set[Int] = Set.empty): BaseFileWriter = {
    if (knownPartitions.add(partition)) Partitions.createMetadata(storage, job.basePath, partition, job.instant)
    val name = FileNames.baseFile(fileId, attempt.writeToken, job.instant)
    begin(partition, name, ioType)
    new BaseFileWriter(job, this, partition, fileId, keys, plain)
  }

  /** Makes the marker of a file that is about to be written. */
  private[write] def begin(partition: String, name: String, ioType: String): Unit = {
    val marker = Marker(relativePath(partition, name), ioType)
    begun += marker
    Markers.create(storage, job.basePath, job.instant, marker)
  }

  /** Deletes all files that were begun; what writes to them has been closed.
    *
    * A write that fails has its files deleted by their markers, but a task may outlive that: Spark does not wait for the
    * tasks that it kills.
    */
  private[write] def discard(): Unit = RunningTask.uninterrupted {
    begun.foreach(Markers.discard(storage, job.basePath, job.instant, _))
    begun.clear()
  }

  /** Runs what writes and finishes files. When it fails or the task is killed, `abort` closes them, and all are deleted. */
  private[write] def orDiscarded[T](abort: => Unit)(write: => T): T =
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
  private[write] def relativePath(writer: BaseFileWriter): String = relativePath(writer.partition, writer.name)

  private[write] def relativePath(partition: String, name: String): String =
    if (partition.isEmpty) name else s"$partition/$name"

  private[write] lazy val heldChanges: HeldChanges.Layout = new HeldChanges.Layout(job.dataSchema)

  /** Encoder of the table's columns for log files. */
  private[write] lazy val avroColumns: AvroRecord = AvroValue.record(job.dataSchema)

  /** The bytes of the open log block; a task has one at a time, and one of new keys. */
  private[write] lazy val avroBuffer: AvroBuffer = new AvroBuffer()

  /** Those of the open block whose keys the base file does not have. */
  private[write] lazy val absentAvroBuffer: AvroBuffer = new AvroBuffer()
}

/** `<instant>_<task>_<counter>`, the text of `_hoodie_commit_seqno`, spelled into one reused buffer. */
private[write] final class SequenceNumbers(instant: String, task: Int) {

  private val prefix = s"${instant}_${task}_".getBytes(StandardCharsets.UTF_8)
  val buffer: Array[Byte] = java.util.Arrays.copyOf(prefix, prefix.length + 19)
  private var counter = 0L
  private var used = 0

  /** Bytes of the current number in `buffer`. */
  def length: Int = used

  /** Moves on to the next number. */
  def next(): Unit = {
    var digits = 1
    var bound = 10L
    while (bound <= counter && digits < 18) { // hot path
      digits += 1
      bound *= 10
    }
    var rest = counter
    var i = prefix.length + digits - 1
    while (i >= prefix.length) {
      buffer(i) = ('0' + rest % 10).toByte
      rest /= 10
      i -= 1
    }
    counter += 1
    used = prefix.length + digits
  }
}
