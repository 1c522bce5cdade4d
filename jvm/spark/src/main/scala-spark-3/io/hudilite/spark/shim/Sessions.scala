package io.hudilite.spark.shim

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SQLExecution

/** Services of a session to code inside Spark, where Spark's lines differ. */
object Sessions {

  /** Hadoop's configuration with the session's `spark.hadoop.*` settings. */
  def hadoopConf(session: SparkSession): Configuration = session.sessionState.newHadoopConf()

  /** Runs jobs whose tasks see the settings of the session. */
  def withSettings[T](session: SparkSession)(jobs: => T): T =
    SQLExecution.withSQLConfPropagated(session)(jobs)

  /** Has the session's optimizer run the rule behind its own. */
  def optimizeLast(session: SparkSession, rule: Rule[LogicalPlan]): Unit = {
    val methods = session.experimental
    if (!methods.extraOptimizations.contains(rule)) methods.synchronized {
      if (!methods.extraOptimizations.contains(rule)) methods.extraOptimizations = methods.extraOptimizations :+ rule
    }
  }
}
