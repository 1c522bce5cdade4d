package io.hudilite.spark.service

import io.hudilite.config.{ConfigKey, TableType, WriteConf}
import io.hudilite.config.ArchiveOptions.{MaxCommits, MinCommits}
import io.hudilite.service.archive.{ArchiveFacts, ArchiveSettings, Archived, Archiver}
import io.hudilite.service.clean.{CleanScheduler, CleaningPolicy}
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions

import java.util.{Map => JMap}

import org.apache.spark.sql.SparkSession

/** Archiving by the options of writes, which follow those of cleaning. */
object Archivings {

  /** What stays beyond the commits that cleaning retains, where options leave it open; Hudi's defaults are that far apart. */
  private val Distance = 10

  /** Raises `InvalidInput` when options contradict each other. */
  private[service] def settings(options: Map[String, String]): ArchiveSettings = CleaningPolicy.of(options) match {
    case CleaningPolicy.LatestCommits(n) => ArchiveSettings.of(adjusted(options, n), Some(n))
    case _ => ArchiveSettings.of(options)
  }

  // Who retains more commits and says nothing of the archive wants them to stay.
  private def adjusted(options: Map[String, String], retained: Int): Map[String, String] = {
    def raised(key: ConfigKey[Int], least: Int): Map[String, String] =
      if (key.isSet(options) || key(options) >= least) Map.empty else Map(key.name -> least.toString)
    val withMin = options ++ raised(MinCommits, retained + Distance)
    withMin ++ raised(MaxCommits, MinCommits(withMin) + Distance)
  }

  /** By the timeline as it was before a write: there were as many commits as may stay. */
  private[service] def mayBeDue(before: Table, options: Map[String, String]): Boolean = {
    val facts = ArchiveFacts(before.config.layout, before.config.tableType == TableType.MergeOnRead, None)
    before.timeline.writes.size >= settings(options).maxCommits ||
    Archiver.isDue(before.timeline, settings(options), facts)
  }

  /** Archives what is due in the table at this path, or only says what that would be. */
  def call(session: SparkSession, path: String, options: JMap[String, String], dryRun: Boolean): Archived =
    Compactions.onDriver(session, path, options) { (table, all) =>
      if (dryRun) archiverOf(table, all, TransactionOptions()).preview()
      else run(table, all, TransactionOptions.of(WriteConf.of(all).commit))
    }

  /** Archives what is due. */
  private[service] def run(now: Table, options: Map[String, String], transaction: TransactionOptions): Archived = {
    val archiver = archiverOf(now, options, transaction)
    if (archiver.isDue) archiver.run() else Archived(Nil, Nil)
  }

  private def archiverOf(now: Table, options: Map[String, String], transaction: TransactionOptions): Archiver =
    new Archiver(now, settings(options), transaction, CleanScheduler.earliestRetained(now, options).map(_.time))
}
