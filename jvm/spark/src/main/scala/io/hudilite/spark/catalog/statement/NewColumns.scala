package io.hudilite.spark.catalog.statement

import io.hudilite.spark.catalog.HudiliteTable
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.sql.catalyst.plans.logical.{AddColumns, LogicalPlan, QualifiedColType}
import org.apache.spark.sql.connector.catalog.TableChange.ColumnPosition

/** ALTER TABLE ADD COLUMNS without a place: the new columns come last, but before partition columns where those are last,
  * as in Apache Hudi's tables and in those of Spark's own formats.
  */
private[statement] object NewColumns {

  def placed(add: AddColumns, table: HudiliteTable): LogicalPlan = {
    val partitions = table.table.toSeq.flatMap(_.config.partitionFields)
    val (last, data) = table.schema.fieldNames.reverse.span(partitions.contains)
    val unplaced = add.columnsToAdd.filter(column => column.path.isEmpty && column.position.isEmpty)
    data.headOption.filter(_ => last.nonEmpty && unplaced.nonEmpty)
      .fold[LogicalPlan](add)(after => PlanNodes.placed(add, chained(unplaced, after)))
  }

  private def chained(columns: Seq[QualifiedColType], after: String): Seq[(QualifiedColType, ColumnPosition)] =
    columns.zip((after +: columns.map(_.colName)).map(ColumnPosition.after))
}
