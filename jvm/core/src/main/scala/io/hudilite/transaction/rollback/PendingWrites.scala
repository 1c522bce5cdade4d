package io.hudilite.transaction.rollback

import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{Action, Instant, State, Timeline, TimelineStore, WriteFolders}
import io.hudilite.transaction.lock.Process

/** Pending writes of a table and their writers, judged by the files that writers keep beside data and timeline while
  * they are at work. Each folder of these is listed once, when it is first asked for. Nothing is changed.
  *
  * @param self
  *   process that asks
  * @param mayWrite
  *   as of [[Liveness]]
  */
private[hudilite] final class PendingWrites(store: TimelineStore, policy: ForeignWrites.Policy, self: Process,
    mayWrite: Boolean = true) {

  import PendingWrites._

  private val storage = store.storage
  private val basePath = store.basePath
  private val liveness = new Liveness(storage, basePath, self, mayWrite)

  private lazy val owners: Map[String, FileInfo] = byName(WriteFolders.owners(basePath))
  private lazy val beats: Map[String, FileInfo] = byName(WriteFolders.heartbeats(basePath))

  private def byName(folder: String): Map[String, FileInfo] = storage.list(folder).map(f => f.name -> f).toMap

  /** Judgement on the writer of a pending write, or of a service that is under way. */
  def judge(instant: Instant): Judgement = owners.get(instant.time) match {
    case Some(owner) if isAtWork(owner) => Alive("the process that began it is at work")
    case Some(_) => Dead("the process that began it is gone", isOwned = true)
    case None => beats.get(instant.time).map(f => liveness.since(f.modifiedMs)) match {
        case Some(age) if age <= Heartbeat.ExpiryMs => Alive(s"its heartbeat is ${age / 1000} s old")
        case _ if isOnlyHudis(instant) => unlessNew(instant, "only Apache Hudi can take its log records back")
        case None if policy != ForeignWrites.All => withoutBeat(instant)
        case _ => Silent
      }
  }

  /** Judgement where there is no heartbeat. Single writers of Hudi have none, so the age of the announcement stands in
    * for it. Once a write has begun, that age tells nothing.
    */
  private def withoutBeat(instant: Instant): Judgement =
    if (!isUnbegun(instant)) unlessNew(instant, "it has no heartbeat that would tell whether it is alive")
    else store.requestedAt(instant).map(liveness.since).fold[Judgement](
      Unknown("it cannot be told when it was announced"))(age =>
      if (age > Heartbeat.ExpiryMs) Silent
      else Alive(s"it was announced ${age / 1000} s ago and may be about to begin"))

  private def unlessNew(instant: Instant, reason: String): Judgement =
    if (store.requestedAt(instant).exists(!isOld(_))) Alive(reason) else Unknown(reason)

  /** True when the write was announced and no more. Its writer records the inflight state before the first file, and
    * fails there when the announcement is gone. So a rollback that comes too early loses no rows.
    */
  private def isUnbegun(instant: Instant): Boolean =
    instant.state == State.Requested && storage.list(Markers.folder(basePath, instant.time)).isEmpty

  /** True when a write of another program has begun to append to logs whose names do not tell their writes. */
  private[rollback] def isOnlyHudis(instant: Instant): Boolean =
    store.config.layout == 1 && instant.comparableAction == Action.DeltaCommit && !isUnbegun(instant)

  /** A write or service of another program that is under way, and may still complete. */
  def foreign(timeline: Timeline): Option[(Instant, Judgement)] =
    underWay(store, timeline).filterNot(i => isOwned(i.time)).map(i => i -> judge(i)).collectFirst {
      case found @ (_, Alive(_) | Unknown(_)) => found
    }

  /** True when a process of hudilite began the instant. */
  def isOwned(instant: String): Boolean = owners.contains(instant)

  /** True when a process may be at work on an instant that the timeline does not have, or has no more. */
  def mayBeAlive(instant: String): Boolean =
    owners.get(instant).fold(beats.get(instant).exists(f => !isOld(f.modifiedMs)))(isAtWork)

  /** True when an owner may be at work. Its file may be gone meanwhile, removed by its owner; the answer is true then,
    * too, since nothing is left to clean up.
    */
  private[rollback] def isAtWork(owner: FileInfo): Boolean =
    OwnerFile.read(storage, basePath, owner.name).forall(liveness.mayBeAlive(_, owner))

  /** True when a time is older than a sign of life may be, by the clock of the storage. */
  def isOld(modifiedMs: Long): Boolean = liveness.isOld(modifiedMs)

  /** Markers, heartbeats, owner files and permits of instants that are not pending, left by writers that are not at
    * work.
    */
  def left(timeline: Timeline): Map[String, Seq[FileInfo]] = {
    val pending = timeline.pending.map(_.time).toSet
    val files = storage.list(WriteFolders.markers(basePath)) ++ beats.values ++ owners.values
    (files.groupBy(f => instantOf(f.name)) - "").filter { case (instant, found) =>
      !pending(instant) && !mayBeAlive(instant) && found.forall(f => isOld(f.modifiedMs))
    }
  }

  // Names of permits are those of instants with a suffix.
  private def instantOf(name: String): String = {
    val digits = name.takeWhile(Character.isDigit)
    if (digits == name || name.startsWith(s"$digits.")) digits else ""
  }

  /** Instants that the next writer would take back before anything else, the newest first, and the timeline after that.
    * Their writers are dead, or somebody has begun to take them back. A compaction or clustering keeps its plan.
    */
  def takenBack(timeline: Timeline): (Seq[Instant], Timeline) = if (timeline.pendingWrites.isEmpty) (Nil, timeline)
  else {
    val clusterings = times(store.pendingClusterings(timeline))
    lazy val condemned = Rollback.condemned(store, timeline)
    val taken = underWay(timeline, clusterings).reverse.filter(i => condemned(i.time) || isTaken(i))
    def planned(i: Instant) = i.action == Action.Compaction || clusterings(i.time) && !condemned(i.time)
    taken -> timeline.copy(instants = timeline.instants.filterNot(i => taken.contains(i) && !planned(i)).map(i =>
      if (taken.contains(i)) i.copy(state = State.Requested) else i))
  }

  private def isTaken(instant: Instant): Boolean = judge(instant) match {
    case Dead(_, isOwned) => isOwned || policy != ForeignWrites.Keep
    case _ => false
  }
}

private[hudilite] object PendingWrites {

  /** Judgement on the writer of an instant. */
  sealed trait Judgement {
    def reason: String
  }

  /** The writer is at work, or may just have begun. */
  final case class Alive(reason: String) extends Judgement

  /** The writer is dead.
    *
    * @param isOwned
    *   true when it was a process of hudilite, so that the next write of hudilite cleans up
    */
  final case class Dead(reason: String, isOwned: Boolean) extends Judgement

  final case class Unknown(reason: String) extends Judgement

  private val Silent = Dead(
    "its program has given no sign of life for longer than it may, or writers are told to expect no other",
    isOwned = false)

  /** Writes and services that have begun, so that they may have files. A plan alone has no writer. */
  def underWay(store: TimelineStore, timeline: Timeline): Seq[Instant] =
    underWay(timeline, times(store.pendingClusterings(timeline)))

  // In layout 1 a clustering looks like a write.
  private def underWay(timeline: Timeline, clusterings: Set[String]): Seq[Instant] =
    timeline.pendingWrites.filter(i => i.state == State.Inflight || Action.Writes(i.action) && !clusterings(i.time))

  private def times(plans: Seq[(Instant, _)]): Set[String] = plans.map(_._1.time).toSet
}
