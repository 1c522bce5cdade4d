package io.hudilite.spark.catalog

import org.slf4j.LoggerFactory

/** The order of columns in tables that statements create: partition columns come last, as in Apache Hudi's tables and in
  * those of Spark's own formats, so that an INSERT of values by their places means the same in all of them.
  */
private[catalog] object ColumnOrder {

  private val log = LoggerFactory.getLogger("io.hudilite.spark.catalog.ColumnOrder")

  /** Says which order a new table gets, where its statement has another one. */
  def tell(table: String, written: Seq[String], ordered: Seq[String]): Unit = if (written != ordered) log.warn(text(
      table,
      ordered))

  private[catalog] def text(table: String, ordered: Seq[String]): String =
    s"The new table $table has its partition columns last: ${ordered.mkString(", ")}. Values without names of columns " +
      "are taken in this order."
}
