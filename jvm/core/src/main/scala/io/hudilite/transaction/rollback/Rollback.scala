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
  TimelineStore
}

/** Takes back a write of ours that did not complete (docs/format.md#rollback); the caller holds the table lock. */
private[transaction] final class Rollback(store: TimelineStore) {

  private val storage = store.storage
  private val basePath = store.basePath
  private val base = basePath.stripSuffix("/")

  /** Removes the files of the instant and then its traces in the timeline, and records that as a rollback. A compaction
    * becomes requested again instead; a log compaction does not, since nobody lays files out by its plan.
    *
    * @param written
    *   relative paths of files of the instant that are known without their markers
    */
  def run(instant: String, action: String, written: Seq[String] = Nil): Unit = {
    val timeline = store.load()
    val files = (Markers.list(storage, basePath, instant).map(_.relativePath) ++ written).distinct
    timeline.pending.filter(i => i.time == instant && i.comparableAction == Action.completed(action)) match {
      case Seq() => files.foreach(f => storage.delete(s"$base/$f"))
      case compactions if action == Action.Compaction => toRequested(compactions, files)
      case pending => recorded(pending, InstantName(instant, action), files, begun(timeline.pending, instant))
    }
    store.schemaFiles.delete(instant)
    Markers.delete(storage, basePath, instant)
    Heartbeat.delete(storage, basePath, instant)
    Owner.delete(storage, basePath, instant)
    Owner.release(instant)
  }

  // The plan stays, to be run again: other writers lay their log files out by it.
  private def toRequested(pending: Seq[Instant], files: Seq[String]): Unit = {
    files.foreach(f => storage.delete(s"$base/$f"))
    pending.foreach(store.revertToRequested)
  }

  // A rollback that died half-way is taken up again, so that it does not stay pending for ever.
  private def begun(pending: Seq[Instant], instant: String): Option[Instant] =
    pending.find(i => i.action == Action.Rollback && store.readRollbackPlan(i).target.time == instant)

  private def recorded(pending: Seq[Instant], target: InstantName, files: Seq[String], begun: Option[Instant]): Unit = {
    val started = System.nanoTime()
    val time = begun.map(_.time).getOrElse(request(RollbackPlan(target, requests(files))))
    if (!begun.exists(_.state == State.Inflight)) store.toInflight(time, Action.Rollback)
    val done = files.groupBy(partitionOf).toSeq.map { case (partition, paths) =>
      RolledBackPartition(partition, paths.filter(p => storage.delete(s"$base/$p")))
    }
    val millis = (System.nanoTime() - started) / 1000000L
    store.completeRollback(time, RollbackMetadata(time, millis, Seq(target), done))
    pending.foreach(store.delete)
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
