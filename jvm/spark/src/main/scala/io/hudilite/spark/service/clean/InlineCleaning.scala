package io.hudilite.spark.service.clean

import io.hudilite.config.WriteConf
import io.hudilite.config.service.{CleaningPolicy, ServiceConf}
import io.hudilite.service.archive.Archiver
import io.hudilite.service.clean.{CleanScheduler, Cleaning}
import io.hudilite.service.partition.{PartitionDrops, PartitionExpiry}
import io.hudilite.spark.service.{InlineService, LatestTable, ServiceState, ServiceTransaction}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table
import io.hudilite.timeline.Action
import io.hudilite.transaction.TransactionOptions

import org.apache.spark.sql.SparkSession

/** Cleans after a write, unless its options say otherwise. */
private[service] object InlineCleaning extends InlineService("cleaning") {

  override def mayBeDue(before: Table, conf: ServiceConf): Boolean =
    conf.inlineCleaning && (CleanScheduler.isDue(before.timeline, conf.cleaning, more = 1) || isPending(before))

  private def isPending(before: Table): Boolean = before.timeline.pending.exists(_.action == Action.Clean)

  override def run(session: SparkSession, now: LatestTable, conf: WriteConf): Unit =
    if (isPending(now.before) || CleanScheduler.mayFindMore(now.before, conf.services.cleaning)) {
      val deletion = new FileDeletion(session, session.sparkContext.longAccumulator)
      new Cleaning(TransactionOptions.of(conf.commit), deletion.delete).run(now.table, conf.services.cleaning)
      ()
    }

  override def state(table: Table, conf: ServiceConf): Option[ServiceState] = {
    val cleans = table.timeline.instants.filter(_.action == Action.Clean)
    val done = cleans.filter(_.isCompleted).lastOption
    val since = table.timeline.writes.count(w => done.forall(w.time > _.time))
    val kept = conf.cleaning.policy match {
      case CleaningPolicy.LatestCommits(n) => s"the states at $n of ${table.timeline.writes.size} commits stay"
      case CleaningPolicy.LatestHours(n) => s"the states of $n hours stay"
      case CleaningPolicy.LatestVersions(n) => s"$n versions of each file group stay"
    }
    Some(ServiceState.of(table, name, conf.inlineCleaning, cleans.filter(_.isPending), done,
        CleanScheduler.isDue(table.timeline, conf.cleaning, more = 1),
        s"$since of ${conf.cleaning.triggerCommits} commits since the last one; $kept"))
  }
}

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

/** Drops partitions to which nobody has written for long after a write, when its options ask for that. */
private[service] object InlineExpiry extends InlineService("partition expiry") {

  override def check(session: SparkSession, target: WriteTarget): Unit =
    if (target.conf.services.inlineExpiry) {
      target.conf.services.expiry.checked
      ()
    }

  override def mayBeDue(before: Table, conf: ServiceConf): Boolean = conf.inlineExpiry

  override def run(session: SparkSession, now: LatestTable, conf: WriteConf): Unit =
    now.changing(table =>
      PartitionExpiry.run(table, conf.services.expiry.checked, ServiceTransaction.of(session, table, conf)))

  override def state(table: Table, conf: ServiceConf): Option[ServiceState] =
    if (conf.expiry.days < 1) None
    else {
      val old = PartitionExpiry.preview(table, conf.expiry).fileGroups.size
      Some(ServiceState.of(table, name, conf.inlineExpiry, Nil, PartitionDrops.completed(table).lastOption, old > 0,
          s"$old partitions without a write for ${conf.expiry.days} days"))
    }
}
