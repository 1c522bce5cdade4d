package org.apache.spark.sql.hudilite

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.write.{RowLevelOperation, RowLevelOperationTable}

/** Access to the table that Spark puts into a row-level command. Its class is private to Spark's packages. */
object RowLevelTables {

  def operation(table: Table): Option[RowLevelOperation] = table match {
    case t: RowLevelOperationTable => Some(t.operation)
    case _ => None
  }

  /** The table with another operation. */
  def withOperation(table: Table, operation: RowLevelOperation): Table = table match {
    case t: RowLevelOperationTable => RowLevelOperationTable(t.table, operation)
    case other => throw new IllegalStateException(s"${other.name} is not the table of a row-level command")
  }
}
