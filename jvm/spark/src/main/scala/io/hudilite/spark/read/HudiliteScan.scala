package io.hudilite.spark.read

import io.hudilite.filegroup.BaseFile
import io.hudilite.spark.basefile.read.{FileRead, ParquetFilter, ScanFilter}
import io.hudilite.spark.row.SharedConf
import io.hudilite.spark.slice.deliver.SliceMerge

import java.util.OptionalLong

import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{Expressions, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.Predicate
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}
import org.apache.spark.sql.connector.read._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** One read of a table: plans the files, packs them into tasks, tells the optimizer their size.
  *
  * Spark adds filters that it learns while the query runs before it asks for the tasks.
  *
  * @param offersColumns
  *   for such filters; until a rule says so, which runs when Spark's own have, they are kept back (`RuntimeFilters`)
  */
final class HudiliteScan private (
    source: TableState, columns: StructType, known: StructType, filters: Seq[ScanFilter], limit: Option[Int],
    scanFiles: ScanFiles, offersColumns: Boolean)
    extends Scan
    with Batch
    with SupportsReportStatistics
    with SupportsRuntimeV2Filtering {

  def this(source: TableState, columns: StructType, known: StructType, filters: Seq[ScanFilter],
      limit: Option[Int], options: Map[String, String]) =
    this(source, columns, known, filters, limit, new ScanFiles(source, known, filters, options), false)

  private def planner: FilePlanner = scanFiles.planner
  private def planned: PrunedFiles = scanFiles.plan
  private val facts: Option[StructType] = FileFacts.asked(columns, known)
  private val settings =
    ScanSettings.reader(columns, facts.fold(columns)(_ => FileFacts.without(columns)))
  private var runtimeFilters: Seq[ScanFilter] = Nil
  private var narrowed: Option[PrunedFiles] = None

  /** The files to read, by all filters known by now. */
  private def current: PrunedFiles = narrowed.getOrElse(planned)

  override def readSchema(): StructType = columns

  override def toBatch(): Batch = this

  override def description(): String =
    s"hudilite ${source.describe} of ${source.table.basePath}, files ${current.describe}" +
      (if (filters.isEmpty) "" else s", pruned by ${filters.map(FilterText.of).mkString(" and ")}") +
      limit.map(n => s", limit $n").getOrElse("")

  // ---- tasks

  override def planInputPartitions(): Array[InputPartition] = {
    val plan = current
    val files = limit.filter(_ => plan.merged.isEmpty).fold(plan.files)(enough(plan.files, _))
    val sizes = files.map(_.length) ++ plan.merged.map(_.totalLength)
    val maxBytes = ScanSettings.maxSplitBytes(sizes.map(_ + ScanSettings.openCostBytes).sum)
    val late = if (runtimeFilters.isEmpty) None
    else
      Some(Narrowing(planner.withinPartitions(filters ++ runtimeFilters.filter(isShort)), plan.keys, plan.keysToCheck))
    val slices = plan.merged.map(slice => SliceSplit(slice, source.beforeRange.get(slice.groupId)))
    val pack = if (plan.keysToCheck) ScanPartition.packToCheck _ else ScanPartition.pack _
    pack(files, maxBytes, ScanSettings.openCostBytes, slices, ScanSettings.parallelism)
      .map(p =>
        p.copy(narrowing = late,
          folders = planner.valuesOf(p.splits.map(_.partition), columns)): InputPartition).toArray
  }

  /** As many files as hold the rows wanted, when the number of their rows is known. */
  private def enough(files: Seq[BaseFile], rows: Int): Seq[BaseFile] =
    if (filters.nonEmpty || source.commitTimes.isDefined) files
    else {
      val counts = RowCounts.of(source.table, files)
      val before = files.scanLeft(0L)((sum, f) => sum + counts.getOrElse(f.relativePath, 0L))
      files.zip(before).takeWhile(_._2 < rows).map(_._1)
    }

  // Spark asks for it with each plan that it makes of the scan.
  override def createReaderFactory(): PartitionReaderFactory = factory

  private lazy val factory: ScanReaderFactory = {
    val files = FileRead(source.table.basePath, columns, planner.withinPartitions(filters), planned.keys,
      planned.keysToCheck, source.commitTimes, settings, source.evolved)
    ScanReaderFactory(ScanTask(files, limit, merge, facts), SharedConf(scanFiles.conf))
  }

  private def merge: Option[SliceMerge] =
    if (planned.merged.isEmpty) None else Some(SliceMerge(source.logs, planner.keyColumns))

  // ---- statistics

  override def estimateStatistics(): Statistics =
    ScanStatistics.of(source, columns, filters.isEmpty && narrowed.isEmpty, current, estimateSizeInBytes())

  /** Part of the interface from Spark 4.3 on, where the number of rows is not asked for without need. */
  def estimateSizeInBytes(): OptionalLong = {
    val share = columns.defaultSize.toDouble / math.max(known.defaultSize, 1)
    OptionalLong.of(math.max((current.bytes * SQLConf.get.fileCompressionFactor * math.min(share, 1.0)).toLong, 1L))
  }

  // ---- filters that come while the query runs

  override def filterAttributes(): Array[NamedReference] =
    if (offersColumns) filterable.map(name => Expressions.column(quoteIdentifier(name))).toArray else Array.empty

  /** Columns of the scan by which such a filter could leave out some of the files. */
  private lazy val filterable: Seq[String] = {
    val pruning = planner.pruningColumns.filter(path => path.size == 1 && columns.fieldNames.contains(path.head))
    if (pruning.isEmpty) Nil // then nothing is listed for this
    else pruning.intersect(planner.pruningColumns(planned)).map(_.head).toSeq.sorted
  }

  /** The scan with its columns offered, if it has kept them back. */
  def offering: Option[HudiliteScan] =
    if (offersColumns) None
    else Some(new HudiliteScan(source, columns, known, filters, limit, scanFiles, offersColumns = true))

  override def filter(predicates: Array[Predicate]): Unit = {
    runtimeFilters = predicates.toList.flatMap(ScanFilter.of(_, known))
    narrowed = if (runtimeFilters.isEmpty) None else Some(planner.plan(runtimeFilters))
  }

  // Long lists have done their work in pruning files, and tasks need not carry them.
  private def isShort(filter: ScanFilter): Boolean = filter match {
    case ScanFilter.OneOf(_, values) => values.size <= ParquetFilter.MaxListed
    case _ => true
  }

  // ---- metrics

  override def supportedCustomMetrics(): Array[CustomMetric] = ScanMetrics.all

  override def reportDriverMetrics(): Array[CustomTaskMetric] = {
    val plan = current
    Array(ScanMetric(ScanMetrics.FilesListed, plan.listed.toLong),
      ScanMetric(ScanMetrics.PartitionsRead, plan.partitions.toLong),
      ScanMetric(ScanMetrics.PrunedByPartition, plan.byPartition.toLong),
      ScanMetric(ScanMetrics.PrunedByRange, plan.byRange.toLong),
      ScanMetric(ScanMetrics.PrunedByBloom, plan.byBloom.toLong))
  }

  // ---- Spark reuses the result of an equal scan

  private def identity: Seq[Any] = Seq(rows, columns, offersColumns)

  /** Which rows are read: equal for scans of the same. Filters are no part of it. Spark evaluates each of them above the
    * scan, too, so that under equal plans scans with other filters deliver the same; and those that Spark infers after it
    * has pushed down others are pushed to some scans of a table and not to others.
    */
  def rows: Seq[Any] = Seq(source.table.basePath, source.query, source.table.timeline, limit)

  /** Other columns of the same rows. */
  def reading(others: StructType): HudiliteScan =
    new HudiliteScan(source, others, known, filters, limit, scanFiles, offersColumns)

  override def equals(other: Any): Boolean = other match {
    case scan: HudiliteScan => (this eq scan) || scan.identity == identity
    case _ => false
  }

  override def hashCode(): Int = identity.hashCode
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
