package io.hudilite.spark.write.table

import io.hudilite.config.{TableConfig, TableType, WriteConf}
import io.hudilite.index.{BucketIndex, Index, KeyIndex}
import io.hudilite.record.PartitionPaths
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read.{KeySpelling, TimeSpelling}
import io.hudilite.spark.row.{KeyExpressions, KeySettings, PathField, SchemaConversion, StoredColumns}
import io.hudilite.storage.NameLimit
import io.hudilite.table.Table

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types.StructType

/** The facts of a table that the rows of a write are keyed and laid out by.
  *
  * @param config
  *   from its properties or, for a new table, from the options
  * @param schema
  *   columns of the table after the write
  * @param evolved
  *   names of the columns in the table's files, where some have changed
  * @param index
  *   how the file group of a key is found
  * @param existing
  *   the table, `None` = the write makes it
  * @param spelling
  *   of keys and partition paths in a snapshot; asks its files where releases of Hudi differ
  */
final class TableShape(val config: TableConfig, val schema: StructType, val evolved: Option[EvolvedColumns],
    val index: KeyIndex, existing: Option[Table], spelling: Option[Table] => KeySettings) {

  lazy val keySettings: KeySettings = spelling(existing)

  /** Rows that are keyed for this snapshot have the keys and paths of a later one, too. */
  def isSpelledAlike(now: Table): Boolean = spelling(Some(now)) == keySettings

  lazy val keys: KeyExpressions = KeyExpressions(keySettings)

  /** Where keys belong with a bucket index. */
  def buckets: Option[BucketIndex] = index.buckets

  /** Changes of existing rows are appended to log files. */
  def isMergeOnRead: Boolean = config.tableType == TableType.MergeOnRead

  /** The table's Avro schema without meta columns. */
  def schemaJson: String = SchemaConversion.toAvro(schema, config.name, withMeta = false)
}

object TableShape {

  /** @param existing
    *   the table, `None` = the write makes it
    * @param hadoop
    *   to ask its files and its file system with
    */
  def of(basePath: String, existing: Option[Table], config: TableConfig, conf: WriteConf, schema: StructType,
      evolved: Option[EvolvedColumns], hadoop: () => Configuration): TableShape = {
    val columns = StoredColumns.ordered(schema, config.droppedColumns)
    new TableShape(config, columns, evolved, Index.of(config, conf.index),
      existing, spelling(basePath, _, config, conf, columns, hadoop()))
  }

  private def spelling(basePath: String, existing: Option[Table], config: TableConfig, conf: WriteConf,
      schema: StructType, hadoop: => Configuration): KeySettings = {
    val paths = PartitionPaths.of(config, conf.options)
    val partitions = paths.fields.map(field => PathField(field.name, paths.times.filter(_ => field.timed)))
    KeySettings(
      recordKeyFields = config.recordKeyFields,
      prefixed = KeySpelling.isPrefixed(config, existing, hadoop),
      partitionFields = partitions,
      hiveStyle = config.hiveStyle,
      urlEncode = config.urlEncode,
      timesAsNumbers = TimeSpelling.areNumbers(config, schema, partitions.filter(_.format.isEmpty).map(_.name),
        existing, conf.timesAsTexts, hadoop),
      mostNameBytes = if (partitions.isEmpty) None else NameLimit.of(basePath, hadoop),
      onlyInPaths = config.dropsPartitionColumns)
  }
}
