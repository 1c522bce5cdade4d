package io.hudilite.service.archive

import io.hudilite.config.TableType
import io.hudilite.config.service.{ArchiveConf, ServiceConf}
import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.service.clean.CleanScheduler
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant, InstantStates, WriteFolders}
import io.hudilite.transaction.{Transaction, TransactionOptions}
import io.hudilite.transaction.rollback.Markers
import io.hudilite.upkeep.{MetadataHome, MetadataServices}

/** A finished or possible archiving.
  *
  * @param instants
  *   instants that leave the active timeline, oldest first
  * @param files
  *   names of the files that the archived timeline got
  */
final case class Archived(instants: Seq[Instant], files: Seq[String])

/** Moves the oldest instants of a table from its active timeline to the archived one (docs/format.md#archiving).
  *
  * The archived timeline gets them first, and then their files are deleted. An archiving that was cut off at any call
  * is taken up by the next one, which archives no instant twice.
  *
  * @param retained
  *   first instant whose state a cleaning by the present settings leaves whole; `None` when there is none
  */
final class Archiver(table: Table, conf: ArchiveConf, options: TransactionOptions = TransactionOptions(),
    retained: Option[String] = None) {

  /** True when there may be work, by the timeline that the table was opened with. Asks storage for the metadata table
    * alone, where there is one.
    */
  def isDue: Boolean = underMetadata(table, known(table)).nonEmpty

  /** The archiving that [[run]] would do. Nothing is written. */
  def preview(): Archived = Archived(planned(table), Nil)

  /** Archives, under the table lock, all instants that are due by then. */
  def run(): Archived = Transaction.preparedNow(table, options) { now =>
    val instants = planned(now)
    if (instants.isEmpty) Archived(Nil, Nil) else Archived(instants, archive(now, instants))
  }

  /** Archives as [[run]] does, when something [[isDue]]. */
  def runIfDue(): Archived = if (isDue) run() else Archived(Nil, Nil)

  private def archive(now: Table, instants: Seq[Instant]): Seq[String] = {
    val archive = now.store.archive
    val held = archive.held(instants)
    val (left, fresh) = InstantStates.of(now.storage, now.store.folder, instants).partition(s => held(s.instant))
    remove(now, left)
    val added = if (fresh.isEmpty) Nil else Seq(archive.append(fresh))
    remove(now, fresh)
    added ++ archive.merge(conf.mergedFiles)
  }

  /** Removes the files of the instants, and traces that their writers should have removed. */
  private def remove(now: Table, states: Seq[InstantStates]): Unit = if (states.nonEmpty) {
    val times = states.map(_.instant.time).toSet
    now.storage.list(WriteFolders.markers(now.basePath)).filter(f => f.isDirectory && times(f.name))
      .foreach(f => Markers.delete(now.storage, now.basePath, f.name))
    InstantStates.delete(now.storage, states)
  }

  // Instants to archive by the timeline alone.
  private def known(now: Table): Seq[Instant] = ArchivePlanner.plan(now.timeline, conf, facts(now))

  // Readers of the metadata table judge its log files by the active timeline, until a compaction of it ends that.
  private def underMetadata(now: Table, due: Seq[Instant]): Seq[Instant] =
    if (due.isEmpty || now.config.metadataPartitions.isEmpty) due
    else MetadataServices.lastCompaction(new MetadataHome(now.store)).fold(Seq.empty[Instant])(compaction =>
      due.filter(_.time < compaction))

  // Commits are read where something is to go only.
  private def planned(now: Table): Seq[Instant] = {
    val due = underMetadata(now, known(now))
    if (due.isEmpty) Nil
    else {
      val replacing = now.store.readCommits(due.filter(_.action == Action.ReplaceCommit)).iterator
      val uncleaned = replacing.find { case (_, metadata) => stillThere(now, metadata.replaced) }.map(_._1.time)
      val facts = this.facts(now).copy(uncleaned = uncleaned.toSet, columns = columnsAt(now))
      underMetadata(now, ArchivePlanner.plan(now.timeline, conf, facts))
    }
  }

  /** The newest write, as of the first savepoint where one holds the archiving up, that is no service. Without it Apache
    * Hudi would know neither the columns nor their history: it looks for both at writes of the active timeline.
    */
  private def columnsAt(now: Table): Option[String] = {
    val saved = now.timeline.instants.find(_.action == Action.Savepoint).filterNot(_ => conf.beyondSavepoint)
    now.timeline.writes.reverseIterator.filter(i => saved.forall(i.time <= _.time))
      .find(i => !now.store.readCommit(i).isService).map(_.time)
  }

  private def facts(now: Table): ArchiveFacts = Archiver.facts(now).copy(retained = retained)

  /** True when some file of these file groups, given by partition, is still there. */
  private def stillThere(now: Table, groups: Map[String, Seq[String]]): Boolean =
    Partitions.list(now.storage, now.basePath, groups.keys.toSeq).exists { case (partition, files) =>
      val ids = groups(partition).toSet
      files.exists(f =>
        FileNames.parseBaseFile(f.name).map(_.fileId).orElse(FileNames.parseLogFile(f.name).map(_.fileId)).exists(ids))
    }
}

object Archiver {

  /** The archiver for these options. Raises `InvalidInput` when they contradict each other. */
  def of(table: Table, conf: ServiceConf, options: TransactionOptions): Archiver =
    new Archiver(table, conf.archiving.checked, options,
      CleanScheduler.earliestRetained(table, conf.cleaning).map(_.time))

  /** True when an archiving may be due after a write, by the timeline before it: there were as many commits as may
    * stay.
    */
  def mayBeDue(before: Table, conf: ArchiveConf): Boolean =
    before.timeline.writes.size >= conf.maxCommits || ArchivePlanner.plan(before.timeline, conf, facts(before)).nonEmpty

  private def facts(table: Table): ArchiveFacts =
    ArchiveFacts(table.config.layout, table.config.tableType == TableType.MergeOnRead)
}
