package io.hudilite.spark.catalog

import io.hudilite.config.{TableConfig, TableKeys}
import io.hudilite.filegroup.PathSelection
import io.hudilite.record.{KeyEncoding, PartitionPaths}
import io.hudilite.spark.basefile.read.TimeSpelling
import io.hudilite.spark.row.{FieldText, PathText}
import io.hudilite.spark.shim.Sessions
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/** The values of partition columns as the folders of a table spell them.
  *
  * @param schema
  *   the partition columns, in the order of the folders
  */
private[catalog] final case class PartitionValues(session: SparkSession, table: Table, schema: StructType) {

  import table.{basePath, config}

  // Asked only where a column is a time, since it takes a look at rows.
  private lazy val timesAsNumbers: Boolean = TimeSpelling.areNumbers(config, schema, schema.fieldNames.toSeq,
    Some(table), asTexts = false, Sessions.hadoopConf(session))

  /** The values behind the path of a partition; raises `InvalidInput` where they cannot be told. */
  def rowOf(path: String): InternalRow = {
    val levels = if (schema.size == 1) Seq(path) else path.split("/", -1).toSeq
    if (levels.size != schema.size) throw UnsupportedStatement.Partitions(schema.fieldNames.last).of(basePath)
    InternalRow.fromSeq(schema.zip(levels).map { case (field, level) => value(field, text(field, level)) })
  }

  private def text(field: StructField, level: String): String = {
    val plain = if (config.hiveStyle) level.stripPrefix(s"${field.name}=") else level
    if (config.urlEncode) KeyEncoding.unescape(plain) else plain
  }

  private def value(field: StructField, text: String): Any =
    if (text == KeyEncoding.DefaultPartition) null
    else PathText.read(text, field.dataType).filter(_ => !FieldText.hasTwoSpellings(field.dataType) || timesAsNumbers)
      .getOrElse(throw UnsupportedStatement.Partitions(field.name).of(basePath))
}

private[catalog] object PartitionValues {

  /** Columns that no folder tells make the table one without partitions for statements. */
  def of(session: SparkSession, table: Table, schema: StructType): PartitionValues = {
    val fields = table.config.partitionFields.flatMap(name => schema.find(_.name == name))
    val told = fields.size == table.config.partitionFields.size && isPlain(table.config)
    PartitionValues(session, table, StructType(if (told) fields else Nil))
  }

  // A value that is formatted for its folder, as times are, is not read back.
  private def isPlain(config: TableConfig): Boolean =
    config.knownKeyGenerator.isDefined && PartitionPaths.of(config).fields.forall(!_.timed) &&
      !config.properties.get(TableKeys.SlashSeparatedDates).exists(_.equalsIgnoreCase("true"))

  /** Paths of the partitions with rows, of which others than those selected are not listed. */
  def present(table: Table, selection: PathSelection): Seq[String] =
    table.files.find(selection).collect { case (path, slices) if slices.nonEmpty => path }.toSeq.sorted
}
