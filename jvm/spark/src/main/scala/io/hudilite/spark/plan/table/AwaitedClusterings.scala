package io.hudilite.spark.plan.table

import io.hudilite.config.WriteConf
import io.hudilite.error.CommitConflict
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.{ClusteringWait, Table}
import io.hudilite.timeline.CommitMetadata

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}

/** Writes that wait until the clusterings of their table have ended, as their options say. */
private[spark] object AwaitedClusterings {

  /** The table that a write goes to: as it was found, or as it is after the wait. Raises `TABLE_CHANGED` when its columns
    * or properties have changed meanwhile, since the statement was resolved by them.
    */
  def of(found: Table, conf: WriteConf): Table = {
    val now = ClusteringWait.ended(found, conf.services.clustering.waitMs)
    if (!isSameTable(found, now))
      throw changed(found.basePath, "its columns or properties are others since the write waited for a clustering")
    now
  }

  /** The table has the columns and properties by which a write was resolved. */
  def isSameTable(found: Table, now: Table): Boolean =
    now.schema.map(_.avroJson) == found.schema.map(_.avroJson) && now.config == found.config

  /** Raises `TABLE_CHANGED` when a write that has waited also reads its table as it was before, and somebody has written
    * rows to that meanwhile: the write would be made of rows that are not there any more.
    */
  def check(query: LogicalPlan, target: WriteTarget): Unit = for {
    found <- target.found
    now <- target.existing if now.timeline != found.timeline
    if relations(query).exists(isAsFound(_, found)) && written(found, now)
  } throw changed(target.basePath,
    "the statement reads it as it was before it waited for a clustering, and rows were " +
      "written since")

  private def relations(query: LogicalPlan): Seq[DataSourceV2Relation] = query.collectWithSubqueries {
    case relation: DataSourceV2Relation => relation
    case scan: DataSourceV2ScanRelation => scan.relation
  }

  private def isAsFound(relation: DataSourceV2Relation, found: Table): Boolean =
    PlannedTable.of(relation).flatMap(_.table).exists(t => t.basePath == found.basePath && t.timeline == found.timeline)

  private def written(found: Table, now: Table): Boolean =
    now.store.readCommits(now.timeline.writes.filterNot(i => found.timeline.isCompleted(i.time)))
      .exists { case (_, metadata) => metadata.operation != CommitMetadata.Cluster && !metadata.compacted }

  private def changed(path: String, change: String): CommitConflict =
    CommitConflict("TABLE_CHANGED", "path" -> path, "change" -> change)
}
