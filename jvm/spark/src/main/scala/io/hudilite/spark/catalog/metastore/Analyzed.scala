package io.hudilite.spark.catalog.metastore

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.catalog.CatalogStatistics

/** Mark of the state of a table that the catalog's statistics belong to. Statistics of the catalog name no state, and
  * other engines and `ANALYZE TABLES` may replace those of hudilite.
  */
private[metastore] object Analyzed {

  /** Property of the table's entry that holds the mark. */
  val Property = "hudilite.analyzed"

  /** Text that tells these statistics of this state from all others. */
  def mark(state: String, found: CatalogStatistics): String = {
    val columns = found.colStats.toSeq.sortBy(_._1).flatMap { case (name, of) => of.toMap(name).toSeq.sorted }
    val text = (Seq(state, found.sizeInBytes, found.rowCount) ++ columns).mkString("\n")
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)).map(byte => f"$byte%02x").mkString
  }
}
