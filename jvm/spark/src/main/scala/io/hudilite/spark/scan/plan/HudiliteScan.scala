package io.hudilite.spark.scan.plan

import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.scan.task.{ScanMetric, ScanMetrics, ScanReaderFactory}

import java.util.OptionalLong

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{Expression, Expressions, Literal, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.connector.read.partitioning.{KeyGroupedPartitioning, Partitioning, UnknownPartitioning}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** One read of a table, as Spark asks for it: [[ScanPlanner]] plans it.
  *
  * Spark adds filters that it learns while the query runs before it asks for the tasks.
  *
  * @param offered
  *   for such filters, besides keys and columns of partitions and buckets; until a rule says so, which runs when Spark's
  *   own have, all are kept back (`RuntimeFilters`)
  * @param grouping
  *   by bucket, in place of splits of equal size, where a rule has found a use for it (`BucketedScans`)
  * @param lots
  *   whole buckets in each task, where a write of these rows needs no exchange then (`DealtWrites`)
  */
final class HudiliteScan private (
    session: SparkSession, planner: ScanPlanner, columns: StructType, limit: Option[Int],
    offered: Option[OfferedColumns],
    grouping: Option[BucketGrouping],
    lots: Option[BucketLots] = None)
    extends Scan
    with SupportsReportStatistics
    with SupportsReportPartitioning
    with SupportsRuntimeV2Filtering {

  def this(session: SparkSession, planner: ScanPlanner, columns: StructType, limit: Option[Int]) =
    this(session, planner, columns, limit, None, None)

  private val source: TableState = planner.state
  private val settings = ScanSettings.reader(columns, source.known)
  private var narrowed: Option[PrunedFiles] = None

  /** The files to read, by all filters known by now. */
  private def current: PrunedFiles = narrowed.getOrElse(planner.files)

  override def readSchema(): StructType = columns

  override def toBatch(): Batch = ScanBatch(this)

  override def description(): String =
    s"hudilite ${source.describe} of ${source.table.basePath}, files ${current.describe}" +
      (if (planner.filters.isEmpty) "" else s", pruned by ${planner.filters.map(FilterText.of).mkString(" and ")}") +
      limit.map(n => s", limit $n").getOrElse("") + planner.first.map(f => s", ${f.describe}").getOrElse("") +
      grouping.fold("")(by => s", grouped by ${by.keys.map(_.describe).mkString(", ")}") +
      lots.fold("")(_ => ", each bucket in one task")

  // ---- tasks

  private[plan] def splits: Array[InputPartition] = {
    val sizes = ScanSettings.taskSizes(session)
    val tasks: Seq[InputPartition] = (grouping, lots) match {
      case (Some(by), _) =>
        planner.tasks(current, columns, sizes, by, withEmpty = !SQLConf.get.v2BucketingPushPartValuesEnabled)
      case (None, Some(whole)) => planner.tasks(current, columns, sizes, whole)
      case _ => planner.tasks(current, columns, sizes, limit)
    }
    tasks.toArray
  }

  override def outputPartitioning(): Partitioning = grouping.fold[Partitioning](new UnknownPartitioning(0))(by =>
    new KeyGroupedPartitioning(by.keys, splits.length))

  /** The columns and functions that its splits are grouped by. They need no split to be planned. */
  private[scan] def groupingKeys: Seq[Expression] = grouping.toSeq.flatMap(_.keys)

  /** The column that its groups are sorted by. The footers of all files are asked. */
  private[scan] def sortedColumn: Option[String] =
    grouping.flatMap(planner.sortedColumn(_, ScanSettings.taskSizes(session)))

  /** How the splits can be grouped by bucket, where they are not yet. */
  private[scan] lazy val bucketed: Option[BucketGrouping] =
    if (grouping.isDefined || lots.isDefined || limit.isDefined || planner.first.isDefined) None
    else planner.grouping(columns, byPartition = false)

  private[scan] def partitionColumns: Seq[String] = source.table.config.partitionFields

  /** The scan with its splits grouped, if they can be: by bucket, or by partition and bucket. */
  private[scan] def grouped(byPartition: Boolean): Option[HudiliteScan] =
    bucketed.flatMap(plain => if (byPartition) planner.grouping(columns, byPartition) else Some(plain)).map(by =>
      new HudiliteScan(session, planner, columns, limit, offered, Some(by)))

  /** How its rows are dealt to buckets, where all of them are in buckets for sure and none is left out by a count. */
  private[scan] lazy val hashedKeys: Option[HashedKeys] =
    if (grouping.isDefined || lots.isDefined || limit.isDefined || planner.first.isDefined) None
    else planner.hashedKeys

  /** The scan with each bucket in one task, if there are enough buckets to keep all cores busy, or all tasks.
    *
    * @param most
    *   tasks
    * @param partition
    *   see `ScanPlanner.lots`
    */
  private[scan] def dealt(most: Int, partition: Option[Map[String, Any] => Option[String]])
      : Option[HudiliteScan] = {
    val whole = planner.lots(most, partition)
    if (planner.filled(whole) < session.sparkContext.defaultParallelism.min(most)) None
    else Some(new HudiliteScan(session, planner, columns, limit, offered, grouping, Some(whole)))
  }

  // Spark asks for it with each plan that it makes of the scan.
  private[plan] lazy val factory: ScanReaderFactory =
    ScanReaderFactory(planner.job(columns, settings, limit), SharedConf(planner.conf))

  // ---- statistics

  override def estimateStatistics(): Statistics =
    ScanStatistics.of(planner, columns, planner.filters.isEmpty && planner.first.isEmpty && narrowed.isEmpty, current,
      estimateSizeInBytes())

  /** Part of the interface from Spark 4.3 on, where the number of rows is not asked for without need. */
  def estimateSizeInBytes(): OptionalLong = {
    val share = columns.defaultSize.toDouble / math.max(source.known.defaultSize, 1)
    OptionalLong.of(math.max((current.bytes * SQLConf.get.fileCompressionFactor * math.min(share, 1.0)).toLong, 1L))
  }

  /** How many rows pass these conditions, where that is known without a file being read. */
  private[scan] def counted(conditions: Seq[Predicate]): Option[Long] = {
    val asked = conditions.map(exactly)
    if (limit.isDefined || asked.exists(_.isEmpty)) None else planner.counted(asked.flatten)
  }

  // A list with a null is pruned by as one without.
  private def exactly(condition: Predicate): Option[ScanFilter] =
    if (namesNull(condition)) None else ScanFilter.of(condition, source.known)

  private def namesNull(condition: Expression): Boolean = condition match {
    case literal: Literal[_] => literal.value == null
    case other => other.children.exists(namesNull)
  }

  /** The scan of the files that may hold the first rows that pass these conditions, if it is a scan of all.
    *
    * @param conditions
    *   all that rows have to pass before they are sorted
    */
  private[scan] def ofFirst(rows: TopRows, conditions: Seq[Predicate]): Option[HudiliteScan] = {
    val exact = conditions.map(exactly)
    if (limit.isDefined || exact.exists(_.isEmpty) || !planner.findsFirst(rows)) None
    else
      Some(new HudiliteScan(session, planner.withFirst(rows.copy(conditions = exact.flatten)), columns, limit, offered,
          grouping, lots))
  }

  // ---- filters that come while the query runs

  override def filterAttributes(): Array[NamedReference] =
    filterable.map(name => Expressions.column(quoteIdentifier(name))).toArray

  /** Columns of the scan by which such a filter could leave out some of the files. */
  private lazy val filterable: Seq[String] = offered.toSeq.flatMap { joined =>
    val pruning = planner.pruningColumns.filter(path => path.size == 1 && columns.fieldNames.contains(path.head))
    val others = joined.names.filter(columns.fieldNames.contains(_)).map(Seq(_)) -- pruning
    if (pruning.isEmpty && others.isEmpty) Nil // then nothing is listed for this
    else (pruning.intersect(planner.pruningColumns(planner.files)) ++
      planner.separating(others, planner.files, joined.areFree)).map(_.head).toSeq.sorted
  }

  /** The scan with its columns offered, if it has kept them back. */
  def offering(columnsOfJoins: OfferedColumns): Option[HudiliteScan] =
    if (offered.isDefined) None
    else Some(new HudiliteScan(session, planner, columns, limit, Some(columnsOfJoins), grouping, lots))

  override def filter(predicates: Array[Predicate]): Unit = {
    val late = predicates.toList.flatMap(ScanFilter.of(_, source.known))
    narrowed = if (late.isEmpty) None else Some(planner.narrowed(late))
  }

  // ---- metrics

  override def supportedCustomMetrics(): Array[CustomMetric] = ScanMetrics.all

  override def reportDriverMetrics(): Array[CustomTaskMetric] = {
    val plan = current
    Array(ScanMetric(ScanMetrics.FilesListed, plan.listed.toLong),
      ScanMetric(ScanMetrics.PartitionsRead, plan.partitions.toLong),
      ScanMetric(ScanMetrics.PrunedByPartition, plan.byPartition.toLong),
      ScanMetric(ScanMetrics.PrunedByBucket, plan.byBucket.getOrElse(0).toLong),
      ScanMetric(ScanMetrics.PrunedByRecordIndex, plan.leftOutByRecordIndex.toLong),
      ScanMetric(ScanMetrics.PrunedBySecondaryIndex, plan.leftOutBySecondaryIndex.toLong),
      ScanMetric(ScanMetrics.PrunedByRange, plan.byRange.toLong),
      ScanMetric(ScanMetrics.PrunedByBloom, plan.byBloom.toLong),
      ScanMetric(ScanMetrics.PrunedByStatistics, plan.byStatistics.fold(0)(_.size).toLong),
      ScanMetric(ScanMetrics.PrunedByOrder, plan.leftOutByOrder.toLong))
  }

  // ---- equal scans

  /** The read, equal for scans above which an equal plan is executed once. Filters are no part of it. Spark
    * evaluates each of them above the scan, too, so that under equal plans scans with other filters deliver the same; and
    * those that Spark infers after it has pushed down others are pushed to some scans of a table and not to others.
    */
  private[plan] def read: Seq[Any] = Seq(rows, columns, offered.isDefined, grouping, lots)

  /** The rows of the table that filters choose from. */
  def rows: Seq[Any] = Seq(source.table.basePath, source.query, source.table.timeline, limit,
    planner.first)

  /** Other columns of the same rows. */
  def reading(others: StructType): HudiliteScan =
    new HudiliteScan(session, planner, others, limit, offered, None, lots)

  // Spark puts plans with other filters into one, for which it takes either of two equal scans, so that filters count.
  private def identity: Seq[Any] = Seq(read, planner.filters.toSet, planner.expressed.toSet)

  override def equals(other: Any): Boolean = other match {
    case scan: HudiliteScan => (this eq scan) || scan.identity == identity
    case _ => false
  }

  override def hashCode(): Int = identity.hashCode
}

/** Columns that a query joins by.
  *
  * @param areFree
  *   a filter on them takes its values from a side that is broadcast anyway
  */
final case class OfferedColumns(names: Set[String], areFree: Boolean)

/** The work of a scan. Spark reuses the result of what is equal. */
private final case class ScanBatch(scan: HudiliteScan) extends Batch {

  override def planInputPartitions(): Array[InputPartition] = scan.splits

  override def createReaderFactory(): PartitionReaderFactory = scan.factory

  override def equals(other: Any): Boolean = other match {
    case batch: ScanBatch => (scan eq batch.scan) || scan.read == batch.scan.read
    case _ => false
  }

  override def hashCode(): Int = scan.read.hashCode
}

/** Filters as text for `EXPLAIN`. */
private object FilterText {

  private val Signs = Map[ScanFilter.Operator, String](ScanFilter.Equal -> "=", ScanFilter.Less -> "<",
    ScanFilter.LessOrEqual -> "<=", ScanFilter.Greater -> ">", ScanFilter.GreaterOrEqual -> ">=")
  private val MaxShown = 5

  def of(filter: ScanFilter): String = filter match {
    case ScanFilter.Comparison(column, operator, value) => s"${column.mkString(".")} ${Signs(operator)} $value"
    case ScanFilter.OneOf(column, values) =>
      val more = if (values.size > MaxShown) s", ${values.size - MaxShown} more" else ""
      s"${column.mkString(".")} in (${values.take(MaxShown).mkString(", ")}$more)"
    case ScanFilter.StartsWith(column, prefix) => s"${column.mkString(".")} starts with $prefix"
    case ScanFilter.IsNull(column) => s"${column.mkString(".")} is null"
    case ScanFilter.Negation(ScanFilter.IsNull(column)) => s"${column.mkString(".")} is not null"
    case ScanFilter.Negation(part) => s"not (${of(part)})"
    case ScanFilter.AllOf(parts) => parts.map(of).mkString("(", " and ", ")")
    case ScanFilter.AnyOf(parts) => parts.map(of).mkString("(", " or ", ")")
  }
}
