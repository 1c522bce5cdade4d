package io.hudilite.spark.shim

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{CommandExecutionMode, SQLExecution, SparkPlan}

/** Services of a session to code inside Spark, where Spark's lines differ. */
object Sessions {

  /** Hadoop's configuration with the session's `spark.hadoop.*` settings. */
  def hadoopConf(session: SparkSession): Configuration = session.sessionState.newHadoopConf()

  /** Runs jobs whose tasks see the settings of the session. */
  def withSettings[T](session: SparkSession)(jobs: => T): T =
    SQLExecution.withSQLConfPropagated(session)(jobs)

  /** The plan of a command, which whoever asks for it executes, as a part of an execution that is under way. */
  def plan(session: SparkSession, command: LogicalPlan): SparkPlan = {
    val plan = session.sessionState.executePlan(command, CommandExecutionMode.SKIP).executedPlan
    // Spark has metrics made as it tells of an execution that begins; some operators would make theirs in tasks.
    plan.foreach { node =>
      node.metrics
      ()
    }
    plan
  }

  /** Has the session's optimizer run the rule behind its own. */
  def optimizeLast(session: SparkSession, rule: Rule[LogicalPlan]): Unit = {
    val methods = session.experimental
    if (!methods.extraOptimizations.contains(rule)) methods.synchronized {
      if (!methods.extraOptimizations.contains(rule)) methods.extraOptimizations = methods.extraOptimizations :+ rule
    }
  }
}
