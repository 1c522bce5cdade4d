package io.hudilite.spark.scan.plan

import io.hudilite.index.BucketIndex

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{Expression, Expressions}

/** How the rows of a scan are dealt to its tasks, in the words in which Spark compares it with other scans: by partition
  * columns, if by any, and by the bucket of one column. Joins and aggregations by these columns then need no exchange.
  */
private[scan] final case class BucketGrouping(index: BucketIndex, column: BucketColumn, partitionColumns: Seq[String]) {

  /** Functions of `BucketFunctions`. Tables whose keys can hash a value otherwise have other functions. */
  def keys: Array[Expression] = (partitionColumns.map(Expressions.identity(_): Expression) :+ bucket).toArray

  private def bucket: Expression = column.layout match {
    case None => Expressions.bucket(index.count, quoteIdentifier(column.name))
    case Some(layout) =>
      Expressions.apply(s"bucket_${index.count}($layout)", Expressions.column(quoteIdentifier(column.name)))
  }

  /** @param folder
    *   values of the partition columns
    */
  def key(folder: Map[String, Any], bucket: Int): InternalRow =
    InternalRow.fromSeq(partitionColumns.map(folder) :+ bucket)
}
