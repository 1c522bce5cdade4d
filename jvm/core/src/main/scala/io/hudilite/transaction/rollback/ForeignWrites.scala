package io.hudilite.transaction.rollback

import io.hudilite.error.CommitConflict
import io.hudilite.filegroup.{FileNames, FileSystemView, Partitions}
import io.hudilite.timeline.{Action, Instant, State, Timeline, TimelineStore}

import org.slf4j.LoggerFactory

/** Pending writes that other programs began; the caller holds the table lock.
  *
  * They cannot be left pending without harm: Apache Hudi refuses to roll a write back once later ones have completed.
  */
private[hudilite] final class ForeignWrites private[rollback] (store: TimelineStore, policy: ForeignWrites.Policy,
    liveness: Liveness) {

  import ForeignWrites._

  /** @param self
    *   the process that asks
    */
  def this(store: TimelineStore, policy: ForeignWrites.Policy, self: Owner) =
    this(store, policy, new Liveness(store.storage, store.basePath, self))

  private val storage = store.storage
  private val basePath = store.basePath

  /** Rolls back what the policy says is dead; raises `WRITE_PENDING` for what may be alive. The timeline as it is then. */
  def settle(): Timeline = {
    val timeline = LateCommits.removed(store, store.load())
    val pendingWrites = timeline.pending.filter(i => Action.Writes(i.action))
    if (policy == Keep || pendingWrites.isEmpty) timeline
    else if (rollBackAll(timeline, pendingWrites)) store.load()
    else timeline
  }

  /** Whether there was anything to roll back. */
  private def rollBackAll(timeline: Timeline, pendingWrites: Seq[Instant]): Boolean = {
    val owned = Owner.files(storage, basePath).map(_.name).toSet
    val clusterings = store.pendingClusterings(timeline).map(_._1.time).toSet
    val foreign = pendingWrites.filterNot(i => owned(i.time) || clusterings(i.time))
    lazy val condemned = Rollback.condemned(store, timeline)
    foreign.filterNot(i => condemned(i.time)).foreach(refusal(_).foreach(throw _))
    foreign.sortBy(_.time).reverse.foreach(rollBack)
    foreign.nonEmpty
  }

  /** Why a pending write of another program is not rolled back; `None` when it may be. */
  private[rollback] def refusal(instant: Instant): Option[CommitConflict] =
    if (isUnbegun(instant)) {
      if (policy == All) None else sinceRequest(instant).map(pending(instant, _))
    } else if (store.config.layout == 1 && instant.comparableAction == Action.DeltaCommit)
      Some(CommitConflict("DELTA_COMMIT_PENDING", "instant" -> instant.time, "path" -> basePath))
    else if (policy == All) None
    else sinceBeat(instant).map(pending(instant, _))

  /** The write was announced and no more. Its writer would record the inflight state before the first file, and fails
    * there when the announcement is gone: so it loses nothing that is rolled back too early.
    */
  private def isUnbegun(instant: Instant): Boolean =
    instant.state == State.Requested && storage.list(Markers.folder(basePath, instant.time)).isEmpty

  /** Why an announced write may be alive. Single writers of Hudi have no heartbeat, so the age of the announcement stands
    * in for it.
    */
  private def sinceRequest(instant: Instant): Option[String] =
    liveness.sinceBeat(instant.time).orElse(store.requestedAt(instant).map(liveness.since)) match {
      case Some(age) if age > Heartbeat.ExpiryMs => None
      case Some(age) => Some(s"it was announced ${age / 1000} s ago and may be about to begin")
      case None => Some("it cannot be told when it was announced")
    }

  private def sinceBeat(instant: Instant): Option[String] = liveness.sinceBeat(instant.time) match {
    case Some(age) if age > Heartbeat.ExpiryMs => None
    case Some(age) => Some(s"its heartbeat is ${age / 1000} s old")
    case None => Some("it has no heartbeat that would tell whether it is alive")
  }

  /** Rolls one back, or leaves nothing but the plan of a service, whatever the policy says of it. */
  private[hudilite] def rollBack(instant: Instant): Unit = {
    log.warn(s"Rolling back $instant on $basePath, the pending write of another program.")
    new Rollback(store).run(instant.time, filesOf(instant.time))
    ()
  }

  /** Relative paths of the data files that carry the instant in their names; its markers may be of a kind unknown here. */
  private def filesOf(time: String): Seq[String] =
    Partitions.discover(storage, basePath).toSeq.flatMap { case (partition, files) =>
      val bases = FileSystemView.baseFiles(partition, files).filter(_.instant == time).map(_.relativePath)
      val prefix = if (partition.isEmpty) "" else s"$partition/"
      bases ++ files.filter(f => FileNames.parseLogFile(f.name).exists(_.time == time)).map(f => prefix + f.name)
    }

  private def pending(instant: Instant, reason: String): CommitConflict =
    CommitConflict("WRITE_PENDING", "instant" -> instant.time, "path" -> basePath, "reason" -> reason)
}

object ForeignWrites {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.ForeignWrites")

  /** Which pending writes of other programs a writer rolls back. */
  sealed trait Policy extends Serializable

  /** None. */
  case object Keep extends Policy

  /** Those whose heartbeat has expired, and those that never began; any other refuses the writer. */
  case object Expired extends Policy

  /** All, as Hudi's writers do that expect to be alone. */
  case object All extends Policy

  /** The policy that Hudi's name stands for: `EAGER`, `LAZY` or `NEVER`. */
  def policy(name: String): Policy = name match {
    case "EAGER" => All
    case "NEVER" => Keep
    case _ => Expired
  }
}
