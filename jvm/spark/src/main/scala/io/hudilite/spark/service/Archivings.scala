package io.hudilite.spark.service

import io.hudilite.config.TableType
import io.hudilite.config.key.Setting
import io.hudilite.config.service.{ArchiveConf, ServiceConf}
import io.hudilite.service.archive.{ArchiveFacts, ArchiveSettings, Archived, Archiver}
import io.hudilite.service.clean.{CleanScheduler, CleaningPolicy}
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions

/** Archiving by the options of writes, which follow those of cleaning. */
object Archivings {

  /** What stays beyond the commits that cleaning retains, where options leave it open; Hudi's defaults are that far apart. */
  private val Distance = 10

  /** Raises `InvalidInput` when options contradict each other. */
  private[service] def settings(conf: ServiceConf): ArchiveSettings = CleaningPolicy.of(conf.cleaning) match {
    case CleaningPolicy.LatestCommits(n) =>
      ArchiveSettings.of(adjusted(conf.archiving, n), conf.compaction.trigger, Some(n))
    case _ => ArchiveSettings.of(conf.archiving, conf.compaction.trigger)
  }

  // Who retains more commits and says nothing of the archive wants them to stay.
  private def adjusted(conf: ArchiveConf, retained: Int): ArchiveConf = {
    def raised(commits: Setting[Int], least: Int): Setting[Int] =
      commits.copy(value = commits.orElse(commits.value.max(least)))
    val min = raised(conf.minCommits, retained + Distance)
    conf.copy(minCommits = min, maxCommits = raised(conf.maxCommits, min.value + Distance))
  }

  /** By the timeline as it was before a write: there were as many commits as may stay. */
  private[service] def mayBeDue(before: Table, conf: ServiceConf): Boolean = {
    val facts = ArchiveFacts(before.config.layout, before.config.tableType == TableType.MergeOnRead, None)
    before.timeline.writes.size >= settings(conf).maxCommits ||
    Archiver.isDue(before.timeline, settings(conf), facts)
  }

  /** Archives what is due. */
  private[spark] def run(now: Table, conf: ServiceConf, transaction: TransactionOptions): Archived = {
    val archiver = archiverOf(now, conf, transaction)
    if (archiver.isDue) archiver.run() else Archived(Nil, Nil)
  }

  /** Archives by these options. */
  private[spark] def archiverOf(now: Table, conf: ServiceConf, transaction: TransactionOptions): Archiver =
    new Archiver(now, settings(conf), transaction, CleanScheduler.earliestRetained(now, conf.cleaning).map(_.time))
}
