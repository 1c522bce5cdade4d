package io.hudilite.spark.plan

import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.{RowLevelWrite, WriteGroups}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, WriteDelta}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.RowLevelTables

/** Lays the row changes of a MERGE, UPDATE or DELETE out by file group, once, before Spark builds the write. */
final case class DeltaLayoutRule(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case write: WriteDelta if RowLevelWrite.operationOf(write).exists(_.groups.isEmpty) =>
      val operation = RowLevelWrite.operationOf(write).get
      val groups = groupsOf(operation, write.query)
      write.withNewTable(withGroups(write, operation, groups))
        .withNewQuery(WriteLayout.changes(write.query, operation.target, groups))
  }

  private def groupsOf(operation: RowLevelWrite, query: LogicalPlan): WriteGroups = {
    val target = operation.target
    val parallelism = operation.operation.parallelism(target.options)
    val slices = target.existing.map(_.allSlices().values.flatten.toSeq).getOrElse(Nil)
    val cores = session.sparkContext.defaultParallelism
    val takers = InsertTakers.of(target)
    val inBuckets = for (table <- target.existing; index <- target.buckets)
      yield WriteLayout.bucketGroups(slices, index, table, parallelism, cores * takers.tasksPerCore)
    inBuckets.getOrElse {
      val incoming = query.collectFirst { case p: IndexProbe => p.child.stats }
      WriteLayout.groups(slices, target.options, incoming.flatMap(RecordSize.estimate(_, target)), parallelism, cores,
        takers)
    }
  }

  private def withGroups(write: WriteDelta, operation: RowLevelWrite, groups: WriteGroups): DataSourceV2Relation = {
    val relation = RowLevelWrite.relationOf(write.table).get
    PlanNodes.withTable(relation, RowLevelTables.withOperation(relation.table, operation.copy(groups = Some(groups))))
  }
}
