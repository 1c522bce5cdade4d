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

/** Values of partition columns from the folders of a table.
  *
  * @param schema
  *   partition columns, in the order of the folders
  */
private[catalog] final case class PartitionValues(session: SparkSession, table: Table, schema: StructType) {

  import table.{basePath, config}

  // Lazy, since it needs a look at rows, and only columns of times need it.
  private lazy val timesAsNumbers: Boolean = TimeSpelling.areNumbers(config, schema, schema.fieldNames.toSeq,
    Some(table), asTexts = false, Sessions.hadoopConf(session))

  /** Values of a partition by its path. Raises `InvalidInput` where the path does not tell them. */
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

  /** Partition columns for statements. There are none where folders do not tell the values of some column. */
  def of(session: SparkSession, table: Table, schema: StructType): PartitionValues = {
    val fields = table.config.partitionFields.flatMap(name => schema.find(_.name == name))
    val told = fields.size == table.config.partitionFields.size && isPlain(table.config)
    PartitionValues(session, table, StructType(if (told) fields else Nil))
  }

  // False where values are formatted for their folders, as times are, and cannot be read back.
  private def isPlain(config: TableConfig): Boolean =
    config.knownKeyGenerator.isDefined && PartitionPaths.of(config).fields.forall(!_.timed) &&
      !config.properties.get(TableKeys.SlashSeparatedDates).exists(_.equalsIgnoreCase("true"))

  /** Paths of the selected partitions that have rows. Only selected ones are listed. */
  def present(table: Table, selection: PathSelection): Seq[String] =
    table.files.find(selection).collect { case (path, slices) if slices.nonEmpty => path }.toSeq.sorted
}
