package io.hudilite.service.compact

import io.hudilite.timeline.{Action, CommitMetadata}

/** What a compaction makes of the log files of a slice.
  *
  * @param name
  *   as users say it
  * @param action
  *   of its instants while they are pending
  * @param operation
  *   of the commits that complete them
  */
sealed abstract class CompactionKind(val name: String, val action: String, val operation: String)
    extends Product with Serializable

object CompactionKind {

  /** The next base file of the slice, which begins a new slice. */
  case object Base extends CompactionKind("base", Action.Compaction, CommitMetadata.Compact)

  /** Few log blocks in the place of many, in the same slice: Hudi's log compaction. */
  case object Log extends CompactionKind("log", Action.LogCompaction, CommitMetadata.LogCompact)

  val All: Seq[CompactionKind] = Seq(Base, Log)

  /** The kind of a planned compaction. */
  def of(action: String): CompactionKind = All.find(_.action == action)
    .getOrElse(throw new IllegalArgumentException(s"a $action is no compaction"))
}
