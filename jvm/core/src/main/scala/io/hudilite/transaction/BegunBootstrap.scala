package io.hudilite.transaction

import io.hudilite.error.UnsupportedTable
import io.hudilite.storage.Place
import io.hudilite.table.Table
import io.hudilite.timeline.{Instant, InstantTime, Timeline}

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

/** Bootstraps that leave the rows of some partitions where they are and copy those of the others by a write of their own,
  * which follows (docs/format.md#bootstrapped-tables). A process that dies in between leaves a table that lacks rows.
  */
private[hudilite] object BegunBootstrap {

  /** Entry of the first commit: number of the partitions whose rows follow. */
  private val Entry = "hudilite.bootstrap.to.come"

  /** Entry of the commit that brings them, and of each later one of hudilite while the timeline has the first. */
  private val End = "hudilite.bootstrap.came"

  // Tables that this process is about to complete, by the tokens of the writes that do it.
  private val underWay = new ConcurrentHashMap[String, Place]()

  def entries(toCome: Int): Map[String, String] = if (toCome == 0) Map.empty else Map(Entry -> toCome.toString)

  /** Runs the write of the rows that follow, which is to have the token as its option. Raises as [[refuse]] where the rows
    * have not come then.
    */
  def completing[T](table: Table)(body: String => T): T = {
    val token = UUID.randomUUID().toString
    underWay.put(token, table.place)
    try {
      val done = body(token)
      refuse(table, table.store.load())
      done
    } finally underWay.remove(token)
  }

  /** Entries of the commit of the write that has this token, or none, as it completes.
    *
    * @param now
    *   the timeline before that
    */
  private[transaction] def ending(table: Table, now: Timeline, token: Option[String]): Map[String, String] =
    if (now.write(InstantTime.OfSkeletons).isDefined && (completes(table, token) || toCome(table, now).isEmpty))
      Map(End -> "true")
    else Map.empty

  /** Raises `UnsupportedTable` where rows of the table are to come by another write, or will not come any more.
    *
    * @param now
    *   the timeline of the table as it is
    * @param token
    *   that of the write, where it may be the one that brings them
    */
  def refuse(table: Table, now: Timeline, token: Option[String] = None): Unit = if (!completes(table, token))
    toCome(table, now).foreach(n =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> "a bootstrap that has not ended",
        "reason" -> s"rows of $n partitions of its source have not been copied",
        "way" ->
          (s"Where nobody is at it any more, take it back by CALL hudilite.system.rollback_to_instant(path => '${table.basePath}', " +
            s"instant_time => '${InstantTime.OfSkeletons}') and begin it again")))

  private def completes(table: Table, token: Option[String]): Boolean =
    token.exists(underWay.get(_) == table.place)

  // The first commit names all files of its source; the newest one, which says most, is read by each write.
  private def toCome(table: Table, now: Timeline): Option[String] = {
    def says(write: Instant): Boolean = table.store.readCommit(write).extra.contains(End)
    now.write(InstantTime.OfSkeletons).flatMap { first =>
      val later = now.writes.filter(_ != first).reverse
      if (later.headOption.exists(says)) None
      else table.store.readCommit(first).extra.get(Entry).filterNot(_ =>
        later.drop(1).exists(says) || isArchived(table))
    }
  }

  // Where all that say so are archived before the first, which a savepoint may keep. None of hudilite has come since.
  private def isArchived(table: Table): Boolean =
    table.store.archivedWrites().nonEmpty
}
