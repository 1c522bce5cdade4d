package io.hudilite.spark.write.task

import io.hudilite.filegroup.{FileNames, FileSlice, Partitions}
import io.hudilite.spark.logfile.encode.LogSettings
import io.hudilite.transaction.rollback.Markers

/** Names of the log files that a task attempt appends to one file slice, and the right to write them
  * (docs/format.md#file-names).
  *
  * From version 8 on a name bears the instant and the attempt, so it is nobody else's. Before, it bears the slice's
  * instant, and the next version may be taken by a writer that runs at the same time: there the file is created before
  * its marker, so that a marker of ours never names a file of another writer, which a rollback would delete.
  */
private[write] final class LogFileNames(output: TaskOutput, settings: LogSettings, slice: FileSlice) {

  private val job = output.job
  private val time =
    if (settings.byInstant) job.instant else settings.compactions.getOrElse(slice.groupId, slice.instant)
  private val latest = slice.logs.filter(_.time == time).sortBy(_.version).lastOption
  private val token =
    latest.filterNot(_ => settings.byInstant).flatMap(_.writeToken).getOrElse(output.attempt.writeToken)
  private var last = if (settings.byInstant) 0 else latest.map(_.version).getOrElse(0)

  /** Version of the name handed out last. */
  def version: Int = last

  /** Absolute path of a file of the slice's partition. */
  def path(name: String): String = s"${Partitions.directory(job.basePath, slice.partition)}/$name"

  /** The next name; its marker exists, and on version 6 the file, too, empty. */
  @annotation.tailrec
  def next(): String = {
    last += 1
    val name = FileNames.logFile(slice.fileId, time, last, token)
    if (settings.byInstant || output.storage.createNew(path(name), Array.emptyByteArray)) {
      val ioType = if (settings.byInstant) Markers.Create else Markers.Append
      output.begin(slice.partition, name, ioType)
      name
    } else next()
  }
}
