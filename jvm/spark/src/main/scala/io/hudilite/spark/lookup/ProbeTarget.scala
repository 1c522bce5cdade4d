package io.hudilite.spark.lookup

import io.hudilite.config.TableType
import io.hudilite.filegroup.{BaseFile, FileSlice, PathSelection}
import io.hudilite.record.RowPlace
import io.hudilite.schema.EvolvedColumns
import io.hudilite.spark.basefile.read.{FolderColumns, KeyBatches}
import io.hudilite.spark.logfile.read.LogJob
import io.hudilite.spark.row.{KeyExpressions, SessionConf, SharedConf}
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.stats.{KeyBounds, KnownKeys}
import io.hudilite.table.{AskedMetadata, KeysInLogs, Table, TableAccess, TableSupport}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.{ScanBuilder, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, DataSourceV2ScanRelation}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{StructField, StructType}

/** One snapshot of a table that an index probe looks in, and how its index works. Lives on the driver.
  *
  * @param table
  *   the snapshot
  * @param relation
  *   the table as a relation of Spark's
  * @param builder
  *   begins a scan of the table's rows
  * @param useBloom
  *   ask a file's bloom filter before its keys are read
  * @param pruneByRanges
  *   skip files whose key range holds no incoming key
  * @param asksMetadata
  *   ask the metadata table for ranges and bloom filters of keys first
  * @param byKey
  *   rows are found as an index of base files finds them, whatever log files do to them; see [[SliceProbe]]
  * @param within
  *   the partitions in which rows are looked for, whatever the keys
  * @param looked
  *   where the lookup has looked
  */
final class ProbeTarget(
    val table: Table, relation: DataSourceV2Relation, builder: () => ScanBuilder, val keys: KeyExpressions,
    val useBloom: Boolean, val pruneByRanges: Boolean, asksMetadata: Boolean, val byKey: Boolean,
    val within: PathSelection, val looked: LookedIn = new LookedIn) {

  private lazy val support: TableSupport = TableSupport.of(table, TableAccess.Read())

  private lazy val known: Option[KnownKeys] =
    if (asksMetadata && (useBloom || pruneByRanges)) AskedMetadata.keys(table) else None

  /** Bounds of the keys of those of the slices' base files of which the metadata table knows them. */
  private[lookup] def bounds(slices: Seq[FileSlice]): Map[BaseFile, KeyBounds] =
    known.filter(_ => pruneByRanges).fold(Map.empty[BaseFile, KeyBounds])(_.bounds(slices.flatMap(_.base)))

  /** Names of the columns in files, where some have changed. */
  def evolved: Option[EvolvedColumns] = support.columns

  /** Newest slices of the partitions that can hold one of the keys. */
  def candidates(keys: ProbeKeys): Seq[FileSlice] = {
    looked.tell(keys)
    if (keys.isEmpty) Nil else keys.partitions.fold(everywhere)(paths => of(paths.filter(within.wants)))
  }

  /** Newest slices of the partitions of the keys that were looked up, or of those in which rows are looked for; `None`
    * when that is everywhere.
    */
  def lookedIn: Option[Seq[FileSlice]] =
    looked.partitions.map(of).orElse(if (within eq PathSelection.All) None else Some(everywhere))

  /** Newest slices of the partitions in which a record index has found keys, as far as that is known. */
  private[lookup] def placed: Seq[FileSlice] = looked.foundIn.fold(everywhere)(paths => of(paths.filter(within.wants)))

  private def everywhere: Seq[FileSlice] = inOrder(table.files.find(within))

  private def of(partitions: Seq[String]): Seq[FileSlice] = inOrder(table.files.slices(partitions))

  private def inOrder(slices: Map[String, Seq[FileSlice]]): Seq[FileSlice] = slices.toSeq.sortBy(_._1).flatMap(_._2)

  /** An index of base files finds the columns: there are none but those that say where a row is. */
  def byKeyWith(columns: Seq[Attribute]): Boolean = byKey && columns.forall(a => KeyProbe.Identity(a.name))

  /** A record index knows these columns of a row: there is no row of a key but one, and none that a log file deletes. */
  private[spark] def isPlace(column: Attribute): Boolean = KeyProbe.Identity(column.name) ||
    column.name == RowPlace.Gone

  /** Looks into these slices for the columns, with bloom filters that are known without the files. */
  private[lookup] def probeFirst(columns: Seq[Attribute], session: SparkSession, slices: Seq[FileSlice])
      : SliceProbe = {
    val probe = this.probe(columns, session, slices)
    val filters = known.filter(_ => useBloom).flatMap(_.filters)
    filters.fold(probe)(some =>
      probe.copy(base = probe.base.copy(facts = new FactsNearby(probe.base.batches, Some(some), useBloom))))
  }

  /** Looks into these slices for the columns. */
  private[lookup] def probe(columns: Seq[Attribute], session: SparkSession, slices: Seq[FileSlice]): SliceProbe = {
    val conf = SQLConf.get
    val batches = KeyBatches(basePath, SharedConf(SessionConf.parquet(session)),
      conf.offHeapColumnVectorEnabled, conf.parquetVectorizedReaderBatchSize, evolved,
      FolderColumns(table.config.partitionFields, table.config.urlEncode))
    val schema = StructType(columns.map(a => StructField(a.name, a.dataType, a.nullable)))
    SliceProbe(KeyProbe(schema, useBloom, pruneByRanges, batches, new FactsNearby(batches, None, useBloom)),
      logs(slices), byKeyWith(columns))
  }

  /** How the log files of these slices are read; `None` when there are none. */
  def logs(slices: Seq[FileSlice]): Option[LogJob] =
    if (slices.exists(_.logs.nonEmpty)) Some(LogJob.of(table, support, None)) else None

  /** Those of the slices whose log files may hold keys that their base files do not have, or delete some. */
  def keysInLogs(slices: Seq[FileSlice]): KeysInLogs.Groups = new KeysInLogs(table).among(slices)

  /** Slices with base files whose log files may delete keys, wherever rows are looked for. */
  def deleting: Seq[FileSlice] =
    if (table.config.tableType == TableType.CopyOnWrite) Nil
    else {
      val both = everywhere.filter(s => s.base.isDefined && s.logs.nonEmpty)
      val deleted = keysInLogs(both).deleted
      both.filter(s => deleted(s.groupId))
    }

  def basePath: String = table.basePath

  /** Every row of the table as Spark reads it, for keys that are too many to send to each task, or that are so many
    * of the table's that each of them is not worth a lookup.
    */
  def scan(output: Seq[Attribute]): LogicalPlan = {
    val scan = builder() match {
      case pruning: SupportsPushDownRequiredColumns =>
        pruning.pruneColumns(StructType(output.map(a => StructField(a.name, a.dataType, a.nullable))))
        pruning.build()
      case other => other.build()
    }
    val byName = output.map(a => a.name -> a).toMap
    val columns = scan.readSchema().fields.map(f => byName(f.name)).toSeq
    PlanNodes.build(classOf[DataSourceV2ScanRelation], Seq(relation, scan, columns))
  }

  override def toString: String =
    relation.name +
      (if (known.exists(_.mayTell(pruneByRanges, useBloom))) ", facts on keys by its metadata table" else "")
}
