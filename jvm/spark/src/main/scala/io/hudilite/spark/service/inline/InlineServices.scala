package io.hudilite.spark.service.inline

import io.hudilite.config.service.ServiceConf
import io.hudilite.error.CommitConflict
import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.service.{InlineService, LatestTable, ServiceState}
import io.hudilite.spark.service.clean.{InlineArchiving, InlineCleaning, InlineExpiry}
import io.hudilite.spark.service.cluster.InlineClustering
import io.hudilite.spark.service.compact.InlineCompaction
import io.hudilite.spark.shim.CachedPlans
import io.hudilite.spark.sync.MetastoreSync
import io.hudilite.spark.write.attempt.{AfterCommit, CommittedWrite}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** The work of a table for itself after a write.
  *
  * The write is committed by then, so nothing that happens here may make it look failed, or its rows would be written
  * again: what fails is logged, and its plan waits for the next run.
  */
object InlineServices extends AfterCommit {

  private val log = LoggerFactory.getLogger("io.hudilite.spark.service.inline.InlineServices")

  // A compaction into base files leaves nothing to fold. Old files go after a compaction and a clustering, which make some
  // old, and instants after a cleaning, which they may have to wait for. Services that are not due by the timeline as the
  // write found it ask storage for nothing, and those that are due share one look at the table.
  private val all: Seq[InlineService] = Seq(new InlineCompaction(CompactionKind.Base),
    new InlineCompaction(CompactionKind.Log), InlineClustering, InlineExpiry, InlineCleaning, InlineArchiving)

  override def check(session: SparkSession, target: WriteTarget): Unit = {
    all.foreach(_.check(session, target))
    MetastoreSync.check(session, target)
  }

  /** How it stands with the services of a table, as its timeline and this process know them. */
  def states(table: Table, conf: ServiceConf): Seq[ServiceState] = all.flatMap(_.state(table, conf))

  // Services come first, since some of them drop partitions; those beside the next writes may still be at it.
  override def apply(session: SparkSession, write: CommittedWrite): Unit = {
    CommitCallback(write)
    serve(session, write)
    MetastoreSync(session, write)
  }

  private def serve(session: SparkSession, write: CommittedWrite): Unit = {
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

  private def round(session: SparkSession, target: WriteTarget, before: Table): Unit = {
    val now = new LatestTable(before)
    for (service <- all if service.mayBeDue(before, target.conf.services))
      logged(before, service.name)(service.run(session, now, target.conf))
  }

  private def logged(table: Table, service: String)(body: => Unit): Unit =
    try {
      body
      ServiceState.ended(table, service, None)
    } catch {
      // Somebody else is at it or in its way, often for a moment: no alarm, but what lasts is seen in the table's services.
      case e: CommitConflict =>
        ServiceState.ended(table, service, Some(e))
        log.info(s"No $service of ${table.basePath} after this write: ${e.getMessage}")
      case NonFatal(e) =>
        ServiceState.ended(table, service, Some(e))
        log.error(s"The write to ${table.basePath} is committed, but the $service after it failed.", e)
    }
}
