package io.hudilite.spark.write.attempt

import io.hudilite.filegroup.PathSelection
import io.hudilite.index.BucketIndex
import io.hudilite.spark.write.table.{WriteOperation, WriteTarget}
import io.hudilite.timeline.Action
import io.hudilite.transaction.Assumption

/** A write as its statement asks for it: to which table, how the rows are brought, and what they replace.
  *
  * @param rebase
  *   how it is planned anew where an attempt is not accepted; `None` = it has one attempt
  * @param insertsMissing
  *   true when rows go in only whose keys the table does not have
  */
final case class WriteIntent(target: WriteTarget, operation: WriteOperation, replaces: Replaces = Replaces.Nothing,
    rebase: Option[Rebase] = None, insertsMissing: Boolean = false) {

  /** The kind of its instant. */
  def action: String =
    if (replaces != Replaces.Nothing && target.existing.isDefined) Action.ReplaceCommit
    else if (target.isMergeOnRead) Action.DeltaCommit
    else Action.Commit

  /** Its name in the commit. One that replaces rows says so, however it brings its own. */
  def recordedName: String = {
    val recorded = replaces match {
      case _ if operation == WriteOperation.DeletePartition || target.existing.isEmpty => operation
      case Replaces.Nothing => operation
      case Replaces.WholeTable => WriteOperation.InsertOverwriteTable
      case _ => WriteOperation.InsertOverwrite
    }
    recorded.metadataName
  }

  /** The assumption that it rests on. Rows of buckets are kept apart by the ids of their file groups.
    *
    * @param named
    *   partitions that its rows name
    */
  def assumption(named: Set[String]): Assumption = replaces match {
    case Replaces.WholeTable => Assumption.Replaces(_ => true)
    case Replaces.WrittenPartitions => Assumption.Replaces(named)
    case m: Replaces.Matching => Assumption.Replaces(m.selection.wants)
    case Replaces.Partitions(paths) => Assumption.Replaces(paths ++ named)
    case Replaces.Nothing if target.buckets.isDefined => Assumption.Nothing
    // An upsert that makes its table looks nothing up, but takes it that there is nothing.
    case Replaces.Nothing if operation.looksUp || insertsMissing =>
      Assumption.KeysAbsent(anywhere = target.index.isGlobal)
    case Replaces.Nothing => Assumption.Nothing
  }

  /** The buckets that its rows are dealt to. Where nothing is written the table keeps those that it has. */
  def buckets: Option[BucketIndex] = target.buckets.filter(_ => operation != WriteOperation.DeletePartition)
}

/** Which file groups a write takes out of the table as it completes. */
sealed trait Replaces extends Serializable

object Replaces {
  case object Nothing extends Replaces

  /** Every group of the partitions that rows were written to, or that the rows name. */
  case object WrittenPartitions extends Replaces
  case object WholeTable extends Replaces

  /** Every group of these partitions, and of those that rows were written to. */
  final case class Partitions(paths: Set[String]) extends Replaces

  /** Every group of the partitions that match: a path, or the beginning of one followed by `*`. */
  final case class Matching(patterns: Seq[String]) extends Replaces {
    def selection: PathSelection = new PathSelection {
      override def wants(partition: String): Boolean = patterns.exists(p => matches(partition, p))
      override def mayLead(folder: String): Boolean =
        patterns.exists(p => matches(folder, p) || p.stripSuffix("*").startsWith(s"$folder/"))
      override def only: Option[Seq[String]] = if (patterns.exists(_.endsWith("*"))) None else Some(patterns)
    }

    private def matches(path: String, pattern: String): Boolean =
      if (pattern.endsWith("*")) path.startsWith(pattern.dropRight(1)) else path == pattern
  }
}
