package io.hudilite.spark.lookup

/** Where a lookup has looked: its operator tells it, and the groups of the write that it belongs to are made of it. Lives on
  * the driver.
  */
final class LookedIn {

  private var asked: Option[Seq[String]] = None
  private var counts: Map[String, Long] = Map.empty
  private var counted: () => Map[String, Long] = () => Map.empty
  private var found: Option[Seq[String]] = None

  private[lookup] def tell(keys: ProbeKeys): Unit = synchronized {
    asked = keys.partitions
    counts = keys.counts
  }

  /** Partitions of keys that are counted by then by them, which nobody else looks at.
    *
    * @param numbers
    *   of keys by partition, none where they were not counted
    */
  private[lookup] def tellCounted(numbers: () => Map[String, Long]): Unit = synchronized {
    counted = numbers
  }

  /** A few keys were looked up by a record index.
    *
    * @param places
    *   partitions in which it has found some
    * @param numbers
    *   of keys by the partition in which they belong; `None` = not known
    * @param byPartition
    *   they were looked for there alone
    */
  private[lookup] def tellFound(places: Seq[String], numbers: Option[Map[String, Long]], byPartition: Boolean): Unit =
    synchronized {
      found = Some(places)
      asked = numbers.map(of => if (byPartition) of.keys.toList else (places ++ of.keys).distinct)
      counts = numbers.filter(_ => byPartition).getOrElse(Map.empty)
    }

  /** Partitions in which a record index has found the keys, where they were few. */
  private[lookup] def foundIn: Option[Seq[String]] = synchronized(found)

  /** The partitions of the keys; `None` where they may be in any, or where none have been looked up. */
  def partitions: Option[Seq[String]] =
    synchronized(asked.orElse(Some(counted().keys.toList).filter(_.nonEmpty)))

  /** How many keys there are of each partition. */
  def keysIn: Map[String, Long] = synchronized(if (counts.isEmpty) counted() else counts)
}
