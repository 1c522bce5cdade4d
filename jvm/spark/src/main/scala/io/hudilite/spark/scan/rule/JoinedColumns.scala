package io.hudilite.spark.scan.rule

import io.hudilite.spark.scan.plan.OfferedColumns

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.JoinSelectionHelper
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.execution.dynamicpruning.PartitionPruning
import org.apache.spark.sql.internal.SQLConf

/** Columns of scans by which a plan joins them with sides that can leave out some of their rows. Statistics are looked up
  * for these alone.
  */
private[rule] final class JoinedColumns(columns: Set[ExprId]) {

  def of(relation: DataSourceV2ScanRelation): OfferedColumns =
    OfferedColumns(relation.output.filter(a => columns(a.exprId)).map(_.name).toSet, JoinedColumns.areFree)
}

private[rule] object JoinedColumns extends PredicateHelper with JoinSelectionHelper {

  def of(plan: LogicalPlan): JoinedColumns = {
    val joined = plan.collect { case join: Join => columns(join) }.flatten
    if (joined.isEmpty) new JoinedColumns(Set.empty)
    else {
      val origins = new Origins(plan)
      new JoinedColumns(joined.map(origins(_)).toSet)
    }
  }

  /** Spark filters by sides that it broadcasts anyway, and by no others. */
  def areFree: Boolean = SQLConf.get.dynamicPartitionPruningReuseBroadcastOnly

  /** Spark infers such conditions of each join. */
  def asksForNulls(condition: Expression): Boolean =
    splitConjunctivePredicates(condition).forall(_.isInstanceOf[IsNotNull])

  private def columns(join: Join): Seq[Attribute] = {
    def of(side: LogicalPlan, filtering: FilteringSide): Seq[Attribute] =
      if (filtering.isPossible) pairs(join).flatMap(_.toSeq).filter(side.outputSet.contains) else Nil
    (if (canPruneLeft(join.joinType)) of(join.left, FilteringSide.right(join)) else Nil) ++
      (if (canPruneRight(join.joinType)) of(join.right, FilteringSide.left(join)) else Nil)
  }

  private def pairs(join: Join): Seq[Set[Attribute]] =
    join.condition.toSeq.flatMap(splitConjunctivePredicates).collect {
      case EqualTo(a: Attribute, b: Attribute) => Set(a, b)
    }
}

/** A side of a join, by which the other side may be filtered.
  *
  * @param isHinted
  *   the query says that it is to be broadcast
  */
private[rule] final case class FilteringSide(plan: LogicalPlan, isHinted: Boolean) {

  /** Spark, or [[SmallSides]], may take it for one that leaves out rows. */
  def isPossible: Boolean = (isSelective || isSmall) && (!JoinedColumns.areFree || isBroadcast)

  def isSmall: Boolean = JoinedColumns.areFree && isBroadcast && plan.stats.sizeInBytes <= SmallSides.MostBytes

  private def isBroadcast: Boolean = isHinted || PartitionPruning.canBroadcastBySize(plan, SQLConf.get)

  private def isSelective: Boolean = plan.exists {
    case Filter(condition, _) => !JoinedColumns.asksForNulls(condition)
    case _ => false
  }
}

private[rule] object FilteringSide {

  def left(join: Join): FilteringSide = FilteringSide(join.left, PartitionPruning.hintToBroadcastLeft(join.hint))

  def right(join: Join): FilteringSide = FilteringSide(join.right, PartitionPruning.hintToBroadcastRight(join.hint))
}
