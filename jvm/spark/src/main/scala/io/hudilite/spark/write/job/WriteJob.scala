package io.hudilite.spark.write.job

import io.hudilite.config.DeleteMarker
import io.hudilite.error.{CommitConflict, InvalidInput, Listed}
import io.hudilite.filegroup.{BaseFile, FileGroupId}
import io.hudilite.index.BucketIndex
import io.hudilite.merge.MergeRule
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.encode.{BaseFileLayout, BloomSettings, FileSettings}
import io.hudilite.spark.bucket.BucketKeys
import io.hudilite.spark.logfile.encode.LogSettings
import io.hudilite.spark.row.{
  ColumnGaps,
  KeyCheck,
  KeySettings,
  RowDeletes,
  SchemaConversion,
  SessionConf,
  SharedConf,
  StoredColumns
}
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.timeline.FactsTeller
import io.hudilite.transaction.rollback.{KeyTelling, WritePermit}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.hudilite.LastAttempts
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** Everything that a task needs to write the files of one instant.
  *
  * @param permit
  *   names the instant, and is gone when its write has ended
  * @param dataSchema
  *   the table's columns without meta columns, in file order; rows handed to the writers have this schema
  * @param avroSchema
  *   Avro JSON of these and the meta columns, for the footers
  * @param rule
  *   which of a change and the row in the table survives
  * @param orderingFields
  *   top-level columns that decide between two records of a key, most significant first, whether the rule compares them or
  *   not
  * @param logs
  *   how log files are written; `None` for a copy-on-write table
  * @param deleteMarker
  *   rows that delete their keys besides those with `_hoodie_is_deleted`
  * @param evolved
  *   names of the columns in the files that are there, where some have changed
  * @param clusterings
  *   file groups that a pending clustering is about to replace, with its instant
  * @param buckets
  *   where keys belong, with a bucket index
  * @param facts
  *   told of each file that is written
  * @param dropped
  *   columns that rows have behind those of `dataSchema`, and that only paths of partitions tell
  * @param telling
  *   told of each record key that comes to a file group or leaves one
  * @param metaFields
  *   the meta columns of rows have values
  */
final case class WriteJob(
    basePath: String,
    permit: WritePermit,
    dataSchema: StructType,
    avroSchema: String,
    keys: KeySettings,
    rule: MergeRule,
    orderingFields: Seq[String],
    files: FileSettings,
    bloom: BloomSettings,
    conf: SharedConf,
    logs: Option[LogSettings] = None,
    deleteMarker: Option[DeleteMarker] = None,
    evolved: Option[EvolvedColumns] = None,
    clusterings: Map[FileGroupId, String] = Map.empty,
    buckets: Option[BucketIndex] = None,
    facts: Option[FactsTeller] = None,
    dropped: Seq[StructField] = Nil,
    telling: Option[KeyTelling] = None,
    metaFields: Boolean = true) {

  def instant: String = permit.instant

  /** The job of a write whose updates have only these of the data columns in logs, by their ordinals.
    *
    * @param revives
    *   its lookup has found rows by their keys that log files may have deleted
    */
  private[write] def updating(columns: Option[Seq[Int]], revives: Boolean): WriteJob =
    copy(logs = logs.map(_.copy(updated = columns)), telling = telling.map(_.copy(revives = revives)))

  /** The job of base files without data columns. */
  private[spark] def skeletons(tableName: String): WriteJob = {
    val nothing = new StructType()
    copy(dataSchema = nothing, avroSchema = SchemaConversion.toAvro(nothing, tableName, withMeta = true), logs = None,
      buckets = None, facts = None, dropped = Nil, telling = None)
  }

  /** The table's columns, with which rows begin. */
  lazy val rowSchema: StructType = StructType(dataSchema.fields ++ dropped)

  /** Id of a new file group whose first row has this key: with a bucket index it is that of the bucket. */
  private[write] def fileId(plain: String, partition: String, key: UTF8String): String =
    buckets.fold(plain)(_.in(partition).newFileId(key.toString, plain))

  /** The look at the keys of a base file that is there, as they are read. */
  private[write] def keyCheck(file: BaseFile): KeyCheck = BucketKeys.of(buckets, file)

  /** Raises `CommitConflict` where what a write changes would not be in what a clustering is about to make of it. */
  def checkClusterings(group: FileGroupId): Unit = clusterings.get(group).foreach(clustering =>
    throw WriteJob.clusteringPending(basePath, group, clustering))

  /** Raises `CommitConflict` where a resize of hash rings, which knows nothing of the new file group, is pending. */
  private[write] def checkResizes(partition: String): Unit = if (buckets.exists(_.isConsistent))
    clusterings.find { case (group, _) => group.partition == partition }.foreach { case (group, clustering) =>
      throw WriteJob.clusteringPending(basePath, group, clustering)
    }

  lazy val layout: BaseFileLayout = BaseFileLayout(basePath, instant, dataSchema, avroSchema, files, conf, metaFields)

  /** Ordinals of the columns that the rule compares. */
  def comparedOrdinals: Array[Int] = if (rule.compares) orderingOrdinals else Array.empty

  /** Values of a change that leave their columns to the row in the table. */
  def gaps: Option[ColumnGaps] = ColumnGaps.of(dataSchema, rule.partial)

  private lazy val deletes = new RowDeletes(dataSchema, deleteMarker)

  /** True for a row that turns itself into a delete of its key. */
  def isDelete(row: InternalRow): Boolean = deletes(row)

  /** Raises `NULL_ORDERING_VALUE` for a row that Hudi could not read where it meets another one of its key in a log. One that
    * deletes its key needs no ordering value.
    */
  private[write] def checkOrdering(key: UTF8String, row: InternalRow): Unit = if (merges) {
    var i = 0 // hot path
    while (i < orderingOrdinals.length) {
      if (row.isNullAt(orderingOrdinals(i)) && !isDelete(row))
        throw WriteJob.unordered(basePath, orderingFields(i), key)
      i += 1
    }
  }

  /** Readers compare the rows with others. */
  private lazy val merges: Boolean = logs.isDefined && rule.compares

  /** Ordinals of the ordering columns. */
  lazy val orderingOrdinals: Array[Int] = orderingFields.map { field =>
    val ordinal = dataSchema.fieldNames.indexOf(field)
    if (ordinal < 0)
      throw InvalidInput("MISSING_COLUMN", "column" -> field, "columns" -> Listed.of(dataSchema.fieldNames.toSeq))
    ordinal
  }.toArray
}

object WriteJob {

  /** The job of a write to this target. */
  def of(target: WriteTarget, permit: WritePermit, session: SparkSession): WriteJob = {
    import target.{conf => asked, config}
    val tells = target.tellsKeys
    val stored = StoredColumns.of(target.schema, config.droppedColumns)
    WriteJob(
      basePath = target.basePath,
      permit = permit,
      dataSchema = stored,
      avroSchema = SchemaConversion.toAvro(stored, config.name, withMeta = true),
      keys = target.shape.keySettings,
      rule = MergeRule.of(config),
      orderingFields = config.orderingFields,
      files = FileSettings(
        // A bucket has one file group, however large it grows.
        maxFileBytes = if (target.buckets.isDefined) Long.MaxValue else asked.files.maxBytes,
        codec = asked.files.codec,
        rowGroupBytes = asked.files.rowGroupBytes.getOrElse(FileSettings.RowGroupBytes),
        pageBytes = asked.files.pageBytes.getOrElse(FileSettings.PageBytes)),
      bloom = BloomSettings(asked.bloom.kind, asked.bloom.entries, asked.bloom.fpp, asked.bloom.maxEntries),
      conf = SharedConf(SessionConf.parquetWriter(session)),
      logs = if (target.isMergeOnRead) Some(logSettings(target, tells)) else None,
      deleteMarker = config.deleteMarker,
      evolved = target.shape.evolved,
      clusterings = target.existing.map(_.pendingClusterings).getOrElse(Map.empty),
      buckets = target.buckets,
      facts = target.teller,
      dropped = target.schema.fields.toSeq.drop(stored.size),
      telling = if (tells) Some(KeyTelling()) else None,
      metaFields = config.populateMetaFields)
  }

  private def logSettings(target: WriteTarget, tells: Boolean): LogSettings = LogSettings(
    version = target.config.version,
    parquet = target.conf.logs.parquet,
    blockBytes = target.conf.logs.blockBytes.min(LogSettings.MostBlockBytes),
    fileBytes = target.conf.logs.fileBytes,
    findsPositions = target.recordsPositions,
    takesInserts = target.buckets.isDefined,
    compactions = target.existing.map(_.pendingCompactions).getOrElse(Map.empty),
    counting = target.existing.filter(_ => tells).map(_.blockInstants(None)))

  private def unordered(basePath: String, column: String, key: UTF8String): Throwable = LastAttempts.failure(
    InvalidInput("NULL_ORDERING_VALUE", "path" -> basePath, "column" -> column, "key" -> key.toString))

  private[write] def clusteringPending(basePath: String, group: FileGroupId, clustering: String): CommitConflict =
    CommitConflict("CLUSTERING_PENDING", "path" -> basePath, "fileId" -> group.fileId, "partition" -> group.partition,
      "clustering" -> clustering)
}
