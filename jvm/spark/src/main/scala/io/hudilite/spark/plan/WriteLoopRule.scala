package io.hudilite.spark.plan

import io.hudilite.spark.plan.layout.PrepareTasksExec
import io.hudilite.spark.write.TableWrite
import io.hudilite.spark.write.attempt.AfterCommit

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.V2ExistingTableWriteExec

/** Puts a [[WriteLoopExec]] over each write of hudilite's, and a [[PrepareTasksExec]] where its groups have to be made.
  *
  * Spark asks rules of this kind last, when a plan is as it will be executed: its query is adaptive by then, and only
  * plans that no command was made of reach them without one.
  *
  * @param after
  *   the work that follows a write
  */
final case class WriteLoopRule(after: AfterCommit) extends ColumnarRule {

  override val preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {

    override val ruleName: String = "hudilite's writes"

    override def apply(plan: SparkPlan): SparkPlan = PrepareTasksExec.over(looped(plan))
  }

  // Some statements are several commands, which stand below a node of Spark's.
  private def looped(plan: SparkPlan): SparkPlan = plan match {
    case loop: WriteLoopExec => loop
    case command: V2ExistingTableWriteExec => command.write match {
        case write: TableWrite => WriteLoopExec(write, after, command)
        case _ => command
      }
    case other => other.mapChildren(looped)
  }
}
