package io.hudilite.spark.service.cluster.layout

import io.hudilite.config.service.{ClusteringConf, PlannedLayout}
import io.hudilite.spark.row.{CarriedSchema, SchemaConversion, StoredColumns}
import io.hudilite.table.{Table, TableAccess, TableSupport}

import java.util.Collections

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.types.StructType

/** How a clustering lays rows out.
  *
  * @param sortColumns
  *   none: as they are, or in the order of the record keys
  * @param layout
  *   one of those of `ClusteringOptions`
  */
private[spark] final case class ClusteringOrder(sortColumns: Seq[String], layout: String) {

  /** How to order these rows, and to cut them into so many files, by the paths of their partitions. */
  def of(rows: DataFrame, files: Map[String, Int] = Map.empty): LaidOut =
    if (sortColumns.isEmpty) LaidOut(Nil, None)
    else SortLayout.of(layout, sortColumns, rows, files)

  /** Raises `InvalidInput` when rows with these data columns cannot be laid out so.
    *
    * @param dropped
    *   columns that files do not hold
    */
  def check(session: SparkSession, columns: StructType, dropped: Seq[String]): Unit = {
    val stored = CarriedSchema.schema(StoredColumns.of(columns, dropped))
    of(session.createDataFrame(Collections.emptyList[Row](), stored))
    ()
  }

  /** Raises `InvalidInput` when the rows of a table cannot be laid out so, and whatever keeps them from being read. */
  def check(session: SparkSession, table: Table): Unit = {
    val schema = TableSupport.of(table, TableAccess.Service(table.store.newInstantTime())).schema
    val columns = schema.map(s => SchemaConversion.columns(s.avroJson)).getOrElse(new StructType())
    check(session, columns, table.config.droppedColumns)
  }
}

private[spark] object ClusteringOrder {

  /** Order of a plan; the options of the run fill in what the plan leaves open. */
  def of(plan: PlannedLayout, conf: ClusteringConf): ClusteringOrder =
    ClusteringOrder(plan.sortColumns, plan.layout.getOrElse(conf.layout))
}
