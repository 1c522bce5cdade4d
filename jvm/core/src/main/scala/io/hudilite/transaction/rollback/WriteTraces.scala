package io.hudilite.transaction.rollback

import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{Instant, Timeline, TimelineStore, WriteFolders}

/** Whether somebody works on an instant, as far as that can be told. */
sealed trait Life

object Life {

  /** Its writer is at work, or may just have begun. */
  case object Alive extends Life

  /** @param isOwned
    *   a process of hudilite began it, so that the next write of hudilite cleans up
    */
  final case class Dead(reason: String, isOwned: Boolean) extends Life

  final case class Unknown(reason: String) extends Life
}

/** What writers leave beside data and timeline while they are at work, as one listing shows it.
  *
  * @param self
  *   the process that asks
  * @param mayWrite
  *   as of [[Liveness]]
  */
private[hudilite] final class WriteTraces(store: TimelineStore, policy: ForeignWrites.Policy, self: Owner,
    mayWrite: Boolean = true) {

  private val storage = store.storage
  private val basePath = store.basePath
  private val liveness = new Liveness(storage, basePath, self, mayWrite)
  private val foreign = new ForeignWrites(store, policy, liveness)

  private val listed: Map[String, Seq[FileInfo]] = storage.list(WriteFolders.all(basePath))

  private val owners: Map[String, FileInfo] =
    listed.getOrElse(WriteFolders.owners(basePath), Nil).map(f => f.name -> f).toMap

  /** Markers, heartbeats, owners and permits by instant. */
  val byInstant: Map[String, Seq[FileInfo]] = listed.values.flatten.toSeq.groupBy(f => instantOf(f.name)) - ""

  // The name of a permit is that of the instant with a suffix.
  private def instantOf(name: String): String = {
    val digits = name.takeWhile(Character.isDigit)
    if (digits == name || name.startsWith(s"$digits.")) digits else ""
  }

  /** Of a pending write, or a service that is under way. */
  def life(instant: Instant): Life = owners.get(instant.time) match {
    case Some(file) if Owner.read(storage, basePath, instant.time).forall(liveness.mayBeAlive(_, file)) => Life.Alive
    case Some(_) => Life.Dead("the process that began it is gone", isOwned = true)
    case None if beats(instant.time) => Life.Alive
    case None => foreign.refusal(instant).fold[Life](
        Life.Dead("its program has given no sign of life for longer than " +
            "it may, or writers are told to expect no other", isOwned = false)) { e =>
        if (store.requestedAt(instant).exists(!isOld(_))) Life.Alive
        else Life.Unknown(e.parameters.getOrElse("reason", "only Apache Hudi can take its log records back"))
      }
  }

  /** A process of hudilite began it. */
  def isOwned(instant: String): Boolean = owners.contains(instant)

  /** Somebody may be at work on an instant that the timeline does not tell, or not any more. */
  def mayBeAlive(instant: String): Boolean = owners.get(instant) match {
    case Some(file) => Owner.read(storage, basePath, instant).forall(liveness.mayBeAlive(_, file))
    case None => beats(instant)
  }

  private def beats(instant: String): Boolean = byInstant.getOrElse(instant, Nil)
    .exists(f => f.path.startsWith(WriteFolders.heartbeats(basePath)) && !isOld(f.modifiedMs))

  /** Older than a sign of life may be, by the clock of the storage. */
  def isOld(modifiedMs: Long): Boolean = liveness.isOld(modifiedMs)

  /** Traces of instants that are not pending, left by writers that are not at work. */
  def left(timeline: Timeline): Map[String, Seq[FileInfo]] = {
    val pending = timeline.pending.map(_.time).toSet
    byInstant.filter { case (instant, files) =>
      !pending(instant) && !mayBeAlive(instant) && files.forall(f => isOld(f.modifiedMs))
    }
  }

  /** Removes the traces of an instant that has ended, and the files of one that the timeline never had or has no longer.
    * Of what lies before the active timeline only traces go: its writes are taken for completed.
    */
  def remove(instant: String, timeline: Timeline): Unit =
    if (timeline.contains(instant) || timeline.beforeStart(instant)) Traces.delete(storage, basePath, instant)
    else {
      new Rollback(store).run(instant)
      ()
    }

  /** Rolls a write of another program back. */
  def rollBack(instant: Instant): Unit = foreign.rollBack(instant)
}
