package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.plan.merge.HeldMerge
import io.hudilite.spark.shim.{EarlyRules, PlanNodes}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/** Statements whose tables are only named, in one pass: as Spark resolves names it drops or rewrites parts of them.
  *
  *   - MERGE is held back until it is prepared: Spark 4.3 rewrites the statement in the step that resolves it, so that
  *     other rules of ours do not see it any more.
  *   - CREATE TABLE ... USING hudi by a name of the session's own catalog, where that is hudilite's, makes the table and
  *     registers it as Apache Hudi would. Before Spark asks a catalog it looks for the classes of the format, which are
  *     there only with Hudi's jar, and with Hudi's extension the statement never comes to the catalog. So the format gets
  *     the name of a class of hudilite's until then.
  */
final case class NamesRule(session: SparkSession) extends Rule[LogicalPlan] {

  private val names = new NameResolution(session)
  private val refusals = new NamedRefusals(names)
  private val writes = new NamedWrites(names)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators { case statement =>
    refusals.check(statement)
    statement match {
      case merge: MergeIntoTable if EarlyRules.holdMerges && names.pathOf(merge.targetTable).isDefined =>
        HeldMerge.hold(merge)
      case insert: InsertIntoStatement => writes.intoNamedPartition(insert)
      case write: V2WriteCommand => writes.withOwnColumns(write)
      case other => CreateTarget.named(other, names).filter(_.provider.exists(isHudi) && names.tables.takesHudi)
          .fold(other)(PlanNodes.withFormat(other, _, Registered.HudiName))
    }
  }

  private def isHudi(provider: String): Boolean =
    provider != Registered.HudiName && Registered.providerOf(provider).contains(Registered.Hudi)
}
