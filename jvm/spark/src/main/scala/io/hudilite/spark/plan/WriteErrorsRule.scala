package io.hudilite.spark.plan

import io.hudilite.error.HudiliteException
import io.hudilite.spark.write.TableWrite

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.datasources.v2.{V2CommandExec, V2ExistingTableWriteExec}

/** Puts a [[WriteErrorsExec]] over each write of hudilite's.
  *
  * Spark asks rules of this kind last, when a plan is as it will be executed: its query is adaptive by then, and only
  * plans that no command was made of reach them without one.
  */
object WriteErrorsRule extends ColumnarRule {

  override val preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {

    override val ruleName: String = "hudilite's write errors"

    override def apply(plan: SparkPlan): SparkPlan = plan match {
      case write: V2ExistingTableWriteExec if write.write.isInstanceOf[TableWrite] => WriteErrorsExec(write)
      case other => other
    }
  }
}

/** Runs a write. A row that breaks a rule fails a task, its job, and what waits for the job, and each of them says so in
  * many lines; what is raised here is hudilite's error itself.
  */
final case class WriteErrorsExec(child: SparkPlan) extends V2CommandExec with UnaryExecNode {

  override def nodeName: String = "WriteErrors"

  override def output: Seq[Attribute] = child.output

  override protected def run(): Seq[InternalRow] = HudiliteException.unwrapping(child.executeCollect().toSeq)

  override protected def withNewChildInternal(newChild: SparkPlan): WriteErrorsExec = copy(child = newChild)
}
