package io.hudilite.service.doctor

import io.hudilite.timeline.Instant

/** What may be wrong with a table; the names are part of the interface. */
sealed abstract class FindingKind(val name: String) extends Product with Serializable

object FindingKind {

  /** `hoodie.properties` is missing, cut short or does not fit its checksum, or an update of it died. */
  case object DamagedProperties extends FindingKind("DAMAGED_PROPERTIES")

  /** A file of the timeline is empty or cannot be read. */
  case object BrokenInstant extends FindingKind("DAMAGED_INSTANT")

  /** A write or service whose writer is gone is still pending. */
  case object DeadWriter extends FindingKind("DEAD_WRITER")

  /** A write or service is pending, and it cannot be told whether anybody works on it. */
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

  /** Data files that the newest state needs and that are gone. */
  case object MissingFiles extends FindingKind("MISSING_FILES")

  /** Record keys lie in other buckets than they belong to, so that an upsert does not find them. */
  case object MisplacedKeys extends FindingKind("MISPLACED_KEYS")

  /** Data files of no write that the timeline knows, or that their write does not know. */
  case object StrayFiles extends FindingKind("STRAY_FILES")

  /** The metadata table of Apache Hudi does not say of the files what they are. */
  case object WrongMetadata extends FindingKind("WRONG_METADATA")

  /** A partition has keys with several rows. */
  case object RepeatedKeys extends FindingKind("REPEATED_KEYS")
}

/** How something that is wrong is mended, where that is safe. */
sealed trait Mend

object Mend {

  /** Whoever opens a write does it. */
  case object Recovery extends Mend
  case object RestoreProperties extends Mend
  final case class RollBack(instant: Instant) extends Mend
  final case class EndRollback(target: String) extends Mend

  /** The cleaning of this instant is run again or, when it has no plan, completed as one of which nothing is known. */
  final case class EndCleaning(instant: String) extends Mend
  final case class DropFromTimeline(instant: Instant) extends Mend

  /** Nothing is left of a write that completed after it had been taken back. */
  final case class TakeBackLate(instant: Instant) extends Mend
  final case class DropClustering(instant: Instant) extends Mend

  /** @param withFiles
    *   the timeline does not know the instant, so that files go, too
    */
  final case class DropTraces(instant: String, withFiles: Boolean) extends Mend
  final case class DeleteFiles(paths: Seq[String]) extends Mend
  final case class MarkPartition(partition: String, instant: String) extends Mend
}

/** Something that is wrong with a table.
  *
  * @param subject
  *   the instant, or the path below the table
  * @param what
  *   what it is, since when, and what harm it does
  * @param advice
  *   what mending does, or what the user is to decide and how
  * @param mend
  *   `None` where it is the user's to decide
  * @param reason
  *   why it was not mended, where that was asked for
  */
final case class Finding(kind: FindingKind, subject: String, what: String, advice: String, mend: Option[Mend] = None,
    isMended: Boolean = false, reason: String = "") {

  /** The same thing, told at another time. */
  private[doctor] def isSame(other: Finding): Boolean = kind == other.kind && subject == other.subject
}
