package io.hudilite.spark.plan.table

import io.hudilite.config.WriteConf
import io.hudilite.spark.shim.TableOfPath
import io.hudilite.spark.write.{AppendWrite, RowLevelWrite}
import io.hudilite.spark.write.attempt.WriteIntent
import io.hudilite.storage.Storage
import io.hudilite.table.Table

import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** A table of hudilite's as the rules of the planner see it. */
trait PlannedTable extends TableOfPath {

  def storage: Storage

  /** The table as it was found; `None` when there is none at the path. */
  def table: Option[Table]

  /** The options of a write, session settings included; raises `InvalidInput` for one that a write cannot follow.
    *
    * @param added
    *   those that the relation and then the statement have
    */
  def writeConf(added: Map[String, String]*): WriteConf

  /** Reached by `format("hudilite")`: an append may bring columns that the table does not have. */
  def dataFrame: Boolean

  /** Values that an INSERT OVERWRITE gives partition columns, perhaps none; `None` for all other writes. With a value for
    * each of them it replaces that partition, whatever rows come.
    */
  def namedPartition: Option[Map[String, String]]

  /** Names of the columns that refuse nulls, as the catalog keeps them for the table's name. */
  def required: Seq[String]

  /** The decision about a write of this table, once there is one. */
  def prepared: Option[PreparedWrite]

  /** This table of Spark's with the table as it was found later. */
  def at(table: Table): PlannedTable

  /** This table in a query whose aggregates have to be computed from rows. */
  def aggregatedFromRows: PlannedTable

  /** The table as the target of this write. */
  def writing(write: PreparedWrite): PlannedTable
}

object PlannedTable {

  def of(relation: DataSourceV2Relation): Option[PlannedTable] = relation.table match {
    case table: PlannedTable => Some(table)
    case _ => None
  }

  /** Each scan of a table of hudilite's reads the same files. */
  def isSnapshot(relation: DataSourceV2Relation): Boolean =
    of(relation).isDefined || RowLevelWrite.operationOf(relation).isDefined
}

/** The decision of hudilite's planner rule about a write. */
sealed trait PreparedWrite {
  def intent: WriteIntent
  def isAppend: Boolean
}

object PreparedWrite {

  /** An append whose rows are laid out. */
  final case class Append(write: AppendWrite) extends PreparedWrite {
    override def intent: WriteIntent = write.intent
    override def isAppend: Boolean = true
  }

  /** The MERGE that an upsert or delete of a DataFrame is planned as. */
  final case class Delta(intent: WriteIntent) extends PreparedWrite {
    override def isAppend: Boolean = false
  }
}
