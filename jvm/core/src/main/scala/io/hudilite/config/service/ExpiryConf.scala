package io.hudilite.config.service

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
final case class ExpiryConf(inline: Boolean, days: Int, selected: Option[Seq[String]], most: Int)

object ExpiryConf {

  import PartitionTtlOptions._

  private[service] def of(options: Map[String, String]): ExpiryConf =
    ExpiryConf(Inline(options), DaysRetain(options), Selected.get(options), MaxPartitions(options))
}
