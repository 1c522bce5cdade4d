package io.hudilite.spark.service

import io.hudilite.config.TableType
import io.hudilite.config.service.CleanConf
import io.hudilite.error.CommitConflict
import io.hudilite.service.clean.{CleanScheduler, Cleaning}
import io.hudilite.service.partition.{ExpirySettings, PartitionExpiry}
import io.hudilite.spark.shim.CachedPlans
import io.hudilite.spark.write.attempt.{AfterCommit, CommittedWrite}
import io.hudilite.spark.write.table.WriteTarget
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

  /** Raises `InvalidInput` when options ask for a service that the table cannot have, that they forbid, or that makes no
    * sense.
    */
  override def check(session: SparkSession, target: WriteTarget): Unit = {
    InlineCompaction.check(target)
    InlineClustering.check(session, target)
    val conf = target.conf.services
    conf.archiving.checked
    if (conf.inlineExpiry) ExpirySettings.of(conf.expiry)
    ()
  }

  override def apply(session: SparkSession, write: CommittedWrite): Unit = {
    import write.{table, target}
    if (!target.conf.services.beside) round(session, target, table)
    else {
      val begun = ApplicationRounds.of(session.sparkContext).ask(table.place.key,
        () => {
          SparkSession.setActiveSession(session)
          session.sparkContext.setLocalProperty("spark.scheduler.pool", "hudilite")
          session.sparkContext.setJobDescription(s"hudilite services of ${table.basePath}")
          round(session, target, table)
          CachedPlans.refresh(session, table.basePath)
        })
      if (!begun) log.warn(s"No services of ${table.basePath} after this write: the application has ended.")
    }
  }

  /** Waits until the services beside the writes of this application to the table have ended; false when that takes longer
    * than so many milliseconds.
    */
  private[spark] def await(session: SparkSession, table: Table, millis: Long): Boolean =
    ApplicationRounds.of(session.sparkContext).await(table.place.key, millis)

  // Old files go after a compaction and a clustering, which make some old, and instants after a cleaning, which they may
  // have to wait for. What is not due by the timeline as the write found it asks storage for nothing, and what is due
  // shares one look at the table.
  private def round(session: SparkSession, target: WriteTarget, before: Table): Unit = {
    val conf = target.conf.services
    val transaction = TransactionOptions.of(target.conf.commit)
    val now = new LatestTable(before)
    if (before.config.tableType == TableType.MergeOnRead)
      InlineCompaction.asked(conf).filter(InlineCompaction.mayBeDue(before, conf.compaction, _)).foreach(kind =>
        logged(before, ServiceStates.Compaction)(
          now.changing(InlineCompaction.run(session, _, target.conf, kind))))
    if (conf.inlineClustering)
      logged(before, ServiceStates.Clustering)(
        now.changing(InlineClustering.run(session, _, target.conf)))
    if (conf.inlineExpiry)
      logged(before, ServiceStates.Expiry)(
        now.changing(PartitionExpiry.run(_, ExpirySettings.of(conf.expiry), transaction)))
    if (conf.inlineCleaning && isCleaningDue(before, conf.cleaning))
      logged(before, ServiceStates.Cleaning)(
        if (isCleaningPending(before) || CleanScheduler.mayFindMore(before, conf.cleaning))
          clean(session, now.table, conf.cleaning, transaction))
    // It looks again under the lock: a cleaning of this round is found then.
    if (conf.inlineArchiving && Archivings.mayBeDue(before, conf))
      logged(before, ServiceStates.Archiving) {
        Archivings.run(now.table, conf, transaction)
        ()
      }
  }

  /** From the timeline as the write found it, so that most writes ask storage for nothing. */
  private def isCleaningDue(before: Table, conf: CleanConf): Boolean =
    CleanScheduler.isDue(before.timeline, conf, more = 1) || isCleaningPending(before)

  private def isCleaningPending(before: Table): Boolean = before.timeline.pending.exists(_.action == Action.Clean)

  private def clean(session: SparkSession, now: Table, conf: CleanConf, transaction: TransactionOptions): Unit = {
    val deletion = new FileDeletion(session, session.sparkContext.longAccumulator)
    new Cleaning(transaction, deletion.delete).run(now, conf)
    ()
  }

  private def logged(table: Table, service: String)(body: => Unit): Unit =
    try {
      body
      ServiceStates.ended(table, service, None)
    } catch {
      // Somebody else is at it or in its way, often for a moment: no alarm, but what lasts is seen in the table's services.
      case e: CommitConflict =>
        ServiceStates.ended(table, service, Some(e))
        log.info(s"No $service of ${table.basePath} after this write: ${e.getMessage}")
      case NonFatal(e) =>
        ServiceStates.ended(table, service, Some(e))
        log.error(s"The write to ${table.basePath} is committed, but the $service after it failed.", e)
    }
}

/** The table after a write, opened when a service first needs it and anew behind each that may have changed its files. */
private final class LatestTable(before: Table) {

  private var known: Option[Table] = None

  def table: Table = known.getOrElse {
    val opened = before.refresh()
    known = Some(opened)
    opened
  }

  def changing(service: Table => Any): Unit =
    try {
      service(table)
      ()
    } finally known = None
}
