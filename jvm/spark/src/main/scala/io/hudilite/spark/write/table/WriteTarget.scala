package io.hudilite.spark.write.table

import io.hudilite.config.{
  ColumnsConf,
  IndexConf,
  MergeMode,
  Payload,
  TableConfig,
  TableKeys,
  TableRequest,
  WriteConf,
  WriteOptions
}
import io.hudilite.error.InvalidInput
import io.hudilite.index.{BucketIndex, Index, KeyIndex}
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.bucket.SampledKeys
import io.hudilite.spark.logfile.encode.LogSettings
import io.hudilite.spark.row.{ColumnsRule, KeyExpressions, Nullability, SchemaAlignment, SchemaConversion}
import io.hudilite.spark.shim.Sessions
import io.hudilite.storage.Storage
import io.hudilite.table.{Buckets, LookupShards, RecordIndexChoice, Table, TableAccess, TableSupport}
import io.hudilite.timeline.FactsTeller
import io.hudilite.transaction.{MetadataTablePolicy, MetadataUpkeep}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

/** The aim of a write: a table that exists, or the one that this write creates.
  *
  * @param existing
  *   the table as the write found it
  * @param shape
  *   the table as it is after this write
  * @param found
  *   the table as the statement found it, where the write has waited since
  * @param redefines
  *   true when the write gives the table other facts, which takes all of its rows out
  */
final case class WriteTarget(
    basePath: String,
    storage: Storage,
    existing: Option[Table],
    conf: WriteConf,
    shape: TableShape,
    found: Option[Table] = None,
    redefines: Boolean = false) {

  def config: TableConfig = shape.config
  def schema: StructType = shape.schema
  def keys: KeyExpressions = shape.keys
  def index: KeyIndex = shape.index
  def buckets: Option[BucketIndex] = shape.buckets
  def isMergeOnRead: Boolean = shape.isMergeOnRead

  /** Rows may go to other partitions. A key that is not stored cannot be looked for where its row arrives. */
  def mayMoveRows: Boolean = !index.keepsPlaces && config.populateMetaFields

  /** Changes would be records of log files without keys. */
  def logsLackKeys: Boolean = isMergeOnRead && !config.populateMetaFields

  /** The record index of the table, where the keys of the write are looked up in it. A new row whose key a base file still
    * holds under a delete goes to the log of that file group, which files alone tell.
    */
  def keyShards(inserts: Boolean): Option[LookupShards] = shards.filterNot(inserts && _.hidesKeys)

  private lazy val shards: Option[LookupShards] = choice.flatMap(_.toLookUp(conf))

  /** The table as reads by key ask its record index, where the write may go by that. */
  def keyed: Option[Table] = choice.flatMap(_.keyed(conf))

  private def choice: Option[RecordIndexChoice] =
    existing.filter(_ => WriteTarget.keepsMetadata(conf)).map(new RecordIndexChoice(_))

  /** New rows get keys from their writers; until then a stand-in, `KeyToCome`, is in the place of the key. */
  def generatesKeys: Boolean = config.generatesKeys

  /** Log blocks name the rows of the base file that their records replace; older readers fail on such blocks. */
  def recordsPositions: Boolean =
    isMergeOnRead && config.version >= LogSettings.FirstVersionByInstant && conf.logs.positions

  /** Updates of a statement may have only some columns in logs (docs/format.md#blocks-of-some-columns). */
  def writesPartial: Boolean = isMergeOnRead && conf.logs.partial &&
    config.partialUpdates.isEmpty && (config.version >= Payload.FirstVersionByProperties || takenByOlder)

  // Apache Hudi 1.0, which version 8 is for, merges such records by ordering values alone.
  private def takenByOlder: Boolean = config.version >= LogSettings.FirstVersionByInstant && config.payload.isEmpty &&
    config.mergeMode == MergeMode.EventTime && config.orderingFields.nonEmpty

  /** Tells of the files of the write, once that has begun, what the metadata table is to say. */
  def teller: Option[FactsTeller] = {
    val asks = conf.commit.indexes.asked.nonEmpty
    if (!asks && config.metadataPartitions.isEmpty) None
    else MetadataUpkeep.teller(existing.orElse(Table.find(storage, basePath)), asks, shape.schemaJson)
  }

  /** The tasks of the write, once that has begun, tell which record keys come and leave. */
  def tellsKeys: Boolean = {
    val asks = conf.commit.indexes.asked.nonEmpty
    (asks || existing.isDefined) && MetadataUpkeep.wantsKeys(existing.orElse(Table.find(storage, basePath)), asks)
  }

  /** The properties of a table that is created now: its schema is declared, so that it can be read before its first commit. */
  def declared: TableConfig = TableConfig(config.properties + (TableKeys.CreateSchema -> shape.schemaJson))
}

object WriteTarget {

  /** The target of a write of rows with this schema; raises `InvalidInput` when they do not fit.
    *
    * @param hadoop
    *   to ask the table's files with, where they have to be
    * @param whole
    *   true when the table gives way to the rows with all its columns and facts
    */
  def of(basePath: String, storage: Storage, existing: Option[Table], asked: WriteConf, rows: StructType,
      needed: NeededColumns, hadoop: () => Configuration, whole: Boolean = false): WriteTarget = {
    SchemaAlignment.checkAlike(rows)
    def shape(config: TableConfig, conf: WriteConf, schema: StructType, evolved: Option[EvolvedColumns]): TableShape =
      TableShape.of(basePath, existing, config, conf, schema, evolved, hadoop)
    val target = existing match {
      case Some(table) =>
        val support = TableSupport.of(table, TableAccess.Write)
        val present = support.schema.fold(newSchema(rows))(s => SchemaConversion.toSpark(s.avroJson))
        val named = spelt(asked, present)
        MetadataTablePolicy.refuse(table, table.config, MetadataTablePolicy.policy(named.commit.metadata))
        val replacement =
          if (whole) TableReplacement.of(table, support, present, newSchema(rows), spelt(asked, _), hadoop) else None
        replacement.getOrElse {
          TableRequest.checkAgainst(table.config, named.options)
          val conf = named.copy(index = indexOf(table, named, hadoop))
          val taken = SchemaAlignment.asTexts(rows, present, table.config.droppedColumns)
          val schema = SchemaAlignment.evolved(present, taken, needed(table.config, conf.columns))
          SchemaAlignment.requireKeyTypes(present, schema, table.config)
          if (!conf.columns.grow) refuseChanges(SchemaAlignment.changes(present, schema))
          SchemaAlignment.requireDeleteColumn(schema, table.config, basePath)
          val target =
            WriteTarget(basePath, storage, existing, conf, shape(table.config, conf, schema, support.columns))
          support.checkGrowth(target.shape.schemaJson)
          target
        }
      case None =>
        val schema = newSchema(rows)
        val conf = spelt(asked, schema)
        val config = TableConfig.create(TableRequest.newTable(conf.options, basePath.stripSuffix("/").split('/').last))
        TableSupport.checkWritable(config, basePath)
        SchemaConversion.toAvro(schema, config.name, withMeta = false) // a name that has no place in it is not missing
        SchemaAlignment.requireColumns(schema, config)
        SchemaAlignment.requireDeleteColumn(schema, config, basePath)
        RecordIndexChoice.ofNew(basePath, config, conf)
        WriteTarget(basePath, storage, None, conf, shape(config, conf, schema, None))
    }
    // Columns without a place in the recorded schema, or in names, are refused before rows are looked at.
    target.shape.schemaJson
    SchemaAlignment.requireTexts(target.schema, target.config)
    target
  }

  private[table] def indexOf(table: Table, asked: WriteConf, hadoop: () => Configuration): IndexConf = {
    val buckets = Buckets(table)
    val ofFiles = buckets.asked(asked.index, new SampledKeys(table, hadoop))
    val conf = if (keepsMetadata(asked)) new RecordIndexChoice(table).asked(asked.copy(index = ofFiles)) else ofFiles
    buckets.check(Index.of(table.config, conf))
    conf
  }

  // Without it there is no record index either.
  private def keepsMetadata(asked: WriteConf): Boolean = asked.commit.keepsMetadata.getOrElse(true)

  /** The target of a compaction or clustering planned at an instant, whose rows are the table's own. */
  def compacting(table: Table, instant: String, conf: WriteConf, session: SparkSession): WriteTarget = {
    val support = TableSupport.of(table, TableAccess.Service(instant))
    val schema = support.schema.map(s => SchemaConversion.columns(s.avroJson)).getOrElse(new StructType())
    val shape = TableShape.of(table.basePath, Some(table), table.config, conf, schema, support.columns,
      () => Sessions.hadoopConf(session))
    WriteTarget(table.basePath, table.storage, Some(table), conf, shape)
  }

  /** The options with the names of columns as they are spelled, which hold for every reader and writer of the files. */
  private def spelt(asked: WriteConf, columns: StructType): WriteConf = {
    val options = TableRequest.spelt(asked.options, SchemaAlignment.spelling(columns))
    if (options == asked.options) asked else WriteConf.of(options).copy(overwrite = asked.overwrite)
  }

  private def refuseChanges(changes: Seq[String]): Unit =
    if (changes.nonEmpty) throw InvalidInput("INVALID_OPTION_VALUE", "option" -> WriteOptions.MergeSchema.name,
      "value" -> "false", "reason" -> s"the rows would change the table's columns: ${changes.mkString(", ")}")

  private def newSchema(rows: StructType): StructType = Nullability.relaxed(SchemaAlignment.withoutMeta(rows))
}

/** The columns that a write must bring for a table: all of them, or only those that name a row. */
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
