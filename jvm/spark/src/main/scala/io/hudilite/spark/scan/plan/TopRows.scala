package io.hudilite.spark.scan.plan

import io.hudilite.spark.basefile.read.ScanFilter

import org.apache.spark.sql.connector.expressions.{NamedReference, NullOrdering, SortDirection, SortOrder}

/** The first rows of a query that sorts and limits them.
  *
  * @param column
  *   by whose values rows are sorted before any other
  * @param rows
  *   how many are wanted
  * @param conditions
  *   all that rows have to pass before they are sorted, each to the letter
  */
private[spark] final case class TopRows(
    column: Seq[String], ascending: Boolean, nullsFirst: Boolean, rows: Int, conditions: Seq[ScanFilter] = Nil) {

  def describe: String = {
    val usual = ascending == nullsFirst
    val nulls = if (usual) "" else if (nullsFirst) " NULLS FIRST" else " NULLS LAST"
    s"first $rows by ${column.mkString(".")}${if (ascending) "" else " DESC"}$nulls"
  }
}

private[spark] object TopRows {

  /** The first rows by these orders, the first of which decides which rows may be among them. */
  def of(orders: Seq[SortOrder], rows: Int): Option[TopRows] = orders.headOption.map(o => o -> o.expression).collect {
    case (order, column: NamedReference) => TopRows(column.fieldNames.toSeq, order.direction == SortDirection.ASCENDING,
        order.nullOrdering == NullOrdering.NULLS_FIRST, rows)
  }
}
