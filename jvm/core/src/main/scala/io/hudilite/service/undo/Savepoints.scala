package io.hudilite.service.undo

import io.hudilite.error.{CorruptTable, InvalidInput, Listed}
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, Instant}
import io.hudilite.timeline.plan.SavepointMetadata
import io.hudilite.transaction.{Transaction, TransactionOptions}

/** A savepoint of a table.
  *
  * @param instant
  *   write whose state it keeps
  * @param files
  *   number of files that it protects
  * @param damage
  *   reason why its file cannot be read, so that only its instant is known
  */
final case class SavedState(instant: String, by: String, atEpochMs: Long, comment: String, files: Int,
    damage: Option[String] = None)

/** States of a table that cleaning and archiving leave alone (docs/format.md#savepoints). */
object Savepoints {

  /** Saves the state as of a completed write.
    *
    * Raises `SAVEPOINT_NOT_POSSIBLE` when there is no such write, it is saved already, or some of its files are gone or
    * about to go.
    *
    * @param instant
    *   instant of the write; `None` for the newest
    */
  def create(table: Table, instant: Option[String], by: String, comment: String,
      options: TransactionOptions = TransactionOptions()): SavedState = Transaction.preparedNow(table, options) { now =>
    val (time, metadata) = planned(now, instant, by, comment)
    now.store.savepoint(time, metadata)
    state(time, metadata)
  }

  /** The state that [[create]] would save. Raises the errors of that. */
  def preview(table: Table, instant: Option[String], by: String, comment: String): SavedState = {
    val (time, metadata) = planned(table, instant, by, comment)
    state(time, metadata)
  }

  private def planned(now: Table, instant: Option[String], by: String, comment: String)
      : (String, SavepointMetadata) = {
    val time = instant.orElse(now.timeline.lastCompleted.map(_.time))
      .getOrElse(throw impossible(now, "", "the table has no completed write"))
    check(now, time)
    val slices = StateFiles.of(now, time)
    StateFiles.cleaned(now, slices).foreach(clean =>
      throw impossible(now, time, s"the cleaning ${clean.time} has begun to delete files of this state"))
    time -> SavepointMetadata(by, now.storage.clock.millis(), comment,
      slices.map { case (partition, found) => partition -> found.flatMap(_.names) })
  }

  /** All savepoints, oldest first, also those with damaged files. */
  def list(table: Table): Seq[SavedState] = saved(table).map(state(table, _))

  /** Deletes a savepoint, whose file may be damaged, and returns it. Raises `SAVEPOINT_NOT_FOUND`. */
  def delete(table: Table, instant: String, options: TransactionOptions = TransactionOptions()): SavedState =
    Transaction.preparedNow(table, options) { now =>
      val found = named(now, instant)
      val freed = state(now, found)
      now.store.delete(found)
      freed
    }

  /** The savepoint that [[delete]] would delete. Raises `SAVEPOINT_NOT_FOUND`. */
  def find(table: Table, instant: String): SavedState = state(table, named(table, instant))

  private def named(table: Table, instant: String): Instant = {
    val found = table.timeline.instants.filter(_.action == Action.Savepoint)
    found.find(_.time == instant).getOrElse(throw InvalidInput("SAVEPOINT_NOT_FOUND",
        "path" -> table.basePath, "instant" -> instant, "savepoints" -> Listed.of(found.map(_.time))))
  }

  // A savepoint that was begun and not ended has saved nothing.
  private def state(table: Table, savepoint: Instant): SavedState =
    if (!savepoint.isCompleted) SavedState(savepoint.time, "", 0L, "", files = 0)
    else
      try state(savepoint.time, table.store.readSavepoint(savepoint))
      catch {
        case e: CorruptTable => SavedState(savepoint.time, "", 0L, "", files = 0,
            damage = Some(e.parameters.getOrElse("reason", e.getMessage)))
      }

  private def state(time: String, saved: SavepointMetadata): SavedState =
    SavedState(time, saved.by, saved.atEpochMs, saved.comments, saved.files.values.map(_.size).sum)

  private def saved(table: Table): Seq[Instant] = table.timeline.completed.filter(_.action == Action.Savepoint)

  private def check(now: Table, time: String): Unit = {
    if (!now.timeline.isCompleted(time)) throw impossible(now, time, "no completed write has this instant")
    if (saved(now).exists(_.time == time)) throw impossible(now, time, "this instant has a savepoint already")
    try now.checkRetained(time)
    catch { case e: InvalidInput => throw impossible(now, time, e.getMessage) }
  }

  private def impossible(now: Table, time: String, reason: String): InvalidInput = InvalidInput(
    "SAVEPOINT_NOT_POSSIBLE", "path" -> now.basePath, "instant" -> time, "reason" -> reason)
}
