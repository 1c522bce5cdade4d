package io.hudilite.spark.catalog

import io.hudilite.spark.shim.{EarlyRules, PlanNodes}

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeIntoTable}
import org.apache.spark.sql.catalyst.rules.Rule

/** Refuses MERGE WITH SCHEMA EVOLUTION while its target is only named: Spark 4.3 rewrites the statement in the step that
  * resolves it, so that [[StatementRule]] does not see it any more.
  */
object EvolutionRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.inject(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case merge: MergeIntoTable if PlanNodes.evolvesSchema(merge) => merge.targetTable.foreach(refuse)
      case _ =>
    }
    plan
  }

  private def refuse(target: LogicalPlan): Unit = target match {
    case r: UnresolvedRelation => r.multipartIdentifier match {
        case catalog +: name if name.nonEmpty && catalog.equalsIgnoreCase(HudiliteCatalog.Name) =>
          throw Refusal.Evolve.of(name.mkString("/"))
        case _ =>
      }
    case _ =>
  }
}
