package io.hudilite.spark.scan.rule

import io.hudilite.spark.scan.plan.HudiliteScan

import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation
import org.apache.spark.sql.internal.SQLConf

/** A scan that can be grouped by bucket and is not yet, and the column that decides about the bucket. */
private[rule] object BucketedRelation {

  def unapply(plan: LogicalPlan): Option[(DataSourceV2ScanRelation, HudiliteScan, Attribute)] = plan match {
    case relation: DataSourceV2ScanRelation if relation.keyGroupedPartitioning.isEmpty =>
      relation.scan match {
        case scan: HudiliteScan => for (by <- scan.bucketed; column <- named(relation, by.column.name))
            yield (relation, scan, column)
        case _ => None
      }
    case _ => None
  }

  /** True for a scan of a table of hudilite's, without a look at the table. */
  def isPossible(plan: LogicalPlan): Boolean = plan match {
    case relation: DataSourceV2ScanRelation => relation.scan.isInstanceOf[HudiliteScan]
    case _ => false
  }

  def named(relation: LogicalPlan, name: String): Option[Attribute] = relation.output.find(_.name == name)
}

/** Where a query brings rows together by columns that decide about buckets.
  *
  * @param columns
  *   of the scans for which it does
  * @param joined
  *   those of them that it joins by
  * @param byPartition
  *   it does so by the partition columns, too, wherever it does: more tasks can share the work then
  */
private[rule] final case class BucketUses(columns: Set[ExprId], joined: Set[ExprId], byPartition: Boolean)

private[rule] object BucketUses {

  private val Nowhere = BucketUses(Set.empty, Set.empty, byPartition = false)

  def of(plan: LogicalPlan): BucketUses = {
    // Scans are asked last: most queries bring no rows together.
    val joined = plan.collect { case join: Join if !isBroadcast(join) => pairs(join) }.filter(_.nonEmpty)
    val gathered = plan.collect {
      case aggregate: Aggregate => attributes(aggregate.groupingExpressions)
      case window: Window => attributes(window.partitionSpec)
    }.filter(_.nonEmpty)
    if (joined.isEmpty && gathered.isEmpty) Nowhere
    else {
      val scans = plan.collect { case BucketedRelation(relation, scan, column) =>
        column.exprId -> BucketedColumn(scan, scan.partitionColumns.map(BucketedRelation.named(relation, _)))
      }.toMap
      if (scans.isEmpty) Nowhere else used(new Origins(plan), scans, joined, gathered)
    }
  }

  private final case class BucketedColumn(scan: HudiliteScan, partitions: Seq[Option[Attribute]])

  private def used(origins: Origins, scans: Map[ExprId, BucketedColumn], joined: Seq[Seq[(Attribute, Attribute)]],
      gathered: Seq[Seq[Attribute]]): BucketUses = {
    val pairs = joined.flatten.map { case (a, b) => Set(origins(a), origins(b)) }.filter(_.forall(scans.contains))
    val mayReduce = reduces && (remembersReduced || pairs.distinct.size <= 1)
    val ofJoins = for {
      keys <- joined
      known = keys.map { case (a, b) => origins(a) -> origins(b) }
      (a, b) <- known if areAlike(scans.get(a), scans.get(b), mayReduce)
      column <- Seq(a, b)
    } yield column -> known.flatMap { case (x, y) => Seq(x, y) }.toSet
    val ofGroups = for {
      keys <- gathered
      known = keys.map(origins(_))
      column <- known if scans.contains(column)
    } yield column -> known.toSet
    val uses = ofJoins ++ ofGroups
    BucketUses(uses.map(_._1).toSet, ofJoins.map(_._1).toSet,
      uses.nonEmpty && uses.forall { case (column, keys) =>
        scans(column).partitions.forall(_.exists(p => keys(p.exprId)))
      })
  }

  private def areAlike(a: Option[BucketedColumn], b: Option[BucketedColumn], mayReduce: Boolean): Boolean =
    (for (one <- a.flatMap(_.scan.bucketed); other <- b.flatMap(_.scan.bucketed))
      yield one.column.layout == other.column.layout &&
        (one.index.count == other.index.count || (one.column.layout.isEmpty && mayReduce))).contains(true)

  // Spark 3.5 does not know it.
  private[rule] def reduces: Boolean =
    SQLConf.get.getConfString("spark.sql.sources.v2.bucketing.allowCompatibleTransforms.enabled", "false").toBoolean

  // Spark 4.0 and 4.1 forget that they have dealt buckets as fewer: a join above that one takes them for what they were, and
  // loses rows.
  private val remembersReduced: Boolean = {
    val version = SPARK_VERSION.split('.').take(2).map(_.toInt).toSeq
    version.head > 4 || (version.head == 4 && version(1) >= 2)
  }

  private def isBroadcast(join: Join): Boolean = {
    val most = SQLConf.get.autoBroadcastJoinThreshold
    Seq(join.hint.leftHint, join.hint.rightHint).flatten.exists(_.strategy.contains(BROADCAST)) ||
    (most >= 0 && join.left.stats.sizeInBytes.min(join.right.stats.sizeInBytes) <= most)
  }

  private def pairs(join: Join): Seq[(Attribute, Attribute)] =
    join.condition.toSeq.flatMap(conjuncts).collect {
      case EqualTo(a: Attribute, b: Attribute) => a -> b
      case EqualNullSafe(a: Attribute, b: Attribute) => a -> b
    }

  private def conjuncts(condition: Expression): Seq[Expression] = condition match {
    case And(left, right) => conjuncts(left) ++ conjuncts(right)
    case other => Seq(other)
  }

  private def attributes(expressions: Seq[Expression]): Seq[Attribute] = expressions.collect { case a: Attribute => a }
}

/** Columns of scans by the names that a plan gives them further up. */
private[rule] final class Origins(plan: LogicalPlan) {

  private val renamed: Map[ExprId, ExprId] = plan.collect {
    case node @ (_: Project | _: Aggregate) => node.expressions.collect { case alias @ Alias(a: Attribute, _) =>
        alias.exprId -> a.exprId
      }
  }.flatten.toMap

  def apply(attribute: Attribute): ExprId = origin(attribute.exprId, renamed.size)

  @annotation.tailrec
  private def origin(id: ExprId, steps: Int): ExprId = renamed.get(id) match {
    case Some(under) if steps > 0 => origin(under, steps - 1)
    case _ => id
  }
}
