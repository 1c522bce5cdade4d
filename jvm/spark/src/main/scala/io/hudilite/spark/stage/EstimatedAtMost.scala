package io.hudilite.spark.stage

import org.apache.spark.sql.catalyst.plans.logical._

/** Spark's estimate of a plan's size is about one from above: rows that are there, or that files hold, and of
  * these at most all. Joins, exploded lists and functions of the user's can make any number of rows out of few.
  */
private[spark] object EstimatedAtMost {
  def apply(plan: LogicalPlan): Boolean = plan match {
    case _: LeafNode => true
    case _: Project | _: Filter | _: Union | _: SubqueryAlias | _: Sort | _: GlobalLimit | _: LocalLimit |
        _: Distinct | _: Aggregate | _: RepartitionOperation | _: RebalancePartitions |
        _: ResolvedHint => plan.children.forall(apply)
    case _ => false
  }
}
