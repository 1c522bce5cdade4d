package io.hudilite.spark.catalog

import io.hudilite.config.{ReadConf, WriteConf}
import io.hudilite.error.InvalidInput
import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.catalog.metastore.Registered
import io.hudilite.spark.plan.table.{AwaitedClusterings, PlannedTable, PreparedWrite}
import io.hudilite.spark.row.{Nullability, SessionConf}
import io.hudilite.spark.scan.plan.{AggregateScanBuilder, HudiliteScanBuilder, Query, TableState}
import io.hudilite.spark.scan.task.FileFacts
import io.hudilite.spark.service.inline.InlineServices
import io.hudilite.spark.shim.{NewerCapabilities, Sessions}
import io.hudilite.spark.write._
import io.hudilite.spark.write.attempt.WriteIntent
import io.hudilite.spark.write.table.{NeededColumns, WriteOperation, WriteTarget}
import io.hudilite.storage.Storage
import io.hudilite.table.{MetadataUse, Table}

import java.util.{HashSet => JHashSet, Map => JMap, Set => JSet}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.catalog.{
  Column,
  MetadataColumn,
  StagedTable,
  SupportsMetadataColumns,
  SupportsRead,
  SupportsRowLevelOperations,
  SupportsWrite,
  Table => SparkTable,
  TableCapability
}
import org.apache.spark.sql.connector.expressions.{Expressions, Transform}
import org.apache.spark.sql.connector.read.ScanBuilder
import org.apache.spark.sql.connector.write.{
  LogicalWriteInfo,
  RowLevelOperation,
  RowLevelOperationBuilder,
  RowLevelOperationInfo,
  WriteBuilder
}
import org.apache.spark.sql.types.{DataType, LongType, StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.collection.JavaConverters._

/** A Hudi table as Spark sees it, or the place of one that the first write creates.
  *
  * @param session
  *   session in which the table was looked up
  * @param table
  *   table as it was when this object was made; `None` when there is none at the path
  * @param request
  *   options of the read or write, and of the session
  * @param dataFrame
  *   true for `format("hudilite")`, where an append may bring columns that the table does not have
  * @param prepared
  *   decision of hudilite's planner rule about a write of this table
  * @param entry
  *   entry of the session's catalog, when the table was reached by its name there
  * @param answersAggregates
  *   true when COUNT, MIN and MAX may be answered from Parquet footers
  * @param namedPartition
  *   as [[PlannedTable.namedPartition]]
  * @param created
  *   gives the table that the rows of a query create its name, once they are committed, or the entry of one that they
  *   replace the new columns. A failure before that takes the rows back; after a commit with an unknown outcome the files
  *   stay.
  */
final case class HudiliteTable(
    session: SparkSession,
    basePath: String,
    storage: Storage,
    table: Option[Table],
    request: RequestOptions,
    dataFrame: Boolean,
    prepared: Option[PreparedWrite] = None,
    entry: Option[Registered] = None,
    answersAggregates: Boolean = true,
    namedPartition: Option[Map[String, String]] = None,
    created: () => Unit = () => ())
    extends PlannedTable
    with SupportsRead
    with SupportsWrite
    with SupportsMetadataColumns
    with SupportsRowLevelOperations
    with StagedTable
    with PartitionStatements
    with IndexStatements {

  override def name(): String = entry.fold(s"hudilite.`$basePath`")(_.name)

  // Text in plans and errors of Spark.
  override def toString: String = name()

  private lazy val conf: ReadConf = ReadConf.of(prepared.map(_.intent.target.conf.options).getOrElse(request.ofRead))

  // Spark finds cached rows and shared parts of a query by equal tables. The storage is left out, since each read has
  // its own.
  private def identity: Seq[Any] =
    Seq(basePath, storage.caches, table, request, dataFrame, prepared, answersAggregates,
      namedPartition)

  override def equals(other: Any): Boolean = other match {
    case that: HudiliteTable => (this eq that) || identity == that.identity
    case _ => false
  }

  override def hashCode(): Int = identity.hashCode

  private[catalog] lazy val source: Option[TableState] =
    table.map { t =>
      val query = Query.of(conf, t.config)
      sourceOf(t, query, metadataUse(conf, query))
    }

  // A write does not rest on the metadata table.
  private def metadataUse(asked: ReadConf, query: Query): Option[MetadataUse] = {
    val ofPast = query match {
      case Query.Snapshot | Query.ReadOptimized(None) => Some(false)
      case Query.AsOf(_) | Query.ReadOptimized(Some(_)) => Some(true)
      case _ => None
    }
    if (asked.usesMetadata && prepared.isEmpty) ofPast.map(MetadataUse(asked.asksForMetadata, _)) else None
  }

  private def sourceOf(table: Table, query: Query, metadata: Option[MetadataUse], keyed: Option[Table] = None)
      : TableState =
    new TableState(metadata.fold(table)(table.readingMetadata), query,
      source => entry.flatMap(AnalyzeStatement.known(_, source)), keyed)

  override lazy val schema: StructType =
    prepared.map(_.intent.target.schema).orElse(source.map(_.schema(conf.showsMeta))).getOrElse(new StructType())

  // Rows that other engines have written need not follow the rules of the entry, so that no read rests on NOT NULL.
  override def columns(): Array[Column] =
    if (prepared.isDefined) super.columns()
    else ColumnRules.columns(Nullability.relaxed(ColumnRules.applied(schema, entry)))

  override lazy val required: Seq[String] =
    if (prepared.isDefined) Nil
    else ColumnRules.required(schema, entry).filterNot(name =>
      table.exists(_.config.recordKeyFields == Seq(name))) // which raises its own error

  override protected def rowSchema: StructType = schema

  override def partitioning(): Array[Transform] =
    table.toArray.flatMap(_.config.partitionFields).map(field =>
      Expressions.identity(field.split('.').map(quoteIdentifier).mkString(".")): Transform)

  override def properties(): JMap[String, String] =
    (table.map(_.config.properties).getOrElse(Map.empty) ++
      entry.fold(Map.empty[String, String])(_.properties) ++
      Map("provider" -> entry.fold(Registered.Hudilite)(_.provider), "location" -> basePath)).asJava

  private def storesKeys: Boolean = table.forall(_.config.populateMetaFields)

  override def metadataColumns(): Array[MetadataColumn] =
    (MetaFields.all.map(name => ComputedColumn(name, StringType, !storesKeys || name != MetaFields.RecordKey)) ++
      (if (storesKeys) Nil else Seq(ComputedColumn(RowPlace.MadeKey, StringType, nullable = false))) ++
      Seq(ComputedColumn(RowPlace.FileId, StringType, nullable = false),
        ComputedColumn(RowPlace.Position, LongType, nullable = true),
        ComputedColumn(RowPlace.FileFacts, FileFacts.Struct, nullable = false)))
      .filterNot(c => schema.fieldNames.contains(c.name)).map(c => c: MetadataColumn).toArray

  override def capabilities(): JSet[TableCapability] = {
    val always = Set(TableCapability.BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE,
      TableCapability.OVERWRITE_DYNAMIC) ++ NewerCapabilities.scanMerging ++
      NewerCapabilities.schemaEvolution.filter(_ => prepared.isEmpty) // prepared rows have the columns of their plan
    // A MERGE into a table that accepts any schema is never resolved, so only appends may.
    val appends = prepared.map(_.isAppend).getOrElse(dataFrame)
    new Capabilities(basePath, if (appends) always + TableCapability.ACCEPT_ANY_SCHEMA else always)
  }

  override def newScanBuilder(scanOptions: CaseInsensitiveStringMap): ScanBuilder =
    scanOf(if (prepared.isDefined) conf else request.and(scanOptions.asCaseSensitiveMap.asScala.toMap, session).reading)

  /** @param write
    *   that reads the rows which it changes
    */
  private def scanOf(asked: ReadConf, write: Option[WriteTarget] = None): ScanBuilder = {
    val read = source.getOrElse(throw InvalidInput("TABLE_NOT_FOUND", "path" -> basePath))
    val query = Query.of(asked, read.table.config)
    val metadata = if (write.isDefined) None else metadataUse(asked, query)
    val keyed = write.flatMap(_.keyed)
    val asks =
      if (query == read.query && metadata == metadataUse(conf, query) && keyed.isEmpty) read
      else sourceOf(table.getOrElse(read.table), query, metadata, keyed)
    if (answersAggregates) new AggregateScanBuilder(SparkSession.active, asks, schema, asked.options)
    else new HudiliteScanBuilder(SparkSession.active, asks, schema, asked.options)
  }

  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = prepared match {
    case Some(PreparedWrite.Append(write)) =>
      new AppendWriteBuilder(write, session, () => if (table.isDefined) created())
    case _ => throw InvalidInput("EXTENSION_NOT_LOADED")
  }

  override def newRowLevelOperationBuilder(info: RowLevelOperationInfo): RowLevelOperationBuilder =
    new RowLevelOperationBuilder {
      override def build(): RowLevelOperation = rowLevelWrite(info)
    }

  private def rowLevelWrite(info: RowLevelOperationInfo): RowLevelWrite = prepared match {
    case Some(PreparedWrite.Delta(intent)) =>
      val target = intent.target
      // With a bucket index new rows go to log files, too, so that base files do not have all keys. A row that moved
      // leaves its key in the base file of its old partition, where it must not come back. A row that is not updated
      // must not be kept out by the key of a deleted one.
      val byKey = !intent.insertsMissing && target.buckets.isEmpty && !target.index.movesRows &&
        target.config.populateMetaFields
      RowLevelWrite(session, intent, info.command(), _ => scanOf(ReadConf.of(target.conf.options), Some(target)),
        byKey)
    case _ =>
      val asked = writeConf(info.options().asCaseSensitiveMap.asScala.toMap)
      val now = table.map(AwaitedClusterings.of(_, asked))
      val target = WriteTarget.of(basePath, storage, now, asked, schema, NeededColumns.All,
        () => Sessions.hadoopConf(session)).copy(found = table)
      InlineServices.check(session, target)
      RowLevelWrite.check(target, info.command())
      val operation =
        if (info.command() == RowLevelOperation.Command.DELETE) WriteOperation.Delete else WriteOperation.Upsert
      val rows = now.fold(this)(at)
      RowLevelWrite(session, WriteIntent(target, operation), info.command(),
        _ => rows.scanOf(ReadConf.of(target.conf.options), Some(target)), byKey = false)
  }

  override def writeConf(added: Map[String, String]*): WriteConf = added.foldLeft(request)(_.and(_, session)).writing

  /** Raises the error that each write of the table would raise if its entry kept these options. */
  private[catalog] def checkWrites(kept: Map[String, String]): Unit = if (kept.nonEmpty) {
    val options = request.table ++ SessionConf.lowerCase(kept)
    val asked = copy(request = request.copy(table = options)).writeConf()
    InlineServices.check(session,
      WriteTarget.of(basePath, storage, table, asked, schema, NeededColumns.All,
        () => Sessions.hadoopConf(session)))
  }

  /** This table as a statement or a name asks for it. */
  private[catalog] def ofStatement: HudiliteTable = copy(request = request.copy(ofStatement = true))

  override def at(table: Table): HudiliteTable = if (this.table.exists(_ eq table)) this else copy(table = Some(table))

  override def aggregatedFromRows: HudiliteTable = copy(answersAggregates = false)

  override def writing(write: PreparedWrite): HudiliteTable = copy(prepared = Some(write))

  // Spark calls one of these after a CREATE TABLE AS SELECT.
  override def commitStagedChanges(): Unit = created()
  override def abortStagedChanges(): Unit = ()
}

/** Capabilities of a table. Only readers and writers of streams ask first if it can be a source or sink. They get an
  * error that says what to do instead, where Spark's would say no more than that it cannot.
  */
private[catalog] final class Capabilities(path: String, own: Set[TableCapability])
    extends JHashSet[TableCapability](own.asJava) {

  override def contains(asked: Any): Boolean = asked match {
    case TableCapability.STREAMING_WRITE => throw UnsupportedStatement.StreamWrite.of(path)
    case TableCapability.MICRO_BATCH_READ | TableCapability.CONTINUOUS_READ =>
      throw UnsupportedStatement.StreamRead.of(path)
    case _ => super.contains(asked)
  }
}

/** Table of a reader that was given a schema. It raises `InvalidInput` when it is asked for its columns, and no
  * earlier, since a writer of a stream looks alike until it asks for capabilities.
  */
private[catalog] final class TableOfGivenSchema(path: String) extends SparkTable with SupportsRead with SupportsWrite {

  override def name(): String = s"hudilite.`$path`"

  override def toString: String = name()

  override def schema(): StructType = throw InvalidInput("OPTION_NOT_SUPPORTED", "option" -> "schema",
    "value" -> "of the reader", "reason" -> "the table has its own schema; select or cast columns after load")

  override def capabilities(): JSet[TableCapability] = new Capabilities(path, Set(TableCapability.BATCH_READ))

  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = unused
  override def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = unused

  private def unused: Nothing = throw new IllegalStateException(s"${name()} is neither read nor written")
}

/** A metadata column. */
private final case class ComputedColumn(name: String, dataType: DataType, nullable: Boolean) extends MetadataColumn {
  override def isNullable: Boolean = nullable
}
