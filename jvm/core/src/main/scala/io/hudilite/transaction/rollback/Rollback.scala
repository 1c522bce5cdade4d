package io.hudilite.transaction.rollback

import io.hudilite.config.TableConfig
import io.hudilite.filegroup.{BootstrapIndexFiles, FileNames}
import io.hudilite.storage.{Storage, Undo}
import io.hudilite.table.RingFiles
import io.hudilite.timeline.{Action, Instant, InstantTime, State, Timeline, TimelineStore}
import io.hudilite.timeline.plan.{InstantName, RollbackMetadata, RollbackPlan, RollbackRequest, RolledBackPartition}
import io.hudilite.transaction.rollback.TakenBack.{CommandWritten, Deleted}
import io.hudilite.upkeep.Undoing

import org.slf4j.LoggerFactory

/** Takes back a write that did not complete (docs/format.md#rollback). The caller holds the table lock.
  *
  * The timeline is asked here once more if the write has completed, whatever the caller believes. A completed write
  * loses only its traces.
  *
  * @param current
  *   properties of the table where the caller has read them under the lock
  */
private[hudilite] final class Rollback(store: TimelineStore, current: Option[TableConfig] = None) {

  import Rollback._

  private val storage = store.storage
  private val basePath = store.basePath
  private val base = basePath.stripSuffix("/")

  /** Removes the files of the instant and then its traces in the timeline, and records that as a rollback. A compaction
    * or clustering becomes requested again instead, but a log compaction does not, since no writer lays files out by
    * it. For an instant that the timeline does not have, only files and traces are removed.
    *
    * @param written
    *   relative paths of files of the instant that are known without their markers
    * @return
    *   `false` when the instant has completed, so that it stays
    */
  def run(instant: String, written: Seq[String] = Nil): Boolean = {
    val timeline = store.load()
    val undone = !isCommitted(instant, timeline) && takenBack(instant, written ++ filesOfLate(instant, timeline))
    if (!undone) {
      log.warn(s"$instant of $basePath is not rolled back: it has completed.")
      forgetArchived(instant)
    }
    Rollback.deleteTraces(store, instant)
    undone
  }

  /** Removes what the write has left beside data and timeline. */
  private def deleteBeside(instant: String): Unit = {
    store.schemaFiles.delete(instant)
    if (instant == InstantTime.OfSkeletons) new BootstrapIndexFiles(storage, basePath).delete()
  }

  // A write that completed after it was taken back may have made files until then.
  private def filesOfLate(instant: String, timeline: Timeline): Seq[String] =
    store.readableCommits(timeline.late.filter(_.time == instant)).flatMap(_._2.allPaths)

  // A rollback of a write that was archived as completed can have no effect any more, and each later process would look
  // for the write in the archive again.
  private def forgetArchived(instant: String): Unit = {
    val timeline = store.load()
    if (!timeline.contains(instant)) timeline.pending.filter(isRollbackOf(_, instant)).foreach(store.delete)
  }

  /** Takes a completed write back. Once its completed file is gone, no reader sees the write, and the plan of the
    * rollback names the rest of the work, which the next process ends. A failure before that leaves no plan. A
    * compaction becomes requested again. The caller has made sure that nothing rests on the write and that the files
    * from before it are there.
    *
    * @return
    *   result of the rollback
    */
  def runCompleted(write: Instant): RollbackMetadata = {
    val files = store.readCommit(write).allPaths.toSeq.sorted
    val target = InstantName(write.time, write.action)
    val time = announced(write, RollbackPlan(target, requests(files)))
    store.withdraw(write.time, write.action, State.Completed)
    val pending = store.load().pending.filter(i => i.time == write.time && Action.Writes(i.comparableAction))
    val done = finish(time, target, pending, files, System.nanoTime())
    Rollback.deleteTraces(store, write.time)
    done
  }

  private def announced(write: Instant, plan: RollbackPlan): String = {
    def drop(): Unit = store.load().pending.filter(isRollbackOf(_, write.time)).foreach(store.delete)
    drop() // a plan of a rollback that was cut off before it took anything
    try {
      val time = request(plan)
      store.toInflight(time, Action.Rollback)
      time
    } catch { case e: Throwable => throw Undo.after(e)(drop()) }
  }

  private def isCommitted(instant: String, timeline: Timeline): Boolean =
    timeline.write(instant).exists(!store.isCutShort(_)) ||
      // The active timeline has moved on, and readers of the archive see a completed write.
      (timeline.beforeStart(instant) && !timeline.isPendingWrite(instant) &&
        store.archivedWrites().exists(_.time == instant))

  private def takenBack(instant: String, written: Seq[String]): Boolean = {
    // Tasks of this write delete the files that they begin from here on.
    WritePermit.deleteAll(storage, basePath, instant)
    new Undoing(store, current).begin(instant)
    store.deleteUncounted(instant)
    val timeline = store.load()
    val files = (Markers.list(storage, basePath, instant).map(_.relativePath) ++ written).distinct
    timeline.pendingWrites.filter(_.time == instant) match {
      case Seq() =>
        begun(timeline.pending, instant) match {
          case Some(rollback) => recorded(instant, Nil, (files ++ planned(rollback)).distinct, Some(rollback))
          case None =>
            files.foreach(take(instant, _, store.newInstantTime(timeline.lastTime.getOrElse(""))))
            deleteBeside(instant)
            true
        }
      case pending =>
        val rollback = begun(timeline.pending, instant)
        if (rollback.isEmpty && (isCompaction(pending) || isClustering(pending, timeline))) toRequested(pending, files)
        else recorded(instant, pending, (files ++ rollback.toSeq.flatMap(planned)).distinct, rollback)
    }
  }

  private def take(instant: String, path: String, commandInstant: => String): TakenBack =
    new InstantFiles(storage, basePath, store.config, instant).takeBack(path, commandInstant)

  // The plan stays, to be run again: other writers lay their log files out by it, or keep off its file groups. Its
  // output is base files. A writer beyond the reach of the lock looks for its inflight file after it has completed. So
  // either the writer finds that gone, or its completed file is seen here.
  private def toRequested(pending: Seq[Instant], files: Seq[String]): Boolean = {
    pending.foreach(store.revertToRequested)
    val undone = !isCommitted(pending.head.time, store.load())
    if (undone) {
      files.foreach(take(pending.head.time, _, throw new IllegalStateException("such a plan appends to no log")))
      deleteBeside(pending.head.time)
    }
    undone
  }

  private def isCompaction(pending: Seq[Instant]): Boolean = pending.exists(_.action == Action.Compaction)

  // In layout 1 a clustering has the action of every replace commit, and only the plan tells it apart.
  private def isClustering(pending: Seq[Instant], timeline: Timeline): Boolean =
    pending.exists(_.comparableAction == Action.ReplaceCommit) &&
      store.pendingClusterings(timeline).exists { case (i, _) => pending.exists(_.time == i.time) }

  // A write that had completed has no markers left.
  private def planned(rollback: Instant): Seq[String] =
    store.readRollbackPlan(rollback).toSeq.flatMap(_.requests).flatMap(_.files)

  // A rollback that died half-way is taken up again, so that it does not stay pending forever.
  private def begun(pending: Seq[Instant], instant: String): Option[Instant] =
    pending.find(isRollbackOf(_, instant))

  private def isRollbackOf(i: Instant, instant: String): Boolean =
    i.action == Action.Rollback && store.readRollbackPlan(i).exists(_.target.time == instant)

  private def recorded(instant: String, pending: Seq[Instant], files: Seq[String], begun: Option[Instant]): Boolean = {
    val started = System.nanoTime()
    val target = begun.flatMap(store.readRollbackPlan(_)).fold(InstantName(instant, pending.head.action))(_.target)
    val time = begun.map(_.time).getOrElse(request(RollbackPlan(target, requests(files))))
    if (!begun.exists(_.state == State.Inflight)) store.toInflight(time, Action.Rollback)
    // A writer beyond the reach of the lock may have completed the instant before it could see the rollback.
    val now = store.load()
    val undone = !isCommitted(target.time, now)
    if (undone) {
      finish(time, target, pending, files, started)
      ()
    } else now.pending.filter(i => i.time == time && i.action == Action.Rollback).foreach(store.delete)
    undone
  }

  private def finish(time: String, target: InstantName, pending: Seq[Instant], files: Seq[String], started: Long)
      : RollbackMetadata = {
    val done = files.groupBy(partitionOf).toSeq.map { case (partition, paths) =>
      val results = paths.map(take(target.time, _, time))
      RolledBackPartition(partition, results.collect { case Deleted(path) => path.stripPrefix(s"$base/") },
        rollbackLogFiles = results.collect { case CommandWritten(path, bytes) => path -> bytes }.toMap)
    }
    val metadata = RollbackMetadata(time, (System.nanoTime() - started) / 1000000L, Seq(target), done)
    new Undoing(store, current).end(time, metadata, RollbackPlan(target, Nil))
    deleteBeside(target.time)
    removeRings(storage, basePath, Seq(metadata))
    // The rollback stays pending while there are traces of the write, since a completed one could not be told from that
    // of an earlier run of the plan.
    if (!isCompaction(pending)) pending.foreach(store.delete)
    store.completeRollback(time, metadata)
    if (isCompaction(pending)) pending.foreach(store.revertToRequested)
    metadata
  }

  private def request(plan: RollbackPlan): String = {
    val time = store.newInstantTime(store.load().lastTime.getOrElse(""))
    store.requestRollback(time, plan)
    time
  }

  private def requests(files: Seq[String]): Seq[RollbackRequest] = files.map { path =>
    val name = path.substring(path.lastIndexOf('/') + 1)
    val fileId = FileNames.parseBaseFile(name).map(_.fileId).orElse(FileNames.parseLogFile(name).map(_.fileId))
    RollbackRequest(partitionOf(path), Seq(path), fileId.getOrElse(""))
  }

  private def partitionOf(path: String): String = path.substring(0, math.max(path.lastIndexOf('/'), 0))
}

private[hudilite] object Rollback {
  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Rollback")

  /** Removes the files that a running write keeps beside data and timeline: permits for its tasks, markers, heartbeat,
    * and its owner file. The owner file goes last, since by it the next writer finds the others.
    */
  private[rollback] def deleteTraces(store: TimelineStore, instant: String): Unit = {
    val (storage, basePath) = (store.storage, store.basePath)
    WritePermit.deleteAll(storage, basePath, instant)
    Markers.delete(storage, basePath, instant)
    Heartbeat.delete(storage, basePath, instant)
    OwnerFile.delete(storage, basePath, instant)
  }

  /** Removes the hash rings of the writes that these rollbacks take back. Only a clustering writes rings of its instant, and
    * before its files.
    */
  private[hudilite] def removeRings(storage: Storage, basePath: String, rollbacks: Seq[RollbackMetadata]): Unit = {
    val (clusterings, others) =
      rollbacks.partition(_.targets.exists(target => Action.completed(target.action) == Action.ReplaceCommit))
    def times(of: Seq[RollbackMetadata]): Set[String] = of.flatMap(_.targets).map(_.time).toSet
    if (clusterings.nonEmpty) RingFiles.remove(storage, basePath, times(clusterings), None)
    RingFiles.remove(storage, basePath, times(others), Some(others.flatMap(_.partitions).map(_.partition)))
  }

  /** Times of pending writes that a process has begun to take back, or has taken back except for their last traces. */
  def condemned(store: TimelineStore, timeline: Timeline): Set[String] =
    targets(undone(store, timeline, timeline.instants))

  /** Ends the rollbacks that were begun and not ended. The caller holds the table lock. */
  def endAll(store: TimelineStore): Unit =
    targets(unended(store, store.load())).toSeq.sorted.reverse.foreach(new Rollback(store).run(_))

  /** Rollbacks that were begun and not ended, by their times. Their targets are pending, or have no trace in the
    * timeline any more.
    */
  def unended(store: TimelineStore, timeline: Timeline): Map[String, RollbackPlan] =
    undone(store, timeline, timeline.pending)

  /** True when a write that is being taken back may have completed: unlike an unfinished one it has no marker, no
    * heartbeat and no owner file.
    */
  def hadCompleted(store: TimelineStore, instant: String): Boolean =
    Markers.list(store.storage, store.basePath, instant).isEmpty &&
      Heartbeat.lastBeat(store.storage, store.basePath, instant).isEmpty &&
      !OwnerFile.files(store.storage, store.basePath).exists(_.name == instant)

  /** Plans of those rollbacks among the instants whose targets are not to be seen, by the times of the rollbacks. */
  private def undone(store: TimelineStore, timeline: Timeline, instants: Seq[Instant]): Map[String, RollbackPlan] =
    instants.filter(_.action == Action.Rollback)
      .flatMap(rollback => store.readRollbackPlan(rollback).map(rollback.time -> _))
      .filterNot { case (_, plan) => timeline.isCompleted(plan.target.time) }.toMap

  private def targets(rollbacks: Map[String, RollbackPlan]): Set[String] = rollbacks.values.map(_.target.time).toSet
}
