package io.hudilite.service.doctor

import io.hudilite.timeline.{Action, Instant}

/** A kind of damage of a table. The names are part of the interface. */
sealed abstract class FindingKind(val name: String) extends Product with Serializable

object FindingKind {

  /** `hoodie.properties` is missing, cut short or does not fit its checksum, or an update of it died. */
  case object DamagedProperties extends FindingKind("DAMAGED_PROPERTIES")

  /** A file of the timeline is empty or cannot be read. */
  case object BrokenInstant extends FindingKind("DAMAGED_INSTANT")

  /** A write or service whose writer is gone is still pending. */
  case object DeadWriter extends FindingKind("DEAD_WRITER")

  /** A write or service is pending, and it is unknown if anybody works on it. */
  case object UnknownWriter extends FindingKind("UNKNOWN_WRITER")

  /** A cleaning, rollback, restore, savepoint or build of an index was begun and not ended. */
  case object UnfinishedAction extends FindingKind("UNFINISHED_ACTION")

  /** A clustering that a restore took back is pending again. */
  case object RestoredClustering extends FindingKind("RESTORED_CLUSTERING")

  /** Markers, a heartbeat or an owner file of a write that has ended. */
  case object LeftTraces extends FindingKind("LEFT_TRACES")

  /** A lock file of Apache Hudi. */
  case object LeftLock extends FindingKind("LEFT_LOCK")

  /** A partition with committed files has no `.hoodie_partition_metadata`, so that no reader sees it. */
  case object UnmarkedPartition extends FindingKind("UNMARKED_PARTITION")

  /** A write completed after a rollback had taken it back. */
  case object LateCommit extends FindingKind("LATE_COMMIT")

  /** Data files that the newest state needs are gone. */
  case object MissingFiles extends FindingKind("MISSING_FILES")

  /** Record keys lie in other buckets than they belong to, so that an upsert does not find them. */
  case object MisplacedKeys extends FindingKind("MISPLACED_KEYS")

  /** Data files belong to no write of the timeline, or are not named by their write. */
  case object StrayFiles extends FindingKind("STRAY_FILES")

  /** The metadata table of Apache Hudi does not say of the files what they are. */
  case object WrongMetadata extends FindingKind("WRONG_METADATA")

  /** A partition has keys with several rows. */
  case object RepeatedKeys extends FindingKind("REPEATED_KEYS")
}

/** A way to mend a finding, where that is safe. */
sealed trait Mend

object Mend {

  /** The next write mends it, since each begins with this. */
  case object Recovery extends Mend
  case object RestoreProperties extends Mend
  final case class RollBack(instant: Instant) extends Mend
  final case class EndRollback(target: String) extends Mend

  /** The cleaning of this instant is run again or, when it has no plan, completed without a result. */
  final case class EndCleaning(instant: String) extends Mend
  final case class DropFromTimeline(instant: Instant) extends Mend

  /** A write that completed after it had been taken back is removed. */
  final case class TakeBackLate(instant: Instant) extends Mend
  final case class DropClustering(instant: Instant) extends Mend

  /** Traces of an ended write are removed.
    *
    * @param withFiles
    *   true when the timeline does not have the instant, so that its files go, too
    */
  final case class DropTraces(instant: String, withFiles: Boolean) extends Mend
  final case class DeleteFiles(paths: Seq[String]) extends Mend
  final case class MarkPartition(partition: String, instant: String) extends Mend
}

/** Damage of a table.
  *
  * @param subject
  *   instant, or path below the table
  * @param what
  *   description: kind, age and harm
  * @param advice
  *   effect of mending, or the choice that the user has
  * @param mend
  *   way to mend it; `None` where the user has to decide
  * @param reason
  *   reason why it was not mended, where that was asked for
  * @param endsExamination
  *   true when nothing behind it could be looked at
  */
final case class Finding(kind: FindingKind, subject: String, what: String, advice: String, mend: Option[Mend] = None,
    isMended: Boolean = false, reason: String = "", endsExamination: Boolean = false) {

  /** True for an equal finding of another examination. */
  private[doctor] def isSame(other: Finding): Boolean = kind == other.kind && subject == other.subject
}

object Finding {

  /** A file of a cleaning in the timeline cannot be read, and the cleaning can be ended without it; or nobody can tell,
    * for other damage.
    */
  def isOfBrokenCleaning(finding: Finding): Boolean = finding.endsExamination ||
    finding.kind == FindingKind.BrokenInstant && finding.mend.exists {
      case Mend.EndCleaning(_) => true
      case Mend.DropFromTimeline(instant) => instant.action == Action.Clean
      case _ => false
    }
}
