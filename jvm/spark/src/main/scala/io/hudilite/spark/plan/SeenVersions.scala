package io.hudilite.spark.plan

import io.hudilite.config.WriteConf
import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.spark.write.RowLevelWrite
import io.hudilite.table.{StatedFacts, Table}

import org.apache.spark.sql.catalyst.analysis.EliminateSubqueryAliases
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan, WriteDelta}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.slf4j.LoggerFactory

import scala.collection.JavaConverters._

/** Commands whose version of an application the table has seen. They are planned as nothing. One that another writer
  * outruns after that is refused as it commits.
  */
private[plan] object SeenVersions {

  private val logger = LoggerFactory.getLogger("io.hudilite.write")

  /** The plan in the place of a write that is done; `None` for one that is to be done. */
  def skipped(relation: DataSourceV2Relation, options: Map[String, String]): Option[LogicalPlan] = for {
    planned <- PlannedTable.of(relation)
    table <- planned.table
    plan <- skipped(table, planned.writeConf(relation.options.asCaseSensitiveMap.asScala.toMap, options))
  } yield plan

  /** A statement that changes rows of this table. */
  def skipped(target: LogicalPlan): Option[LogicalPlan] = EliminateSubqueryAliases(target) match {
    case relation: DataSourceV2Relation => skipped(relation, Map.empty[String, String])
    case _ => None
  }

  /** An UPDATE or DELETE that the newest Sparks rewrite before they ask the rules of others. */
  def skippedChanges(write: WriteDelta): Option[LogicalPlan] = for {
    changes <- RowLevelWrite.operationOf(write)
    table <- changes.target.existing
    plan <- skipped(table, changes.target.conf)
  } yield plan

  private def skipped(table: Table, asked: WriteConf): Option[LogicalPlan] = for {
    write <- asked.notes.version
    number <- StatedFacts.of(table.store, table.timeline).seen(write)
  } yield {
    logger.warn(s"The write of the version ${write.number} of the application '${write.application}' to the table at " +
      s"${table.basePath} is skipped: the table has seen its version $number.")
    LocalRelation(Nil)
  }
}
