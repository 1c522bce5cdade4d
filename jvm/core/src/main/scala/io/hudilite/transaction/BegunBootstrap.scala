package io.hudilite.transaction

import io.hudilite.error.UnsupportedTable
import io.hudilite.storage.Place
import io.hudilite.table.Table
import io.hudilite.timeline.{InstantTime, Timeline}

import java.util.concurrent.ConcurrentHashMap

/** Bootstraps that leave the rows of some partitions where they are and copy those of the others by a write of their own,
  * which follows (docs/format.md#bootstrapped-tables). A process that dies in between leaves a table that lacks rows.
  */
private[hudilite] object BegunBootstrap {

  /** Entry of the first commit: number of the partitions whose rows follow. */
  private val Entry = "hudilite.bootstrap.to.come"

  // Places of tables that this process is about to complete.
  private val underWay = ConcurrentHashMap.newKeySet[Place]()

  def entries(toCome: Int): Map[String, String] = if (toCome == 0) Map.empty else Map(Entry -> toCome.toString)

  /** Runs the write of the rows that follow. */
  def completing[T](table: Table)(body: => T): T = {
    underWay.add(table.place)
    try body
    finally underWay.remove(table.place)
  }

  /** Raises `UnsupportedTable` where rows of the table are to come by another process, or will not come any more.
    *
    * @param now
    *   the timeline of the table as it is
    */
  def refuse(table: Table, now: Timeline): Unit = if (!underWay.contains(table.place)) toCome(table, now).foreach(n =>
    throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
      "feature" -> "a bootstrap that has not ended",
      "reason" -> s"rows of $n partitions of its source have not been copied",
      "way" ->
        (s"Where nobody is at it any more, take it back by CALL hudilite.system.rollback_to_instant(path => '${table.basePath}', " +
          s"instant_time => '${InstantTime.OfSkeletons}') and begin it again")))

  private def toCome(table: Table, now: Timeline): Option[String] = now.writes match {
    case Seq(first) if first.time == InstantTime.OfSkeletons => table.store.readCommit(first).extra.get(Entry)
    case _ => None
  }
}
