package io.hudilite.config.service

import io.hudilite.error.InvalidInput

/** Which partitions go when nobody has written to them for long.
  *
  * @param inline
  *   a write is followed by it
  * @param days
  *   after its last write at which a partition goes; -1 keeps them all
  * @param selected
  *   the only ones that may go; `None` = all
  * @param most
  *   that go at once
  */
final case class ExpiryConf(inline: Boolean, days: Int, selected: Option[Seq[String]], most: Int) {

  /** This, which raises `InvalidInput` unless the options say after how many days partitions go. */
  def checked: ExpiryConf =
    if (days > 0) this
    else throw InvalidInput.option(PartitionTtlOptions.DaysRetain.name, days.toString,
      "say after how many days a partition goes")
}

object ExpiryConf {

  import PartitionTtlOptions._

  private[service] def of(options: Map[String, String]): ExpiryConf =
    ExpiryConf(Inline(options), DaysRetain(options), Selected.get(options), MaxPartitions(options))
}
