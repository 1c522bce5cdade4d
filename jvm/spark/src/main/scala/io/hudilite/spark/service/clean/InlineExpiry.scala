package io.hudilite.spark.service.clean

import io.hudilite.config.WriteConf
import io.hudilite.config.service.ServiceConf
import io.hudilite.service.partition.{PartitionDrops, PartitionExpiry}
import io.hudilite.spark.service.{InlineService, LatestTable, ServiceState}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions

import org.apache.spark.sql.SparkSession

/** Drops partitions to which nobody has written for long after a write, when its options ask for that. */
private[service] object InlineExpiry extends InlineService("partition expiry") {

  override def check(session: SparkSession, target: WriteTarget): Unit =
    if (target.conf.services.inlineExpiry) {
      target.conf.services.expiry.checked
      ()
    }

  override def mayBeDue(before: Table, conf: ServiceConf): Boolean = conf.inlineExpiry

  override def run(session: SparkSession, now: LatestTable, conf: WriteConf): Unit =
    now.changing(PartitionExpiry.run(_, conf.services.expiry.checked, TransactionOptions.of(conf.commit)))

  override def state(table: Table, conf: ServiceConf): Option[ServiceState] =
    if (conf.expiry.days < 1) None
    else {
      val old = PartitionExpiry.preview(table, conf.expiry).fileGroups.size
      Some(ServiceState.of(table, name, conf.inlineExpiry, Nil, PartitionDrops.completed(table).lastOption, old > 0,
          s"$old partitions without a write for ${conf.expiry.days} days"))
    }
}
