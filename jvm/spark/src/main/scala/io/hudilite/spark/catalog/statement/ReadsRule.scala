package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.{HudiliteCatalog, HudiliteTable}
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import scala.collection.JavaConverters._

/** Has a read by path go by the session that reads. Spark 3.5 asks a source for a table without saying in which session, so
  * the table was opened by that of the thread, with its settings and credentials.
  */
final case class ReadsRule(session: SparkSession) extends Rule[LogicalPlan] {

  // Reads within other plans have gone by their session when they were made.
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case read: DataSourceV2Relation if read.catalog.isEmpty && read.identifier.isEmpty =>
      read.table match {
        case table: HudiliteTable if table.session ne session =>
          val options = read.options.asCaseSensitiveMap.asScala.toMap
          val opened = HudiliteCatalog.existing(session, options)
          PlanNodes.withOptions(DataSourceV2Relation.create(opened, None, None), read.options)
        case _ => read
      }
    case other => other
  }
}
