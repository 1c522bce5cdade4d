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

  /** The mode of a payload class that has no merge rule of its own. */
  def ofPayload(className: String): Option[MergeMode] = className.trim match {
    case EventTimePayload => Some(EventTime)
    case name => all.find(_.payloadClass == name)
  }

  def ofStrategy(id: String): Option[MergeMode] = all.find(_.strategyId.equalsIgnoreCase(id.trim))

  private val EventTimePayload = "org.apache.hudi.common.model.EventTimeAvroPayload"
}

/** Columns of the record that survives which say nothing, and for which those of the other record count (docs/format.md,
  * merging).
  */
sealed abstract class PartialUpdates(val name: String) extends Serializable

object PartialUpdates {

  /** Those with their default value, which is null. */
  case object IgnoreDefaults extends PartialUpdates("IGNORE_DEFAULTS")

  /** Texts and bytes with a value that stands for one that was not sent. */
  final case class FillUnavailable(marker: String) extends PartialUpdates(FillUnavailable.Name)

  object FillUnavailable { val Name = "FILL_UNAVAILABLE" }
}

/** A payload class of Hudi's with a merge rule of its own. From table version 9 on the table has the rule in its
  * properties, and the name only as a note; before, the name is all that it has.
  *
  * @param ordering
  *   the ordering fields that it always goes by, any where there are none
  * @param isNew
  *   known for tables from version 9 on only: before, Hudi weighs late deletes by another rule, or fails
  */
final case class Payload(
    className: String,
    mode: MergeMode,
    partial: Option[PartialUpdates] = None,
    deletes: Option[DeleteMarker] = None,
    ordering: Seq[String] = Nil,
    isNew: Boolean = false)

object Payload {

  private val Package = "org.apache.hudi.common.model."

  /** The later record, but for the columns in which it has nothing. */
  val OverwriteNonDefaults: Payload = Payload(Package + "OverwriteNonDefaultsWithLatestAvroPayload",
    MergeMode.CommitTime, partial = Some(PartialUpdates.IgnoreDefaults))

  /** The record with the larger ordering value, and in columns in which it has nothing the other one. */
  val PartialUpdate: Payload = Payload(Package + "PartialUpdateAvroPayload", MergeMode.EventTime,
    partial = Some(PartialUpdates.IgnoreDefaults), isNew = true)

  /** The later record; changes by AWS' Database Migration Service. */
  val AwsDms: Payload =
    Payload(Package + "AWSDmsAvroPayload", MergeMode.CommitTime, deletes = Some(DeleteMarker("Op", "D")))

  private val debeziumDeletes = Some(DeleteMarker("_change_operation_type", "d"))

  /** Debezium's changes of a Postgres table, which leave out large values that did not change. */
  val PostgresDebezium: Payload = Payload(Package + "debezium.PostgresDebeziumAvroPayload", MergeMode.EventTime,
    Some(PartialUpdates.FillUnavailable("__debezium_unavailable_value")), debeziumDeletes, Seq("_event_lsn"),
    isNew = true)

  /** Debezium's changes of a MySQL table. */
  val MySqlDebezium: Payload = Payload(Package + "debezium.MySqlDebeziumAvroPayload", MergeMode.EventTime,
    deletes = debeziumDeletes, ordering = Seq("_event_bin_file", "_event_pos"), isNew = true)

  val all: Seq[Payload] = Seq(OverwriteNonDefaults, PartialUpdate, AwsDms, PostgresDebezium, MySqlDebezium)

  def of(className: String): Option[Payload] = all.find(_.className == className.trim)

  /** The strategy of tables that have only the name of their payload class. */
  val StrategyId = "00000000-0000-0000-0000-000000000000"

  /** First table version that has the rule in its properties. */
  val FirstVersionByProperties = 9
}
