package io.hudilite.upkeep

import io.hudilite.metadata.stored.MetadataTable
import io.hudilite.timeline.Timeline

/** Instants of services of a metadata table that have run. */
private[hudilite] final case class MetadataServed(compactions: Seq[String], cleanings: Seq[String],
    archived: Seq[String])

/** Services of a metadata table, before a write of its table (docs/format.md#metadata-table). The caller holds the lock of
  * the table.
  */
private[hudilite] object MetadataServices {

  /** Runs what is due.
    *
    * @param data
    *   timeline of the table
    * @param deltas
    *   number of delta commits after which a compaction is due
    * @param jobs
    *   makes its base files
    */
  def run(home: MetadataHome, data: Timeline, deltas: Int, jobs: KeyJobs = DriverKeyJobs): MetadataServed = {
    val compactions = new MetadataCompaction(home, jobs).runIfDue(data, deltas)
    def view = new MetadataTable(home.data, data).view
    val cleanings = new MetadataCleaning(home).runIfDue(view, home.data.config.metadataPartitions)
    MetadataServed(compactions, cleanings, new MetadataArchiving(home).runIfDue(data))
  }

  /** Instant of the last compaction, up to which readers need nothing of the table's timeline. */
  def lastCompaction(home: MetadataHome): Option[String] =
    if (home.isThere) OwnTimeline.of(home).compacted.map(_.time) else None
}
