package io.hudilite.spark.service.clean

import io.hudilite.config.WriteConf
import io.hudilite.config.service.ServiceConf
import io.hudilite.service.archive.Archiver
import io.hudilite.spark.service.{InlineService, LatestTable, ServiceState}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions

import org.apache.spark.sql.SparkSession

/** Archives after a write, unless its options say otherwise. */
private[service] object InlineArchiving extends InlineService("archiving") {

  override def check(session: SparkSession, target: WriteTarget): Unit = {
    target.conf.services.archiving.checked
    ()
  }

  override def mayBeDue(before: Table, conf: ServiceConf): Boolean =
    conf.inlineArchiving && Archiver.mayBeDue(before, conf.archiving.checked)

  // It looks again under the lock: a cleaning of this round is found then.
  override def run(session: SparkSession, now: LatestTable, conf: WriteConf): Unit = {
    Archiver.of(now.table, conf.services, TransactionOptions.of(conf.commit)).runIfDue()
    ()
  }

  override def state(table: Table, conf: ServiceConf): Option[ServiceState] =
    Some(ServiceState.of(table, name, conf.inlineArchiving, Nil, None, Archiver.mayBeDue(table, conf.archiving.checked),
        s"${table.timeline.writes.size} of ${conf.archiving.maxCommits} commits that may stay in the timeline"))
}
