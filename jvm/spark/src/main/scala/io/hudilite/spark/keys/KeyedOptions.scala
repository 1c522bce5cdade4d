package io.hudilite.spark.keys

import io.hudilite.config.CommitConf
import io.hudilite.transaction.TransactionOptions

import org.apache.spark.sql.SparkSession

/** Settings of transactions that may write a record index, by jobs of this session. */
private[spark] object KeyedOptions {
  def of(session: SparkSession, basePath: String, conf: CommitConf): TransactionOptions =
    TransactionOptions.of(conf).copy(keyJobs = new SparkKeyJobs(session, basePath))
}
