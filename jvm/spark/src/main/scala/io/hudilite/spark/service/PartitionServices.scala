package io.hudilite.spark.service

import io.hudilite.filegroup.PathSelection
import io.hudilite.service.partition.{DroppedPartitions, ExpirySettings, PartitionDrops, PartitionExpiry}
import io.hudilite.transaction.TransactionOptions

import java.util.{Collections, Map => JMap}

import org.apache.spark.sql.SparkSession

/** Partitions of a table by its path that are dropped: what programs call, in Scala, in Java or from Python. Options are
  * those of docs/options.md; all calls raise `TABLE_NOT_FOUND`.
  */
object PartitionServices {

  /** Drops partitions, told by their paths below the table, or says what would go. */
  def drop(session: SparkSession, path: String, options: JMap[String, String], partitions: Seq[String],
      dryRun: Boolean): DroppedPartitions = Compactions.changing(session, path, options, dryRun) { (table, conf) =>
    if (dryRun) PartitionDrops.preview(table, partitions)
    else PartitionDrops.run(table, partitions, TransactionOptions.of(conf.commit))
  }

  /** Drops the partitions to which nobody has written for as many days as the options say, or says what would go. */
  def expire(session: SparkSession, path: String, options: JMap[String, String], dryRun: Boolean): DroppedPartitions =
    Compactions.changing(session, path, options, dryRun) { (table, conf) =>
      val settings = ExpirySettings.of(conf.services.expiry)
      if (dryRun) PartitionExpiry.preview(table, settings)
      else PartitionExpiry.run(table, settings, TransactionOptions.of(conf.commit))
    }

  /** The partitions that a text names, separated by commas unless there is a partition of the whole name. */
  def named(session: SparkSession, path: String, text: String): Seq[String] =
    if (!text.contains(',') && text == text.trim) Seq(text).filter(_.nonEmpty)
    else Compactions.onDriver(session, path, Collections.emptyMap()) { (table, _) =>
      if (table.files.partitions(PathSelection.named(text)).nonEmpty) Seq(text)
      else text.split(',').toSeq.map(_.trim).filter(_.nonEmpty)
    }
}
