package io.hudilite.transaction.rollback

/** Pending writes that other programs began. */
object ForeignWrites {

  /** Pending writes of other programs that a writer rolls back. */
  sealed trait Policy extends Serializable

  /** None. */
  case object Keep extends Policy

  /** Those whose heartbeat has expired, and those that never began. Any other refuses the writer. */
  case object Expired extends Policy

  /** Those whose heartbeat has expired. One that is alive goes on beside the writer, under the lock that both take. */
  case object Beside extends Policy

  /** All. Hudi's writers do so when they expect to be alone. */
  case object All extends Policy

  /** The policy of Hudi's name for it: `EAGER`, `LAZY` or `NEVER`.
    *
    * @param sharesLock
    *   true when the writers of other programs take the same lock
    */
  def policy(name: String, sharesLock: Boolean = false): Policy = name match {
    case "EAGER" => All
    case "NEVER" => Keep
    case _ => if (sharesLock) Beside else Expired
  }
}
