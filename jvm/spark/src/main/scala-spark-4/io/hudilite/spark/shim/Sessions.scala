package io.hudilite.spark.shim

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{SparkSession, classic}

/** What a session offers to code that runs inside Spark, where Spark's lines differ. */
object Sessions {

  /** Hadoop's configuration with the session's `spark.hadoop.*` settings. */
  def hadoopConf(session: SparkSession): Configuration =
    session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf()
}
