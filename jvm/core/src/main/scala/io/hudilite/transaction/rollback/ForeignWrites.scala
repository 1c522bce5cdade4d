package io.hudilite.transaction.rollback

/** Pending writes that other programs began. */
object ForeignWrites {

  /** Which of them a writer rolls back. */
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
