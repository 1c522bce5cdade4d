package io.hudilite.spark.service

import io.hudilite.config.TableType
import io.hudilite.config.service.ServiceConf
import io.hudilite.service.archive.{ArchiveFacts, Archived, Archiver}
import io.hudilite.service.clean.CleanScheduler
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions

/** Archiving by the options of writes, which follow those of cleaning. */
object Archivings {

  /** By the timeline as it was before a write: there were as many commits as may stay. */
  private[service] def mayBeDue(before: Table, conf: ServiceConf): Boolean = {
    val facts = ArchiveFacts(before.config.layout, before.config.tableType == TableType.MergeOnRead, None)
    val archiving = conf.archiving.checked
    before.timeline.writes.size >= archiving.maxCommits || Archiver.isDue(before.timeline, archiving, facts)
  }

  /** Archives what is due. */
  private[spark] def run(now: Table, conf: ServiceConf, transaction: TransactionOptions): Archived = {
    val archiver = archiverOf(now, conf, transaction)
    if (archiver.isDue) archiver.run() else Archived(Nil, Nil)
  }

  /** Archives by these options. */
  private[spark] def archiverOf(now: Table, conf: ServiceConf, transaction: TransactionOptions): Archiver =
    new Archiver(now, conf.archiving.checked, transaction,
      CleanScheduler.earliestRetained(now, conf.cleaning).map(_.time))
}
