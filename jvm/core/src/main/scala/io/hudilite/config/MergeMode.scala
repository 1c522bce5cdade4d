package io.hudilite.config

/** The rule by which one of two records with equal keys survives. */
sealed abstract class MergeMode(val name: String, val payloadClass: String, val strategyId: String)
    extends Serializable

object MergeMode {

  /** The record with the larger ordering value; the later one on a tie. */
  case object EventTime
      extends MergeMode("EVENT_TIME_ORDERING", "org.apache.hudi.common.model.DefaultHoodieRecordPayload",
        "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5")

  /** The record that was written later. */
  case object CommitTime
      extends MergeMode("COMMIT_TIME_ORDERING", "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
        "ce9acb64-bde0-424c-9b91-f6ebba25356d")

  val all: Seq[MergeMode] = Seq(EventTime, CommitTime)

  def of(name: String): Option[MergeMode] = all.find(_.name.equalsIgnoreCase(name.trim))

  /** The mode of a payload class; `None` for a class with a merge rule of its own. */
  def ofPayload(className: String): Option[MergeMode] = className.trim match {
    case EventTimePayload => Some(EventTime)
    case name => all.find(_.payloadClass == name)
  }

  def ofStrategy(id: String): Option[MergeMode] = all.find(_.strategyId.equalsIgnoreCase(id.trim))

  private val EventTimePayload = "org.apache.hudi.common.model.EventTimeAvroPayload"
}
