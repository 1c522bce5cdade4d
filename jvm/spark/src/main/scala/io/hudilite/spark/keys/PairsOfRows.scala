package io.hudilite.spark.keys

import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.FileSlice
import io.hudilite.metadata.{SecondaryIndex, SecondaryKey, StatType}
import io.hudilite.record.MetaFields
import io.hudilite.spark.scan.plan.{Query, SliceRows, TableState}
import io.hudilite.table.Table
import io.hudilite.upkeep.MergedPairs

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{
  DataType,
  DateType,
  IntegerType,
  LongType,
  StringType,
  StructField,
  StructType,
  TimestampType
}

/** Pairs of the values of a column and the record keys of the rows that a reader sees. */
private[keys] final case class PairsOfRows(rows: SliceRows, column: DataType) extends MergedPairs {

  override def of(slice: FileSlice): Iterator[SecondaryKey] = rows.of(slice).map(pair)

  // Days and microseconds since the epoch are Spark's internal form, too.
  private def pair(row: InternalRow): SecondaryKey =
    SecondaryKey(if (row.isNullAt(1)) None else Some(row.get(1, column).toString), row.getUTF8String(0).toString)
}

private[keys] object PairsOfRows {

  // All types whose values an index has.
  private val Types: Map[Int, DataType] = Map(StatType.Text -> StringType, StatType.Int -> IntegerType,
    StatType.Long -> LongType, StatType.Date -> DateType, StatType.TimestampMicros -> TimestampType)

  def of(session: SparkSession, table: Table, index: SecondaryIndex, latest: String): PairsOfRows = {
    val state = new TableState(table, Query.Planned(latest, Nil))
    def refused(reason: String): UnsupportedTable = UnsupportedTable("UNSUPPORTED_TABLE_FEATURE",
      "path" -> table.basePath, "feature" -> index.partition.name, "reason" -> reason)
    val of = state.known.fields.find(_.name == index.column).getOrElse(
      throw refused(s"the table has no column ${index.column}"))
    // A write that is not complete yet may have widened the column.
    val column = index.kind.flatMap(Types.get).getOrElse(throw refused(s"it has no values of the type of ${of.name}"))
    val columns = StructType(Seq(StructField(MetaFields.RecordKey, StringType), of.copy(dataType = column)))
    PairsOfRows(SliceRows(session, table, columns, latest), column)
  }
}
