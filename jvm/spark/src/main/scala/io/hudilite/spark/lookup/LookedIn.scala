package io.hudilite.spark.lookup

/** Where a lookup has looked: its operator tells it, and the groups of the write that it belongs to are made of it. Lives on
  * the driver.
  */
final class LookedIn {

  private var asked: Option[Seq[String]] = None
  private var counts: Map[String, Long] = Map.empty

  private[lookup] def tell(keys: ProbeKeys): Unit = synchronized {
    asked = keys.partitions
    counts = keys.counts
  }

  /** The partitions of the keys; `None` where they may be in any, or where none have been looked up. */
  def partitions: Option[Seq[String]] = synchronized(asked)

  /** How many keys there are of each partition. */
  def keysIn: Map[String, Long] = synchronized(counts)
}
