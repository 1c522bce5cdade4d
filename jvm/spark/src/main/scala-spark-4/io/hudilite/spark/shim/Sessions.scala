package io.hudilite.spark.shim

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.sql.execution.SQLExecution

/** What a session offers to code that runs inside Spark, where Spark's lines differ. */
object Sessions {

  /** Hadoop's configuration with the session's `spark.hadoop.*` settings. */
  def hadoopConf(session: SparkSession): Configuration =
    session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf()

  /** Runs jobs whose tasks see the settings of the session. */
  def withSettings[T](session: SparkSession)(jobs: => T): T =
    SQLExecution.withSQLConfPropagated(session.asInstanceOf[classic.SparkSession])(jobs)
}
