package io.hudilite.upkeep

import io.hudilite.metadata.MetadataInstants
import io.hudilite.timeline.{Action, Instant, InstantStates, Timeline}

/** Archivings of a metadata table's timeline. The caller holds the lock of the table. */
private[upkeep] final class MetadataArchiving(home: MetadataHome) {

  import MetadataArchiving._

  /** Archives what is due, and takes up an archiving that was cut off. */
  def runIfDue(data: Timeline): Seq[String] = {
    val due = plan(home.timeline, data)
    if (due.nonEmpty) {
      val archive = home.store.archive
      val held = archive.held(due)
      val (left, fresh) = InstantStates.of(home.storage, home.store.folder, due).partition(s => held(s.instant))
      InstantStates.delete(home.storage, left)
      if (fresh.nonEmpty) archive.append(fresh)
      InstantStates.delete(home.storage, fresh)
      archive.merge(MergedFiles)
    }
    due.map(_.time)
  }
}

private[upkeep] object MetadataArchiving {

  // One more than the table keeps of its own by default.
  private val LeastWrites = 21
  private val MostWrites = 31
  private val MergedFiles = 10

  /** The instants that are due, oldest first: pure. Readers need all since the last compaction, and judge instants by those
    * of the table's timeline, of which savepointed ones stay. The initialisation stays beside writes that are older.
    */
  def plan(own: Timeline, data: Timeline): Seq[Instant] = {
    val compacted = own.writes.filter(_.action == Action.Commit).lastOption
    val first = data.instants.find(i => Action.Writes(i.comparableAction))
    val bound = (compacted ++ first ++ own.pending.headOption).map(_.time)
    if (own.writes.size <= MostWrites || compacted.isEmpty || first.isEmpty) Nil
    else {
      // One that was requested before a compaction and completed after it lies on top.
      val writes = own.writes.dropRight(LeastWrites).takeWhile(i =>
        bound.forall(made(i) < _) && compacted.exists(i.completionTime.getOrElse(i.time) < _.time))
      val until = writes.lastOption.map(_.time).getOrElse("")
      own.completed.filter(i =>
        i.time <= until && (writes.contains(i) || i.action == Action.Clean || Undoings(i.action)))
    }
  }

  // The instant of an initialisation is before all times.
  private def made(write: Instant): String =
    if (MetadataInstants.isInitial(write.time)) write.completionTime.getOrElse(write.time) else write.time

  private val Undoings = Set(Action.Rollback, Action.Restore)
}
