package io.hudilite.compaction

import io.hudilite.error.{CorruptTable, InvalidInput}
import io.hudilite.filegroup.{BaseFile, FileSlice, FileSystemView, LogFile, Partitions}
import io.hudilite.storage.FileInfo
import io.hudilite.table.Table
import io.hudilite.timeline.{CompactionOperation, Instant, State}

/** A planned compaction with its slices as they lie on storage, the largest first. */
final case class PendingCompaction(instant: Instant, slices: Seq[FileSlice])

/** The compactions of a table that were planned and have not completed. */
object PendingCompactions {

  /** The requested compactions that can be run, oldest first. */
  def runnable(table: Table): Seq[Instant] =
    table.timeline.pendingCompactions.filter(_.state == State.Requested)

  /** The pending compaction of this instant; raises `InvalidInput` when there is none. */
  def named(table: Table, instant: String): Instant =
    table.timeline.pendingCompactions.find(_.time == instant).getOrElse {
      val pending = table.timeline.pendingCompactions.map(_.time)
      throw InvalidInput("COMPACTION_NOT_FOUND", "path" -> table.basePath, "instant" -> instant,
        "pending" -> (if (pending.isEmpty) "none" else pending.mkString(", ")))
    }

  /** Reads the plan and finds its files; one that is gone raises `CorruptTable`. */
  def open(table: Table, instant: Instant): PendingCompaction = {
    table.pendingCompactions // raises an error when another plan takes a file group of this one, too
    val plan = table.store.pendingCompactions(table.timeline).collectFirst {
      case (i, p) if i.time == instant.time => p
    }
      .getOrElse(throw CorruptTable("CORRUPT_FILE", "path" -> s"${table.store.folder}/${instant.fileName}",
          "reason" -> "the requested file of the compaction holds no plan"))
    val listing = Partitions.list(table.storage, table.basePath, plan.operations.map(_.partition).distinct)
    val slices = plan.operations.map(o => slice(table, instant, o, listing.getOrElse(o.partition, Nil)))
    PendingCompaction(instant, slices.sortBy(-_.totalLength))
  }

  private def slice(table: Table, instant: Instant, operation: CompactionOperation, files: Seq[FileInfo])
      : FileSlice = {
    val named = operation.logFiles.toSet ++ operation.baseFile
    val present = files.filter(f => named(f.name))
    (named -- present.map(_.name)).toSeq.sorted.headOption.foreach(missing =>
      throw CorruptTable("CORRUPT_FILE",
        "path" -> s"${Partitions.directory(table.basePath, operation.partition)}/$missing",
        "reason" -> s"it is gone, and the planned compaction ${instant.time} needs it"))
    val bases: Seq[BaseFile] = FileSystemView.baseFiles(operation.partition, present)
    val logs: Seq[LogFile] = FileSystemView.logFiles(operation.partition, present)
    FileSlice(operation.partition, operation.fileId, operation.baseInstant, bases.headOption,
      logs.sortBy(l => (l.time, l.version, l.writeToken.getOrElse(""))))
  }
}
