package io.hudilite.upkeep

import io.hudilite.filegroup.{FileNames, Partitions}
import io.hudilite.metadata.{KnownFile, MetadataAction, MetadataPartition}
import io.hudilite.storage.FileInfo
import io.hudilite.table.Table
import io.hudilite.timeline.{InstantTime, Timeline, TimelineStore}

import java.util.Locale

import org.slf4j.LoggerFactory

/** Makes the metadata table of a table anew, with the partition `files` (docs/format.md#metadata-table). The caller holds
  * the lock of the table.
  *
  * No reader trusts it before the properties of the table list it, which is the last step. The next initialisation deletes
  * leftovers of one that was cut off before that.
  */
private[hudilite] final class Initialisation(home: MetadataHome) {

  import Initialisation._

  /** Why it cannot be made now. Before version 8 the names of log files do not tell which write has made them. */
  def refusal(now: Timeline): Option[String] =
    if (home.version >= GroupFiles.LogsNameTheirWrite) None
    else now.pending.headOption.map(i => s"the ${i.action} ${i.time} is pending")

  /** Makes it, and has readers trust it.
    *
    * @param now
    *   timeline of the table as it is
    * @return
    *   false where an action beyond the reach of the lock has completed meanwhile, whose files may be missing: then there
    *   is no metadata table
    */
  def run(now: Timeline): Boolean = {
    val newest = now.lastCompleted.fold("")(_.time)
    val changes = home.changes(MetadataAction.Everything(newest, ListedFiles.of(home.data, now)))
    // Readers must not trust the old one while it goes.
    if (home.data.config.metadataPartitions.nonEmpty) home.list(Nil)
    home.create()
    new MetadataWriter(home).begin(MetadataPartition.Files, Groups, changes, InitialInstants.next(home, newest), now)
    val isWhole = home.data.load().completed == now.completed
    if (isWhole) home.list(Seq(MetadataPartition.Files))
    else {
      log.warn(s"The metadata table of ${home.basePath} is not made yet: the table has changed meanwhile.")
      MetadataHome.delete(home.storage, home.folder)
    }
    isWhole
  }

  /** As [[run]], and then adds these indexes.
    *
    * @param table
    *   the table as it is
    */
  def run(table: Table, indexes: IndexesToMake, jobs: KeyJobs = DriverKeyJobs): Boolean = {
    val isMade = run(table.timeline)
    if (isMade) new IndexInitialisation(home.current, jobs).run(table, indexes)
    isMade
  }
}

private object Initialisation {

  private val log = LoggerFactory.getLogger("io.hudilite.upkeep.Initialisation")

  /** File groups of the partition `files`. */
  val Groups = 1
}

/** Names of the initialisations of a metadata table. */
private[upkeep] object InitialInstants {

  private val BeforeAllTimes: String = "0" * (InstantTime.Digits - InstantTime.SuffixDigits)

  /** The first one that the metadata table has not had.
    *
    * @param newest
    *   newest completed write of the table; empty where there is none
    */
  def next(home: MetadataHome, newest: String): String = {
    val had = (home.store.archivedCompleted() ++ home.timeline.instants).map(_.time).toSet
    val names = if (home.version >= GroupFiles.LogsNameTheirWrite)
      Iterator.from(0).map(n => s"%0${InstantTime.Digits}d".formatLocal(Locale.ROOT, n))
    else Iterator.from(FirstNumber).map(n =>
      (if (newest.isEmpty) BeforeAllTimes else newest) + "%03d".formatLocal(Locale.ROOT, n))
    names.filterNot(had).next()
  }

  private val FirstNumber = 10
}

/** Files of a table as its folders list them, as far as its metadata table is to name them: those of writes that count,
  * whatever slice they belong to.
  */
private[hudilite] object ListedFiles {

  /** The files by their names, by partition. */
  def of(data: TimelineStore, now: Timeline): Map[String, Map[String, KnownFile]] =
    if (now.writes.isEmpty) Map.empty
    else Partitions.discover(data.storage, data.basePath).map { case (partition, files) =>
      // A file without content holds nothing to be read, and Hudi's merge fails on it.
      partition -> files.filter(f => !f.isDirectory && f.length > 0 && counts(f, now, data.config.version))
        .map(f => f.name -> KnownFile(f.length)).toMap
    }

  private def counts(file: FileInfo, now: Timeline, version: Int): Boolean =
    FileNames.parseBaseFile(file.name).exists(base => now.isCommitted(base.instant)) ||
      FileNames.parseLogFile(file.name).exists(log =>
        version < GroupFiles.LogsNameTheirWrite || now.isCommitted(log.time))
}
