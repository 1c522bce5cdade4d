package io.hudilite.transaction

import io.hudilite.config.TableConfig

/** Facts of a table that must not change from the plan of a write to its commit.
  *
  * Hudi 1.1 and later may upgrade a table at any write, and an upgrade moves the whole timeline.
  */
private[transaction] object TableFacts {

  /** Text that says what has changed; `None` when nothing has. */
  def changed(before: TableConfig, now: TableConfig): Option[String] =
    facts(before).zip(facts(now)).collectFirst {
      case ((name, old), (_, current)) if old != current =>
        s"$name changed from '$old' to '$current'"
    }

  private def facts(config: TableConfig): Seq[(String, String)] = Seq(
    "the table version" -> config.version.toString,
    "the timeline layout" -> config.layout.toString,
    "the timeline" -> config.timelinePath,
    "the table type" -> config.tableType.name,
    "the merge mode" -> config.mergeMode.name,
    "the mode of partial updates" -> config.partialUpdates.fold("")(_.toString),
    "the ordering fields" -> config.orderingFields.mkString(","),
    "the record key fields" -> config.recordKeyFields.mkString(","),
    "the partition fields" -> config.partitionItems.mkString(","),
    "change data capture" -> config.cdcEnabled.toString)
}
