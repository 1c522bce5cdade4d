package io.hudilite.spark.service.doctor

import io.hudilite.config.{QueryType, ReadOptions}
import io.hudilite.error.UnsupportedTable
import io.hudilite.record.MetaFields
import io.hudilite.service.doctor.{Finding, FindingKind}
import io.hudilite.table.Table

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.functions.{col, count, lit, min, sum}

/** Faults of the keys of a table as a query sees them. All of them are read and brought together by Spark, which
  * spills what does not fit into memory; the driver gets a row for each partition with a finding.
  */
private[spark] object KeyFindings {

  def of(session: SparkSession, table: Table): Seq[Finding] = {
    if (!table.config.populateMetaFields) throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE",
      "path" -> table.basePath, "feature" -> "rows without meta columns",
      "reason" -> "its rows have no stored record keys to look at")
    repeated(session, table.basePath)
  }

  private def repeated(session: SparkSession, basePath: String): Seq[Finding] = {
    val (key, partition) = (col(MetaFields.RecordKey), col(MetaFields.PartitionPath))
    val several = session.read.format("hudilite").option(ReadOptions.MetaColumns.name, "true")
      .option(ReadOptions.QueryType.name, QueryType.Snapshot.name).load(basePath)
      .groupBy(partition, key).agg(count(lit(1)).as("rows")).where(col("rows") > 1)
    several.groupBy(partition).agg(count(lit(1)), sum("rows"), min(key)).orderBy(partition).collect().toSeq.map(told)
  }

  private def told(found: Row): Finding = {
    val (keys, rows) = (found.getLong(1), found.getLong(2))
    val (have, such) = if (keys == 1) ("1 key has", "") else (s"$keys keys have", "such as ")
    Finding(FindingKind.RepeatedKeys, found.getString(0),
      s"In the partition '${found.getString(0)}' $have $rows rows: $such${found.getString(3)}. An upsert or delete of such a " +
        "key changes all of its rows.",
      "Inserts look no keys up and may have been meant so. Else read the rows of these keys, delete the keys, and upsert " +
        "the rows that are to stay.")
  }
}
