package io.hudilite.upkeep

import io.hudilite.error.CommitStateUnknown
import io.hudilite.metadata.{GroupRecords, MetadataAction, MetadataChanges, MetadataPartition, RecordSchema}
import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.timeline.{Action, CommitMetadata, Instant, Timeline, WriteStat}

/** Writes of the metadata table of a table (docs/format.md#metadata-table). The caller holds the lock of the table.
  *
  * A write comes before that of the table at the same instant, and counts for nobody while that is pending: readers see
  * both at once. Where that one never completes, this one is taken back first ([[OwnWrites.takeBack]]).
  */
private[hudilite] final class MetadataWriter(home: MetadataHome) {

  import MetadataWriter._

  private val files = new GroupFiles(home)

  /** Writes what the action changes, if anything, as [[commit]] does. */
  def record(action: MetadataAction, now: Timeline): Unit = {
    val changes = home.changes(action)
    if (changes.records.nonEmpty) commit(action.instant, changes, now)
  }

  /** Writes the records of the action of this instant: one log file for each file group that has any.
    *
    * Raises `CORRUPT_FILE` where the metadata table cannot be trusted, and `INSTANT_TAKEN` where another run of the action
    * has completed. Nothing that counts is left after a failure.
    *
    * @param now
    *   timeline of the table as it is
    */
  def commit(instant: String, changes: MetadataChanges, now: Timeline): Unit = {
    new OwnWrites(home).makeWay(instant)
    write(instant, changes, new MetadataTable(home.data, now), now)
  }

  /** As [[commit]], once the way is free.
    *
    * @param table
    *   the metadata table as it is
    * @param keys
    *   writes the log files of the record index
    */
  private[upkeep] def write(instant: String, changes: MetadataChanges, table: MetadataTable, now: Timeline,
      keys: => Seq[WriteStat] = Nil): Unit = {
    val some = changes.copy(records = changes.records.filter(_._2.nonEmpty))
    val slices = some.records.keys.map(partition => partition -> table.slices(partition)).toMap
    val pending = table.pending
    val dealt = some.dealt(slices(_).size)
    home.store.request(instant, Action.DeltaCommit)
    home.store.toInflight(instant, Action.DeltaCommit, CommitMetadata(Upsert, Map.empty, Map.empty))
    complete(instant, Upsert, now,
      dealt.map { group =>
        val slice = slices(group.partition)(group.number)
        files.log(group, slice, pending.get(slice.groupId), instant)
      } ++ keys)
  }

  /** Makes a partition that nobody trusts yet: all its groups, and base files of those that have records.
    *
    * @param instant
    *   that no other write of the metadata table has
    * @param now
    *   timeline of the table as it is
    */
  def begin(partition: MetadataPartition, groups: Int, changes: MetadataChanges, instant: String, now: Timeline)
      : Unit = begin(partition, (0 until groups).map(GroupRecords(partition, _, Nil).fileId), instant, now)(
    changes.dealt(_ => groups).map(files.base(_, instant)))

  /** As the other one, with groups of these ids.
    *
    * @param bases
    *   writes the base files
    */
  def begin(partition: MetadataPartition, ids: Seq[String], instant: String, now: Timeline)(
      bases: => Seq[WriteStat]): Unit = {
    home.store.request(instant, Action.DeltaCommit)
    home.store.toInflight(instant, Action.DeltaCommit)
    files.begin(partition, ids, instant)
    complete(instant, BulkInsert, now, bases)
  }

  private def complete(instant: String, operation: String, now: Timeline, stats: Seq[WriteStat]): Unit = {
    MetadataWriter.complete(home, instant, Action.DeltaCommit, operation, now, stats)
    ()
  }
}

private[upkeep] object MetadataWriter {

  private val Upsert = "UPSERT_PREPPED"
  private val BulkInsert = "BULK_INSERT"

  /** @param now
    *   timeline of the table, whose clock may run ahead
    */
  def complete(home: MetadataHome, instant: String, action: String, operation: String, now: Timeline,
      stats: Seq[WriteStat]): Instant = {
    // The completion comes after what the files were made from: readers compare the times of both timelines.
    home.store.newInstantTime(now.lastTime.getOrElse(""))
    try home.store.complete(instant, action,
        CommitMetadata(operation, stats.groupBy(_.partitionPath),
          Map(CommitMetadata.SchemaKey -> RecordSchema.ofCommits),
          compacted = action == Action.Compaction))
    // If it is there or not, it counts for nobody before the write of the table completes, of which nothing is open.
    catch { case e: CommitStateUnknown => throw Option(e.getCause).getOrElse(e) }
  }
}
