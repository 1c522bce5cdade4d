package io.hudilite.spark.keys

import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.{SecondaryIndex, SecondaryKey}
import io.hudilite.record.MetaFields
import io.hudilite.spark.scan.plan.{Query, SliceRows, TableState}
import io.hudilite.table.Table
import io.hudilite.upkeep.MergedPairs

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StringType, StructField, StructType}

/** Pairs of the values of a column and the record keys of the rows that a reader sees. */
private[keys] final case class PairsOfRows(rows: SliceRows, column: DataType) extends MergedPairs {

  override def of(slice: FileSlice): Iterator[SecondaryKey] = rows.of(slice).map(pair)

  // Days and microseconds since the epoch are Spark's internal form, too.
  private def pair(row: InternalRow): SecondaryKey =
    SecondaryKey(if (row.isNullAt(1)) None else Some(row.get(1, column).toString), row.getUTF8String(0).toString)
}

private[keys] object PairsOfRows {
  def of(session: SparkSession, table: Table, index: SecondaryIndex, latest: String): PairsOfRows = {
    val state = new TableState(table, Query.Planned(latest, Nil))
    val of = state.known.fields.find(_.name == index.column).getOrElse(throw UnsupportedTable(
        "UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath, "feature" -> index.partition.name,
        "reason" -> s"the table has no column ${index.column}"))
    val columns = StructType(Seq(StructField(MetaFields.RecordKey, StringType), of))
    PairsOfRows(SliceRows(session, table, columns, latest), of.dataType)
  }
}
