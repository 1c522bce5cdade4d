package io.hudilite.service.compact

import io.hudilite.timeline.{Action, CommitMetadata}

/** A kind of compaction, by the result that it makes of a slice's log files.
  *
  * @param name
  *   name for users
  * @param action
  *   action of its pending instants
  * @param operation
  *   operation of the commits that complete them
  */
sealed abstract class CompactionKind(val name: String, val action: String, val operation: String)
    extends Product with Serializable

object CompactionKind {

  /** The next base file of the slice, which begins a new slice. */
  case object Base extends CompactionKind("base", Action.Compaction, CommitMetadata.Compact)

  /** Hudi's log compaction: few log blocks in place of many, in one slice. */
  case object Log extends CompactionKind("log", Action.LogCompaction, CommitMetadata.LogCompact)

  val All: Seq[CompactionKind] = Seq(Base, Log)

  /** The kind of a planned compaction. */
  def of(action: String): CompactionKind = All.find(_.action == action)
    .getOrElse(throw new IllegalArgumentException(s"a $action is no compaction"))
}
