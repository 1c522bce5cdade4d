package io.hudilite.spark.service

import io.hudilite.config.WriteConf
import io.hudilite.spark.keys.KeyedOptions
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions

import org.apache.spark.sql.SparkSession

/** Settings of the transactions of services whose rows may get new places. */
private[service] object ServiceTransaction {
  def of(session: SparkSession, table: Table, conf: WriteConf): TransactionOptions =
    KeyedOptions.of(session, table.basePath, conf.commit)
}
