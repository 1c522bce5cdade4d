package io.hudilite.spark.plan

import io.hudilite.config.WriteOptions
import io.hudilite.spark.lookup.IndexProbe
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.write.{RowLevelWrite, WriteGroups, WriteLayout}

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
      val groups = groupsOf(operation, inputBytes(write.query))
      write.withNewTable(withGroups(write, operation, groups))
        .withNewQuery(WriteLayout.changes(write.query, operation.target, groups))
  }

  private def groupsOf(operation: RowLevelWrite, inputBytes: Option[BigInt]): WriteGroups = {
    val options = operation.target.options
    val parallelism = WriteOptions.UpsertParallelism(options)
    val slices = operation.target.existing.map(_.allSlices().values.flatten.toSeq).getOrElse(Nil)
    WriteLayout.groups(slices, options, inputBytes, parallelism,
      session.sparkContext.defaultParallelism)
  }

  private def withGroups(write: WriteDelta, operation: RowLevelWrite, groups: WriteGroups): DataSourceV2Relation = {
    val relation = RowLevelWrite.relationOf(write.table).get
    PlanNodes.withTable(relation, RowLevelTables.withOperation(relation.table, operation.copy(groups = Some(groups))))
  }

  /** Estimated size of the incoming rows; none when nothing is known about them. */
  private def inputBytes(query: LogicalPlan): Option[BigInt] =
    query.collectFirst { case p: IndexProbe => p.child.stats.sizeInBytes }.filter(_ < BigInt(conf.defaultSizeInBytes))
}
