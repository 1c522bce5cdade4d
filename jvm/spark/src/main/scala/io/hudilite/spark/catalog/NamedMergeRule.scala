package io.hudilite.spark.catalog

import io.hudilite.spark.plan.HeldMerge
import io.hudilite.spark.shim.{Catalogs, EarlyRules, PlanNodes}

import org.apache.spark.sql.{SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, MergeIntoTable, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule

/** What is to be done about a MERGE while its target is only named: Spark 4.3 rewrites the statement in the step that
  * resolves it, so that other rules of ours do not see it any more. WITH SCHEMA EVOLUTION is refused, and all others are
  * held back until they are prepared.
  */
object NamedMergeRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.inject(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case merge: MergeIntoTable => named(merge.targetTable).fold(merge) { path =>
        if (PlanNodes.evolvesSchema(merge)) throw Refusal.Evolve.of(path)
        HeldMerge.hold(merge)
      }
  }

  /** The path of the table, when it is one of hudilite's catalog. */
  private def named(target: LogicalPlan): Option[String] = target match {
    case SubqueryAlias(_, child) => named(child)
    case r: UnresolvedRelation => r.multipartIdentifier match {
        case catalog +: path if path.nonEmpty => ours(catalog, path)
        case path => ours(Catalogs.current(SparkSession.active), path)
      }
    case _ => None
  }

  private def ours(catalog: String, path: Seq[String]): Option[String] =
    if (catalog.equalsIgnoreCase(HudiliteCatalog.Name)) Some(path.mkString("/")) else None
}
