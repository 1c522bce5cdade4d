package io.hudilite.spark.write.attempt

import io.hudilite.error.CommitConflict

/** The end of an attempt of a write, as it commits. */
private[hudilite] sealed trait CommitOutcome

private[hudilite] object CommitOutcome {

  /** Readers see it. */
  case object Accepted extends CommitOutcome

  /** All of it is taken back, and the write is planned anew over the table as it is by then.
    *
    * @param because
    *   raised where that cannot be done
    */
  final case class Rebased(because: CommitConflict) extends CommitOutcome

  /** All of it is taken back, and the write fails. */
  final case class Refused(because: CommitConflict) extends CommitOutcome
}

/** Decides about an attempt that another write stands in the way of, and by its number how many there may be. */
private[hudilite] trait CommitJudge {

  /** Writes may be rebased, so that an exchange holds the rows of each of them for its next attempt. */
  def rebases: Boolean

  /** @param attempt
    *   its number, from 1
    * @param publish
    *   passes the gate and makes the write visible, or raises what stands against it
    */
  def outcome(attempt: Int, publish: () => Unit): CommitOutcome
}

private[hudilite] object CommitJudge {

  /** One attempt for each write. */
  object OfGate extends CommitJudge {
    override def rebases: Boolean = false
    override def outcome(attempt: Int, publish: () => Unit): CommitOutcome =
      try {
        publish()
        CommitOutcome.Accepted
      } catch { case conflict: CommitConflict => CommitOutcome.Refused(conflict) }
  }
}
