package io.hudilite.spark.basefile.read

import io.hudilite.config.{TableConfig, WriteOptions}
import io.hudilite.error.{InvalidInput, UnsupportedTable}
import io.hudilite.record.KeyEncoding
import io.hudilite.spark.row.{FieldText, FieldTypes}
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit
import org.apache.spark.sql.types.StructType

/** Spelling of timestamps in the record keys and partition paths of a table, which no property states. Apache Hudi's
  * upserts write microseconds since 1970 unless they are told otherwise, and its row writer texts. The first key or
  * path with such a value decides; a table without one gets the spelling that the write asks for.
  */
private[spark] object TimeSpelling {

  /** True when timestamps are spelled as numbers.
    *
    * @param columns
    *   columns of the table
    * @param partitionFields
    *   fields whose values paths spell as keys do
    * @param asTexts
    *   true when the write asks for texts
    */
  def areNumbers(config: TableConfig, columns: StructType, partitionFields: Seq[String], existing: Option[Table],
      asTexts: Boolean, conf: => Configuration): Boolean = {
    def isTime(field: String): Boolean =
      FieldTypes.at(columns, field.split('.').toList).exists(FieldText.hasTwoSpellings)
    val (inKeys, inPaths) = (config.recordKeyFields.filter(isTime), partitionFields.filter(isTime))
    (inKeys.nonEmpty || inPaths.nonEmpty) && {
      val stored = if (config.populateMetaFields) inKeys else Nil
      val told = existing.flatMap(new TableTimes(_, config, stored, inPaths, conf).areNumbers)
      if (asTexts && told.contains(true)) throw InvalidInput("OPTION_CONTRADICTS_TABLE",
        "option" -> WriteOptions.TimesAsTexts.name, "value" -> "true", "actual" -> "false")
      told.getOrElse(!asTexts)
    }
  }
}

/** Times in keys and paths of one table. */
private final class TableTimes(table: Table, config: TableConfig, inKeys: Seq[String], inPaths: Seq[String],
    conf: => Configuration) {

  /** True when they are numbers; `None` for a table that has no such time. */
  def areNumbers: Option[Boolean] = table.files.iterator().flatMap { case (partition, slices) =>
    val ofFiles = slices.iterator.flatMap(_.base).flatMap { file =>
      FirstRows.of(table, file, inKeys ++ inPaths, TableTimes.RowsLookedAt, conf).flatMap { row =>
        inPaths.flatMap(f => levelText(partition, f).map(isNumber(f, _, row.time(f)))) ++
          inKeys.flatMap(f => keyText(row.key, f).map(isNumber(f, _, row.time(f))))
      }
    }
    // Log files have no rows that are easy to look at.
    ofFiles ++ (if (slices.isEmpty) Nil else inPaths.flatMap(f => levelText(partition, f).map(isNumber(f, _, None))))
  }.take(1).toSeq.headOption

  private def isNumber(field: String, text: String, time: Option[(Long, TimeUnit)]): Boolean = {
    val number = text.matches("-?\\d+")
    // Times before 1970 are not compared, since dates before 1900 may be written in another calendar.
    if (number) time.filter(_._1 >= 0).foreach { case (value, unit) =>
      val same = if (unit == TimeUnit.MILLIS) text.length < 19 && Math.floorDiv(text.toLong, 1000L) == value
      else text == value.toString
      if (!same) throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> s"'$text' for a time of the column $field",
        "reason" ->
          "it is not the number of microseconds since 1970, so that new rows would get other keys or partitions",
        "way" -> UnsupportedTable.NewTable)
    }
    number
  }

  private def keyText(key: String, field: String): Option[String] = {
    val values =
      if (config.recordKeyFields.size > 1) KeyEncoding.keyValues(key, Seq(field)) else Seq(key.stripPrefix(s"$field:"))
    values.find(value => value != null && value.nonEmpty)
  }

  private def levelText(partition: String, field: String): Option[String] = {
    val levels = if (config.partitionFields.size == 1) Array(partition) else partition.split("/", -1)
    if (levels.length != config.partitionFields.size) None
    else Some(levels(config.partitionFields.indexOf(field)))
      .map(level => if (config.hiveStyle) level.stripPrefix(s"$field=") else level)
      .filter(_ != KeyEncoding.DefaultPartition)
  }
}

private object TableTimes {

  /** Several rows are looked at, since one key field among several may be null. */
  val RowsLookedAt = 100
}
