package io.hudilite.timeline

/** Progress of an action. */
sealed abstract class State(val rank: Int, val name: String) extends Serializable {
  override def toString: String = name
}

object State {
  case object Requested extends State(0, "REQUESTED")
  case object Inflight extends State(1, "INFLIGHT")
  case object Completed extends State(2, "COMPLETED")

  val all: Seq[State] = Seq(Requested, Inflight, Completed)
}

/** Names of actions in file names. */
object Action {
  val Commit = "commit"
  val DeltaCommit = "deltacommit"
  val ReplaceCommit = "replacecommit"
  val Compaction = "compaction"
  val LogCompaction = "logcompaction"
  val Clustering = "clustering"
  val Clean = "clean"
  val Rollback = "rollback"
  val Restore = "restore"
  val Savepoint = "savepoint"
  val Indexing = "indexing"
  val SchemaCommit = "schemacommit"

  /** Actions whose completion publishes data files. */
  val Writes: Set[String] = Set(Commit, DeltaCommit, ReplaceCommit)

  /** Every action that a file name may carry. */
  val all: Set[String] = Writes ++ Set(Compaction, LogCompaction, Clustering, Clean, Rollback, Restore, Savepoint,
    Indexing, SchemaCommit)

  /** The name under which an action completes; files of one instant are grouped by it. */
  def completed(action: String): String = action match {
    case Compaction => Commit
    case LogCompaction => DeltaCommit
    case Clustering => ReplaceCommit
    case other => other
  }
}

/** One action on the table: the highest state that the timeline shows of it.
  *
  * @param time
  *   the instant, i.e. the time at which the action was requested
  * @param action
  *   the action of the state: a pending compaction is a `compaction`, a completed one is a `commit`
  * @param completionTime
  *   of a completed instant in timeline layout 2; layout 1 does not record it
  * @param fileName
  *   name of the state's file inside the timeline folder
  * @param fileBytes
  *   its size as listed, [[Instant.UnknownBytes]] for an instant that was not listed
  */
final case class Instant(
    time: String,
    action: String,
    state: State,
    completionTime: Option[String],
    fileName: String,
    fileBytes: Long = Instant.UnknownBytes) {

  def isCompleted: Boolean = state == State.Completed

  def isPending: Boolean = !isCompleted

  /** True when the file of its state is empty. A completed action like that does not say what it did; crashes of stores
    * and some versions of Hudi leave such files.
    */
  def isBlank: Boolean = fileBytes == 0L

  /** The action under which this instant completes. */
  def comparableAction: String = Action.completed(action)

  override def toString: String = s"$time.$action[$state]"
}

object Instant {
  val UnknownBytes: Long = -1L
}
