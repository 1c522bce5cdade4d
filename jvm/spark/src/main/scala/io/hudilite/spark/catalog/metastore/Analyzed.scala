package io.hudilite.spark.catalog.metastore

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.catalog.CatalogStatistics

/** Which state of a table the statistics are of that the catalog keeps: they know no states, and other engines and
  * `ANALYZE TABLES` may put their own in the place of ours.
  */
private[metastore] object Analyzed {

  /** A property of the table's entry. */
  val Property = "hudilite.analyzed"

  /** Tells these statistics of this state from all others. */
  def mark(state: String, found: CatalogStatistics): String = {
    val columns = found.colStats.toSeq.sortBy(_._1).flatMap { case (name, of) => of.toMap(name).toSeq.sorted }
    val text = (Seq(state, found.sizeInBytes, found.rowCount) ++ columns).mkString("\n")
    MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)).map(byte => f"$byte%02x").mkString
  }
}
