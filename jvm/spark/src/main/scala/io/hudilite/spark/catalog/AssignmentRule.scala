package io.hudilite.spark.catalog

import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.shim.EarlyRules

import java.util.Locale

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/** Refuses UPDATE and MERGE that set a column which the table makes by itself. It does so while names are not resolved:
  * Spark leaves such assignments out as it resolves them, and the statement would say OK without effect.
  */
object AssignmentRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.injectForAssignments(extensions, this)

  private val made: Set[String] = (MetaFields.all ++ Seq(RowPlace.FileId, RowPlace.Position)).map(lower).toSet

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case update: UpdateTable => check("UPDATE", update.table, update.assignments)
      case merge: MergeIntoTable =>
        val actions = merge.matchedActions ++ merge.notMatchedActions ++ merge.notMatchedBySourceActions
        check("MERGE", merge.targetTable,
          actions.flatMap {
            case action: UpdateAction => action.assignments
            case action: InsertAction => action.assignments
            case _ => Nil
          })
      case _ =>
    }
    plan
  }

  private def check(statement: String, target: LogicalPlan, assignments: Seq[Assignment]): Unit =
    assignments.map(_.key).collectFirst {
      case UnresolvedAttribute(parts) if made(lower(parts.last)) => parts.last
    }.foreach { column =>
      NamedMergeRule.named(target).foreach(path => throw Refusal.Assigned(statement, column).of(path))
    }

  private def lower(name: String): String = name.toLowerCase(Locale.ROOT)
}
