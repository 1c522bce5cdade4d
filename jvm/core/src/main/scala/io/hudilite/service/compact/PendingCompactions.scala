package io.hudilite.service.compact

import io.hudilite.error.{CommitConflict, CorruptTable, InvalidInput, Listed}
import io.hudilite.filegroup.{BaseFile, FileGroupId, FileSlice, FileSystemView, LogFile, Partitions}
import io.hudilite.storage.FileInfo
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, State}
import io.hudilite.timeline.plan.{CompactionOperation, CompactionPlan}

/** A planned compaction with its slices as they lie on storage, the largest first. */
final case class PendingCompaction(instant: Instant, slices: Seq[FileSlice])

/** Compactions of a table that are planned and have not completed. */
object PendingCompactions {

  /** Requested compactions that can be run, oldest first. */
  def runnable(table: Table, kind: CompactionKind = CompactionKind.Base): Seq[Instant] = {
    val pending = kind match {
      case CompactionKind.Base => table.timeline.pendingCompactions
      case CompactionKind.Log => table.timeline.pendingLogCompactions
    }
    pending.filter(_.state == State.Requested)
  }

  /** The pending compaction of this instant, of either kind. Raises `InvalidInput` when there is none. */
  def named(table: Table, instant: String): Instant = {
    val all = table.timeline.pendingCompactions ++ table.timeline.pendingLogCompactions
    all.find(_.time == instant).getOrElse {
      val pending = all.map(_.time).sorted
      throw InvalidInput("COMPACTION_NOT_FOUND", "path" -> table.basePath, "instant" -> instant,
        "pending" -> Listed.of(pending))
    }
  }

  /** Reads the plan and finds its files. Raises `CorruptTable` for a missing file, and `CommitConflict` for a log
    * compaction that no longer fits its file groups.
    */
  def open(table: Table, instant: Instant): PendingCompaction = {
    table.pendingCompactions // raises an error when another plan takes a file group of this one, too
    outdated(table, instant).foreach(reason =>
      throw CommitConflict("COMMIT_CONFLICT", "instant" -> instant.time, "path" -> table.basePath, "reason" -> reason))
    val plan = planOf(table, instant)
    found(table, instant, plan, Partitions.list(table.storage, table.basePath, _))
  }

  /** The pending compaction of a plan that was just made of this table, whose folders need not be listed again. */
  private[compact] def fresh(table: Table, instant: Instant, plan: CompactionPlan): PendingCompaction =
    found(table, instant, plan, table.listing)

  private def found(table: Table, instant: Instant, plan: CompactionPlan,
      list: Seq[String] => Map[String, Seq[FileInfo]]): PendingCompaction = {
    val listing = list(plan.operations.map(_.partition).distinct)
    val slices = plan.operations.map(o => slice(table, instant, o, listing.getOrElse(o.partition, Nil)))
    val whole = table.withSources(slices.groupBy(_.partition)).values.flatten.toSeq
    PendingCompaction(instant, whole.sortBy(-_.totalLength))
  }

  /** Reason why a log compaction can no longer be run. Its block must come right behind the blocks that it folds, in
    * their slice, with later blocks behind it. Before version 8 later blocks would lie before it, since files of a
    * slice are numbered in the order of their creation.
    */
  def outdated(table: Table, instant: Instant): Option[String] =
    if (CompactionKind.of(instant.action) == CompactionKind.Base) None
    else {
      val operations = planOf(table, instant).operations
      val slices = table.slices(operations.map(_.partition).distinct).values.flatten.map(s => s.groupId -> s).toMap
      val late = table.timeline.pending.find(i => i.action == Action.DeltaCommit && i.time < instant.time)
      late.map(i => s"the older write ${i.time} is under way").orElse(operations.flatMap { o =>
        val id = FileGroupId(o.partition, o.fileId)
        val taken = table.pendingCompactions.contains(id) || table.pendingClusterings.contains(id)
        if (!taken && slices.get(id).exists(isPresent(_, o, instant, table.config.layout))) None
        else Some(s"the file group ${o.fileId} in '${o.partition}' has changed since it was planned")
      }.headOption)
    }

  /** Planned log compactions that can no longer be run, with the reasons. */
  def allOutdated(table: Table): Seq[(Instant, String)] =
    runnable(table, CompactionKind.Log).flatMap(instant => outdated(table, instant).map(instant -> _))

  /** The table without the log compactions that can no longer be run. Nothing is written. */
  def withoutOutdated(table: Table): Table = {
    val gone = allOutdated(table).map(_._1.time).toSet
    table.copy(timeline = table.timeline.copy(instants = table.timeline.instants.filterNot(i => gone(i.time))))
  }

  private def isPresent(slice: FileSlice, planned: CompactionOperation, instant: Instant, layout: Int): Boolean = {
    val before = if (layout == 1) slice.logs else slice.logs.filter(_.time < instant.time)
    slice.instant == planned.baseInstant && before.map(_.name) == planned.logFiles
  }

  private def planOf(table: Table, instant: Instant): CompactionPlan = {
    val plans = CompactionKind.of(instant.action) match {
      case CompactionKind.Base => table.store.pendingCompactions(table.timeline)
      case CompactionKind.Log => table.store.pendingLogCompactions(table.timeline)
    }
    plans.collectFirst { case (i, plan) if i.time == instant.time => plan }
      .getOrElse(throw CorruptTable("CORRUPT_FILE", "path" -> s"${table.store.folder}/${instant.fileName}",
          "reason" -> "the requested file of the compaction holds no plan"))
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
