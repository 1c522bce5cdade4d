package io.hudilite.transaction.rollback

import io.hudilite.filegroup.FileNames
import io.hudilite.timeline.{
  Action,
  Instant,
  InstantName,
  RollbackMetadata,
  RollbackPlan,
  RollbackRequest,
  RolledBackPartition,
  State,
  Timeline,
  TimelineStore
}
import io.hudilite.transaction.rollback.TakenBack.{CommandWritten, Deleted}

import org.slf4j.LoggerFactory

/** Takes back a write that did not complete (docs/format.md#rollback); the caller holds the table lock.
  *
  * Whether it completed is asked here, of the timeline as it is, whatever the caller believes: of a completed write
  * nothing is deleted but its traces.
  */
private[transaction] final class Rollback(store: TimelineStore) {

  import Rollback._

  private val storage = store.storage
  private val basePath = store.basePath

  /** Removes the files of the instant and then its traces in the timeline, and records that as a rollback. A compaction
    * becomes requested again instead; a log compaction does not, since nobody lays files out by it. Of an instant that
    * the timeline does not have only files and traces are removed.
    *
    * @param written
    *   relative paths of files of the instant that are known without their markers
    * @return
    *   `false` when the instant has completed, so that it stays
    */
  def run(instant: String, written: Seq[String] = Nil): Boolean = {
    val undone = !isCommitted(instant, store.load()) && takenBack(instant, written)
    if (undone) store.schemaFiles.delete(instant)
    else log.warn(s"$instant of $basePath is not rolled back: it has completed.")
    Traces.delete(storage, basePath, instant)
    undone
  }

  private def isCommitted(instant: String, timeline: Timeline): Boolean =
    timeline.write(instant).exists(!store.isCutShort(_)) ||
      // The active timeline has moved on: whoever finds the instant in the archive sees a completed write.
      (timeline.beforeStart(instant) && !timeline.isPendingWrite(instant) &&
        store.archivedCompleted().exists(i => i.time == instant && Action.Writes(i.action)))

  private def takenBack(instant: String, written: Seq[String]): Boolean = {
    // What the tasks of this write begin from here on they delete themselves.
    WritePermit.deleteAll(storage, basePath, instant)
    store.deleteCutShort(instant)
    val timeline = store.load()
    val files = (Markers.list(storage, basePath, instant).map(_.relativePath) ++ written).distinct
    timeline.pendingWrites.filter(_.time == instant) match {
      case Seq() =>
        files.foreach(take(instant, _, store.newInstantTime(timeline.lastTime.getOrElse(""))))
        true
      case compactions if compactions.exists(_.action == Action.Compaction) =>
        toRequested(compactions, files)
        true
      case pending => recorded(pending, files, begun(timeline.pending, instant))
    }
  }

  private def take(instant: String, path: String, commandInstant: => String): TakenBack =
    new InstantFiles(storage, basePath, store.config, instant).takeBack(path, commandInstant)

  // The plan stays, to be run again: other writers lay their log files out by it. The output is base files.
  private def toRequested(pending: Seq[Instant], files: Seq[String]): Unit = {
    files.foreach(take(pending.head.time, _, throw new IllegalStateException("a compaction appends to no log")))
    pending.foreach(store.revertToRequested)
  }

  // A rollback that died half-way is taken up again, so that it does not stay pending for ever.
  private def begun(pending: Seq[Instant], instant: String): Option[Instant] =
    pending.find(i => i.action == Action.Rollback && store.readRollbackPlan(i).exists(_.target.time == instant))

  private def recorded(pending: Seq[Instant], files: Seq[String], begun: Option[Instant]): Boolean = {
    val started = System.nanoTime()
    val target = InstantName(pending.head.time, pending.head.action)
    val time = begun.map(_.time).getOrElse(request(RollbackPlan(target, requests(files))))
    if (!begun.exists(_.state == State.Inflight)) store.toInflight(time, Action.Rollback)
    // Where no lock reaches its writer, that one may have completed the instant before it could see the rollback.
    val now = store.load()
    val undone = !isCommitted(target.time, now)
    if (undone) {
      val done = files.groupBy(partitionOf).toSeq.map { case (partition, paths) =>
        val results = paths.map(take(target.time, _, time))
        RolledBackPartition(partition, results.collect { case Deleted(path) => path },
          rollbackLogFiles = results.collect { case CommandWritten(path, bytes) => path -> bytes }.toMap)
      }
      val millis = (System.nanoTime() - started) / 1000000L
      store.completeRollback(time, RollbackMetadata(time, millis, Seq(target), done))
      pending.foreach(store.delete)
    } else now.pending.filter(i => i.time == time && i.action == Action.Rollback).foreach(store.delete)
    undone
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

private object Rollback {
  private val log = LoggerFactory.getLogger("io.hudilite.transaction.Rollback")
}
