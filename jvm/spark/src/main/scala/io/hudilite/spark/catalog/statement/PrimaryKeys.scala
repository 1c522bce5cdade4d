package io.hudilite.spark.catalog.statement

import io.hudilite.config.TableOptions
import io.hudilite.error.InvalidInput
import io.hudilite.spark.catalog.metastore.TableProperty
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, TableSpec}
import org.apache.spark.sql.internal.SQLConf

/** PRIMARY KEY in a CREATE TABLE of Spark 4.1 and later: the record key of the table. Other constraints are left to
  * Spark, which refuses them.
  */
private[statement] object PrimaryKeys {

  def declared(statement: LogicalPlan): LogicalPlan = (for {
    target <- CreateTarget.of(statement)
    columns <- PlanNodes.primaryKey(target.spec)
  } yield PlanNodes.withSpec(statement, keyed(target.spec, columns))).getOrElse(statement)

  private def keyed(spec: TableSpec, columns: Seq[String]): TableSpec = {
    val key = TableOptions.RecordKeyFields
    val bare = PlanNodes.withoutPrimaryKey(spec)
    key.get(TableProperty.options(spec.properties)) match {
      case None => PlanNodes.withProperties(bare, spec.properties + (key.name -> columns.mkString(",")))
      case Some(said) if said.corresponds(columns)(SQLConf.get.resolver) => bare
      case Some(said) => throw InvalidInput("INVALID_OPTION_VALUE", "option" -> key.name, "value" -> said.mkString(","),
          "reason" -> s"PRIMARY KEY names ${columns.mkString(",")}; leave one of them out")
    }
  }
}
