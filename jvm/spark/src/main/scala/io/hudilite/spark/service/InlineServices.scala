package io.hudilite.spark.service

import io.hudilite.config.{
  ArchiveOptions,
  CleanOptions,
  CompactionOptions,
  PartitionTtlOptions,
  ServiceOptions,
  TableType
}
import io.hudilite.error.CommitConflict
import io.hudilite.service.clean.CleanScheduler
import io.hudilite.service.partition.{ExpirySettings, PartitionExpiry}
import io.hudilite.spark.write.{AfterCommit, WriteTarget}
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.TransactionOptions

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** What a table does for itself after a write.
  *
  * The write is committed by then, so nothing that happens here may make it look failed, or its rows would be written
  * again: what fails is logged, and its plan waits for the next run.
  */
object InlineServices extends AfterCommit {

  private val log = LoggerFactory.getLogger("io.hudilite.spark.service.InlineServices")

  /** The target with its services; raises `InvalidInput` when options ask for one that the table cannot have, that they
    * forbid, or that makes no sense.
    */
  def after(target: WriteTarget): WriteTarget = {
    InlineCompaction.check(target)
    InlineClustering.check(target)
    Archivings.settings(target.options)
    if (run(target.options) && PartitionTtlOptions.Inline(target.options)) ExpirySettings.of(target.options)
    target.copy(afterCommit = this)
  }

  /** Services run by themselves at all. */
  private[service] def run(options: Map[String, String]): Boolean =
    ServiceOptions.Services(options) && CompactionOptions.TableServices(options)

  private val background = new BackgroundRounds(threads = 2)

  override def apply(target: WriteTarget, table: Table): Unit = {
    val session = SparkSession.active
    if (!ServiceOptions.Async(target.options)) round(target, table)
    else background.ask(table.place.key,
      () => {
        SparkSession.setActiveSession(session)
        session.sparkContext.setLocalProperty("spark.scheduler.pool", "hudilite")
        session.sparkContext.setJobDescription(s"hudilite services of ${table.basePath}")
        round(target, table)
      })
  }

  /** Waits until the services beside the writes to this table have ended; false when that takes longer than so many
    * milliseconds.
    */
  private[service] def await(table: Table, millis: Long): Boolean = background.await(table.place.key, millis)

  // Old files go after a compaction and a clustering, which make some old, and instants after a cleaning, which they may
  // have to wait for.
  private def round(target: WriteTarget, table: Table): Unit = {
    val options = target.options
    val transaction = TransactionOptions.of(target.conf.commit)
    if (table.config.tableType == TableType.MergeOnRead)
      InlineCompaction.asked(options).filter(InlineCompaction.mayBeDue(table, options, _)).foreach(kind =>
        logged(table, ServiceStates.Compaction)(InlineCompaction.run(SparkSession.active, table, options, kind)))
    if (InlineClustering.isAsked(options))
      logged(table, ServiceStates.Clustering)(InlineClustering.run(SparkSession.active, table, options))
    if (run(options) && PartitionTtlOptions.Inline(options))
      logged(table, ServiceStates.Expiry) {
        PartitionExpiry.run(table.refresh(), ExpirySettings.of(options), transaction)
        ()
      }
    if (run(options) && CleanOptions.Automatic(options) && mayClean(table, options))
      logged(table, ServiceStates.Cleaning)(clean(table, options, transaction))
    if (run(options) && ArchiveOptions.Automatic(options) && Archivings.mayBeDue(table, options))
      logged(table, ServiceStates.Archiving) {
        Archivings.run(table.refresh(), options, transaction)
        ()
      }
  }

  /** From the timeline as the write found it, so that most writes ask storage for nothing. */
  private def mayClean(before: Table, options: Map[String, String]): Boolean =
    CleanScheduler.isDue(before.timeline, options, more = 1) ||
      before.timeline.pending.exists(_.action == Action.Clean)

  private def clean(table: Table, options: Map[String, String], transaction: TransactionOptions): Unit = {
    val session = SparkSession.active
    Cleanings.cleaning(session, transaction, session.sparkContext.longAccumulator).run(table.refresh(), options)
    ()
  }

  private def logged(table: Table, service: String)(body: => Unit): Unit =
    try {
      body
      ServiceStates.ended(table, service, None)
    } catch {
      case e: CommitConflict => log.info(s"No $service of ${table.basePath} after this write: ${e.getMessage}")
      case NonFatal(e) =>
        ServiceStates.ended(table, service, Some(e))
        log.error(s"The write to ${table.basePath} is committed, but the $service after it failed.", e)
    }
}
