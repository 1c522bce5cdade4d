package io.hudilite.config.service

import io.hudilite.error.InvalidInput

/** Partitions that are dropped when nobody has written to them for long.
  *
  * @param inline
  *   true when the drop follows a write
  * @param days
  *   days from the last write of a partition to its drop; -1 keeps all
  * @param selected
  *   only partitions that may be dropped; `None` = all
  * @param most
  *   most partitions that are dropped at once
  */
final case class ExpiryConf(inline: Boolean, days: Int, selected: Option[Seq[String]], most: Int) {

  /** This, after a check. Raises `InvalidInput` unless the options give a number of days. */
  def checked: ExpiryConf =
    if (days > 0) this
    else throw InvalidInput.option(PartitionTtlOptions.DaysRetain.name, days.toString,
      "the drop of partitions needs a number of days; set it to 1 or more")
}

object ExpiryConf {

  import PartitionTtlOptions._

  private[service] def of(options: Map[String, String]): ExpiryConf =
    ExpiryConf(Inline(options), DaysRetain(options), Selected.get(options), MaxPartitions(options))
}
