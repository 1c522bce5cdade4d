package io.hudilite.service.doctor

import io.hudilite.config.TableProperties
import io.hudilite.filegroup.{FileNames, FileSystemView, ListedFolders, PartitionWalk, Partitions, PathSelection}
import io.hudilite.storage.{FileInfo, Storage}
import io.hudilite.timeline.{Action, CommitMetadata, Instant, State, Timeline, TimelineHealth, TimelineStore}
import io.hudilite.transaction.TransactionOptions

/** Examination of a table: of its properties, its timeline, and folder by folder of its files. Nothing is changed.
  * Where the age of a file decides, a file is written and deleted to learn the time of the storage.
  */
private[doctor] final class Examination(store: TimelineStore, options: TransactionOptions) {

  import Examination._

  private val storage = store.storage
  private val basePath = store.basePath
  private val timeline: Timeline = store.load()
  private val health = new TimelineHealth(store)
  private val pending = options.pendingWrites(store)

  def findings(): Seq[Finding] = TimelineFindings.of(facts) ++ files()

  private def facts: Facts = {
    val rollbacks = timeline.pending.filter(_.action == Action.Rollback)
      .filterNot(i => health.damaged.exists(_.instant.time == i.time))
    val targets = rollbacks.flatMap(i => store.readRollbackPlan(i).map(i.time -> _.target.time)).toMap
    // A write that is being taken back is left to its rollback.
    val worked = timeline.pending.filter(i => isWorkedOn(i) && !targets.values.exists(_ == i.time))
    val left = pending.left(timeline)
    Facts(timeline, worked.map(i => i -> pending.judge(i)),
      health.damaged.filter(d => pending.isOld(d.file.modifiedMs)),
      timeline.pending.filter(i => !Action.Writes(i.comparableAction) && pending.isOld(health.lastChanged(i))), targets,
      clusterings,
      if (timeline.pendingWrites.isEmpty) Set.empty else health.restored, left,
      left.keySet.filter(i => pending.isOwned(i) || health.takenBack(i)), locks)
  }

  // Plans have no writer yet, unless a restore has left them.
  private def isWorkedOn(i: Instant): Boolean = Action.Writes(i.action) && !isPlan(i) ||
    (Services(i.action) && i.state == State.Inflight) ||
    (i.comparableAction == Action.ReplaceCommit && health.restored(i.time))

  private def isPlan(i: Instant): Boolean = i.state == State.Requested && clusterings(i.time)

  private lazy val clusterings: Set[String] = {
    store.pendingClusterings(Timeline(timeline.instants.filterNot(isBroken))).map(_._1.time).toSet
  }

  private def locks: Seq[String] = storage.list(s"${basePath.stripSuffix("/")}/.hoodie")
    .filter(f => !f.isDirectory && f.name == HudiLock && pending.isOld(f.modifiedMs)).map(f => s".hoodie/${f.name}")

  // Completed writes, without those that had been taken back before, whose files do not count.
  private lazy val commits: Map[String, CommitMetadata] = health.commits.filter { case (instant, _) =>
    !timeline.isLate(instant)
  }

  private lazy val missing: MissingFiles = MissingFiles.of(store, timeline, commits,
    store.pendingCompactions(Timeline(timeline.instants.filterNot(isBroken))))

  private def isBroken(i: Instant): Boolean = health.damaged.exists(_.instant.time == i.time)

  private def files(): Seq[Finding] = {
    val known = ExaminedFile(timeline, commits, health.takenBack,
      (instant, file) => pending.mayBeAlive(instant) || !pending.isOld(file.modifiedMs), store.config.version >= 8)
    val (marked, strays) = PartitionWalk.of(new ListedFolders(storage, basePath), PathSelection.All)
      .map { case (partition, folder) =>
        partition ->
          (FileFindings.of(known, partition, folder.files) ++
            FileFindings.others(partition, folder.files) ++ missing.in(partition, folder.files))
      }
      .foldLeft((Set.empty[String], Seq.empty[Finding])) { case ((paths, found), (partition, more)) =>
        (paths + partition, found ++ more)
      }
    val above = if (marked("")) Nil else FileFindings.others("", storage.list(basePath))
    unmarked(marked) ++ lost(marked) ++ strays ++ above
  }

  /** Partitions that writes of the active timeline name and that are not marked as such, though they have files. */
  private def unmarked(marked: Set[String]): Seq[Finding] = {
    val written = commits.toSeq.sortBy(_._1).flatMap { case (instant, metadata) =>
      metadata.stats.keys.map(_ -> instant)
    }
    val missing = written.filterNot { case (partition, _) => marked(partition) || !Partitions.mayBe(partition) }
    val first = missing.reverse.toMap
    val listed = Partitions.list(storage, basePath, first.keys.toSeq)
    first.toSeq.sortBy(_._1).filter { case (partition, _) => isCommitted(partition, listed.getOrElse(partition, Nil)) }
      .map { case (partition, instant) =>
        Finding(FindingKind.UnmarkedPartition, partition,
          s"The partition '$partition' has no ${FileNames.PartitionMetadata}: readers do not see its rows.",
          "Writes the file.", Some(Mend.MarkPartition(partition, instant)))
      }
  }

  /** Missing files of partitions that have no marked folder. */
  private def lost(marked: Set[String]): Seq[Finding] = {
    val others = missing.partitions.filterNot(marked).toSeq.sorted
    val listed = Partitions.list(storage, basePath, others)
    others.flatMap(partition => missing.in(partition, listed.getOrElse(partition, Nil)))
  }

  private def isCommitted(partition: String, files: Seq[FileInfo]): Boolean =
    FileSystemView.baseFiles(partition, files).exists(f => timeline.isCommitted(f.instant)) ||
      FileSystemView.logFiles(partition, files).nonEmpty
}

private[doctor] object Examination {

  private val Services = Set(Action.Compaction, Action.LogCompaction, Action.Clustering)

  // Name of the lock of Hudi's lock provider on file systems.
  private val HudiLock = "lock"

  /** Damage of the properties, without which nothing else can be examined. */
  def properties(storage: Storage, basePath: String): Seq[Finding] = {
    val health = TableProperties.health(storage, basePath)
    def found(what: String, advice: String, mend: Option[Mend]): Seq[Finding] =
      Seq(Finding(FindingKind.DamagedProperties, s".hoodie/${TableProperties.FileName}", what, advice, mend))
    health.flaw match {
      case None if !health.hasBackup => Nil
      case None => found("An update of the properties is under way, or died before it removed the backup of the file.",
          "Removes the backup.", Some(Mend.RestoreProperties))
      case Some(flaw) if health.isReadable =>
        found(s"The file cannot be used: $flaw. Its backup is whole and in force.", "Puts the backup in its place.",
          Some(Mend.RestoreProperties))
      case Some(flaw) => found(s"The file cannot be used: $flaw.",
          "Bring it back from a copy of the table. Where somebody has changed it by hand, and its content is what it " +
            "should be, remove the line hoodie.table.checksum.", None)
    }
  }
}
