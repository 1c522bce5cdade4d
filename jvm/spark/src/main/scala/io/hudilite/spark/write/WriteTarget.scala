package io.hudilite.spark.write

import io.hudilite.config._
import io.hudilite.error.InvalidInput
import io.hudilite.index.{BucketIndex, Index, KeyIndex}
import io.hudilite.record.PartitionPaths
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read.{KeySpelling, TimeSpelling}
import io.hudilite.spark.logfile.encode.LogSettings
import io.hudilite.spark.row.{
  ColumnsRule,
  KeyExpressions,
  KeySettings,
  Nullability,
  PathField,
  SchemaAlignment,
  SchemaConversion
}
import io.hudilite.spark.shim.Sessions
import io.hudilite.storage.{NameLimit, Storage}
import io.hudilite.table.{Buckets, Table, TableAccess, TableSupport}
import io.hudilite.transaction.MetadataTablePolicy

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

/** What a write is aimed at: a table that exists, or the one that this write creates.
  *
  * @param existing
  *   the table as the write found it
  * @param config
  *   the table's facts, from its properties or, for a new table, from the options
  * @param schema
  *   columns of the table after this write
  * @param evolved
  *   names of the columns in the table's files, where some have changed
  * @param found
  *   the table as the statement found it, where the write has waited since
  */
final case class WriteTarget(
    basePath: String,
    storage: Storage,
    existing: Option[Table],
    config: TableConfig,
    conf: WriteConf,
    schema: StructType,
    evolved: Option[EvolvedColumns] = None,
    found: Option[Table] = None) {

  lazy val keys: KeyExpressions = KeyExpressions(keySettings)

  /** How the file group of a key is found. */
  lazy val index: KeyIndex = Index.of(config, conf.index)

  /** Where keys belong with a bucket index. */
  def buckets: Option[BucketIndex] = index.buckets

  /** How keys and partition paths are spelled; asks the table where releases of Hudi differ. */
  lazy val keySettings: KeySettings = {
    def hadoop = Sessions.hadoopConf(SparkSession.active)
    val partitions = partitionFields
    KeySettings(
      recordKeyFields = config.recordKeyFields,
      prefixed = KeySpelling.isPrefixed(config, existing, hadoop),
      partitionFields = partitions,
      hiveStyle = config.hiveStyle,
      urlEncode = config.urlEncode,
      timesAsNumbers = TimeSpelling.areNumbers(config, schema, partitions.filter(_.format.isEmpty).map(_.name),
        existing, conf.timesAsTexts, hadoop),
      mostNameBytes = if (partitions.isEmpty) None else NameLimit.of(basePath, hadoop))
  }

  private def partitionFields: Seq[PathField] = {
    val paths = PartitionPaths.of(config, conf.options)
    paths.fields.map(field => PathField(field.name, paths.times.filter(_ => field.timed)))
  }

  /** Changes of existing rows are appended to log files. */
  def isMergeOnRead: Boolean = config.tableType == TableType.MergeOnRead

  /** Log blocks name the rows of the base file that their records replace; older readers fail on such blocks. */
  def recordsPositions: Boolean =
    isMergeOnRead && config.version >= LogSettings.FirstVersionByInstant && conf.logs.positions

  /** The table's Avro schema without meta columns. */
  def schemaJson: String = SchemaConversion.toAvro(schema, config.name, withMeta = false)

  /** The same for a table that is created now: its schema is declared, so that it can be read before its first commit. */
  def withSchemaDeclared: WriteTarget =
    copy(config = TableConfig(config.properties + (TableKeys.CreateSchema -> schemaJson)))
}

object WriteTarget {

  /** The target of a write of rows with this schema; raises `InvalidInput` when they do not fit. */
  def of(basePath: String, storage: Storage, existing: Option[Table], asked: WriteConf, rows: StructType,
      needed: NeededColumns): WriteTarget = {
    SchemaAlignment.checkAlike(rows)
    val target = existing match {
      case Some(table) =>
        val support = TableSupport.of(table, TableAccess.Write)
        val present = support.schema.fold(newSchema(rows))(s => SchemaConversion.toSpark(s.avroJson))
        val named = spelt(asked, present)
        val conf = named.copy(index = Buckets(table).asked(named.index))
        TableRequest.checkAgainst(table.config, conf.options)
        MetadataTablePolicy.refuse(storage, basePath, table.config, MetadataTablePolicy.policy(conf.commit.metadata))
        Buckets(table).check(Index.of(table.config, conf.index))
        val schema = SchemaAlignment.evolved(present, rows, needed(table.config, conf.columns))
        SchemaAlignment.requireKeyTypes(present, schema, table.config)
        if (!conf.columns.grow) refuseChanges(SchemaAlignment.changes(present, schema))
        SchemaAlignment.requireDeleteColumn(schema, table.config, basePath)
        val target = WriteTarget(basePath, storage, existing, table.config, conf, schema, support.columns)
        support.checkGrowth(target.schemaJson)
        target
      case None =>
        val schema = newSchema(rows)
        val conf = spelt(asked, schema)
        val config = TableConfig.create(TableRequest.newTable(conf.options, basePath.stripSuffix("/").split('/').last))
        TableSupport.checkWritable(config, basePath)
        SchemaConversion.toAvro(schema, config.name, withMeta = false) // a name that has no place in it is not missing
        SchemaAlignment.requireColumns(schema, config)
        SchemaAlignment.requireDeleteColumn(schema, config, basePath)
        Index.of(config, conf.index)
        WriteTarget(basePath, storage, None, config, conf, schema)
    }
    // What has no place in the recorded schema, or in names, is refused before rows are looked at.
    target.schemaJson
    SchemaAlignment.requireTexts(target.schema, target.config)
    target
  }

  /** The target of a compaction or clustering planned at an instant, whose rows are the table's own. */
  def compacting(table: Table, instant: String, conf: WriteConf): WriteTarget = {
    val support = TableSupport.of(table, TableAccess.Service(instant))
    val schema = support.schema.map(s => SchemaConversion.columns(s.avroJson)).getOrElse(new StructType())
    WriteTarget(table.basePath, table.storage, Some(table), table.config, conf, schema, support.columns)
  }

  /** The options with the names of columns as they are spelled, which hold for every reader and writer of the files. */
  private def spelt(asked: WriteConf, columns: StructType): WriteConf = {
    val options = TableRequest.spelt(asked.options, SchemaAlignment.spelling(columns))
    if (options == asked.options) asked else WriteConf.of(options)
  }

  private def refuseChanges(changes: Seq[String]): Unit =
    if (changes.nonEmpty) throw InvalidInput("INVALID_OPTION_VALUE", "option" -> WriteOptions.MergeSchema.name,
      "value" -> "false", "reason" -> s"the rows would change the table's columns: ${changes.mkString(", ")}")

  private def newSchema(rows: StructType): StructType = Nullability.relaxed(SchemaAlignment.withoutMeta(rows))
}

/** Which columns a write must bring for a table: all of them, or only what names a row. */
sealed trait NeededColumns { def apply(config: TableConfig, asked: ColumnsConf): ColumnsRule }

object NeededColumns {
  case object All extends NeededColumns {
    override def apply(config: TableConfig, asked: ColumnsConf): ColumnsRule = {
      val told = (config.recordKeyFields ++ config.partitionFields ++ config.orderingFields).map(_.takeWhile(_ != '.'))
      ColumnsRule(if (asked.fillNull) Some(told.toSet) else None, takesNew = true, asked.fillNull)
    }
  }

  /** Other columns of the rows are of no interest. */
  case object KeysOnly extends NeededColumns {
    override def apply(config: TableConfig, asked: ColumnsConf): ColumnsRule =
      ColumnsRule(Some((config.recordKeyFields ++ config.partitionFields).toSet), takesNew = false, fillNull = false)
  }
}
