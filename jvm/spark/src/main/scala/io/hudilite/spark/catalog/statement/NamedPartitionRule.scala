package io.hudilite.spark.catalog.statement

import io.hudilite.spark.shim.{EarlyRules, PlanNodes}

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.JavaConverters._

/** INSERT OVERWRITE with a value for each partition column, in a session that overwrites the partitions of the rows: the
  * values name the partition, whatever rows come, as in a table of Spark's own. What Spark resolves the statement to does
  * not know them any more, so the table is told them before.
  */
object NamedPartitionRule extends Rule[LogicalPlan] {

  def inject(extensions: SparkSessionExtensions): Unit = EarlyRules.injectForInserts(extensions, this)

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (conf.partitionOverwriteMode != PartitionOverwriteMode.DYNAMIC) plan
    else plan.resolveOperators {
      case insert: InsertIntoStatement if insert.overwrite && values(insert).nonEmpty =>
        // Spark looks at it next, before the rule for columns that are left out would.
        target(insert).fold(insert: LogicalPlan)(table => LeftOutColumnsRule(PlanNodes.into(insert, table)))
    }

  private def values(insert: InsertIntoStatement): Map[String, String] =
    insert.partitionSpec.collect { case (column, Some(value)) => column -> value }

  private def target(insert: InsertIntoStatement): Option[DataSourceV2Relation] = insert.table match {
    case named: UnresolvedRelation => for {
        (catalog, ident) <- NamedMergeRule.place(named.multipartIdentifier)
        table <- catalog.present(ident, dataFrame = false)
        found <- table.table if namesOne(found.config.partitionFields, values(insert))
        told = table.copy(namedPartition = Some(values(insert)))
      } yield PlanNodes.withOptions(DataSourceV2Relation.create(told, Some(catalog), Some(ident)), options(named))
    case _ => None
  }

  private def namesOne(columns: Seq[String], values: Map[String, String]): Boolean =
    columns.nonEmpty && columns.forall(column => values.keys.exists(conf.resolver(_, column)))

  // Spark keeps there what the statement may do, too, and takes it out as it finds the table.
  private def options(named: UnresolvedRelation): CaseInsensitiveStringMap =
    new CaseInsensitiveStringMap(named.options.asCaseSensitiveMap.asScala.filterNot(_._1.startsWith("__")).asJava)
}
