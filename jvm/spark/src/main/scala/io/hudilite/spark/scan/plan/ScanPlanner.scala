package io.hudilite.spark.scan.plan

import io.hudilite.config.PlannedBuckets
import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.{BaseFile, FileSlice, PathSelection}
import io.hudilite.index.{AskedFirst, BucketIndex}
import io.hudilite.record.{KeyEncoding, MetaFields}
import io.hudilite.spark.basefile.read.{FileRead, ReaderSettings, ScanFilter}
import io.hudilite.spark.row.PathValue
import io.hudilite.spark.scan.task._
import io.hudilite.spark.slice.deliver.SliceMerge
import io.hudilite.stats.{ColumnFilter, ColumnRange, FileStatistics, KeyFacts}
import io.hudilite.table.{AskedMetadata, IncrementalRange, RowCounts, Table}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.types.StructType

/** Plans a read of a table: which slices and files, pruned by filters and by a range of instants, and which task reads which
  * part of them. Spark's query is no part of it: one planner serves scans of one query with other columns, and a source
  * that reads one range of instants after the other makes a planner for each.
  *
  * @param asked
  *   table and state to read
  * @param filters
  *   those that are known when the read is planned; they only leave out what no row passes
  * @param hadoop
  *   configuration for Spark's Parquet reader
  * @param range
  *   instants of which the changes are read, `None` for the rows of the state
  * @param told
  *   the buckets of the table as the options of the read say it
  * @param skips
  *   files are left out by statistics of their columns
  * @param first
  *   the rows that are wanted of all, where these are some
  * @param expressed
  *   filters on functions over columns, which indexes know
  * @param asksForKeys
  *   the metadata table is asked for facts on record keys
  */
final class ScanPlanner(asked: TableState, val filters: Seq[ScanFilter], hadoop: => Configuration,
    range: Option[IncrementalRange] = None, told: Option[PlannedBuckets] = None, skips: Boolean = true,
    val first: Option[TopRows] = None, private[plan] val expressed: Seq[ColumnFilter] = Nil,
    asksForKeys: Boolean = false) {

  /** Table and state that are read. */
  val state: TableState = range.fold(asked)(asked.during)

  lazy val conf: Configuration = hadoop

  private val table: Table = state.table
  // Partition paths and keys keep the spelling that they got when they were written.
  private lazy val partitions = PartitionPruning.ofRows(table.config, state.known, state.evolved)
  private lazy val keyFilter =
    new KeyFilter(table.config, state.known, state.evolved.forall(_.keepsTypes(table.config.recordKeyFields)))

  private lazy val listed: StateSlices = state.files(partitions.selection(filters))
  private lazy val buckets = new BucketPruning(state, keyFilter, told, listed, statistics)

  private lazy val byRecordIndex = new RecordIndexPruning(state, statistics)
  private lazy val bySecondaryIndex = new SecondaryIndexPruning(state, byRecordIndex)

  // A look at one partition takes less than one at the whole table, without which nobody knows that an index is whole.
  private lazy val whole: Option[StateSlices] =
    if (partitions.selection(filters) eq PathSelection.All) Some(listed) else None

  private lazy val byStatistics = new StatisticsPruning(state, conf)

  private def statistics: FileStatistics = FileStatistics.at(table.basePath, conf)

  private lazy val knownKeys = if (asksForKeys && state.isOneMoment) AskedMetadata.keys(table) else None

  // The footer of one file is as near as what tells of it.
  private def askedFirst(files: Seq[BaseFile]): Option[AskedFirst] = if (files.size < 2) None
  else knownKeys.map(keys =>
    AskedFirst(keys, new KeyFacts(statistics, keys.filters.map(_.reader(conf)), blooms = true)))

  // ---- files

  /** The files to read, looked for once. */
  lazy val files: PrunedFiles = narrowed(Nil)

  /** The files to read by filters that came up later, too. */
  def narrowed(late: Seq[ScanFilter]): PrunedFiles = {
    val inPartitions = listed.in(partitions.selection(late))
    val ofBuckets = buckets.wanted(filters ++ late).map(inPartitions.ofGroups)
    val inBuckets = ofBuckets.getOrElse(inPartitions)
    val keys = keyFilter.keys(filters ++ late)
    val indexed = byRecordIndex.prune(keys, whole, inBuckets)
    val valued = bySecondaryIndex.prune(filters ++ late, whole, indexed.slices)
    val found = valued.slices
    val onDriver = found.files.size <= KeyPruning.MaxFilesOnDriver
    val pruned = keys.filter(_ => onDriver).fold(KeyPruned(found.files, 0, 0))(
      KeyPruning.prune(CheckedSplits.ByFiles, statistics, found.files, _, askedFirst(found.files)))
    val left = if (!skips) StatisticsPruned(pruned.files, found.merged, None)
    else byStatistics.prune(pruned.files, found.merged, withinPartitions(filters ++ late), expressed)
    val top = first.filter(_ => late.isEmpty).fold(StatisticsPruned(left.files, left.merged, None))(rows =>
      byStatistics.first(rows, left.files, left.merged, partitions, counts))
    PrunedFiles(top.files, top.merged, listed.size, found.partitions,
      listed.size - inPartitions.size, ofBuckets.map(inPartitions.size - _.size), indexed.answer, valued.answer,
      pruned.byRange, pruned.byBloom, left.skipped, top.skipped, keys, keysToCheck = keys.isDefined && !onDriver, late,
      pruned.asked)
  }

  /** Files can be left out that hold none of these rows. Of a range of instants not all rows of a file count. */
  private[scan] def findsFirst(rows: TopRows): Boolean =
    skips && first.isEmpty && state.isOneMoment && byStatistics.orders(rows.column)

  /** The read of the files that may hold these rows. */
  private[scan] def withFirst(rows: TopRows): ScanPlanner =
    new ScanPlanner(asked, filters, hadoop, range, told, skips, Some(rows), expressed, asksForKeys)

  // Commits are asked first, which have mostly been read, then as many footers as a plan may ask.
  private def counts: Seq[BaseFile] => Map[BaseFile, Long] = {
    var footers = KeyPruning.MaxFilesOnDriver
    files => {
      val counted = RowCounts.of(table, files)
      val (known, open) = files.partition(f => counted.contains(f.relativePath))
      val asked = open.take(footers)
      footers -= asked.size
      known.map(f => f -> counted(f.relativePath)).toMap ++ statistics.of(asked).map { case (f, b) => f -> b.rows }
    }
  }

  /** Columns, as paths of names, on which filters can leave out files. */
  def pruningColumns: Set[Seq[String]] =
    partitions.columnPaths ++ keyFilter.singleColumn ++ buckets.missingColumn(filters) ++ bySecondaryIndex.columns

  /** Those of them on which a filter can leave out some files of the plan and keep others: keys say nothing of log files,
    * unless they tell the bucket or are in a record index.
    */
  def pruningColumns(plan: PrunedFiles): Set[Seq[String]] =
    if (plan.files.size + plan.merged.size < 2) Set.empty
    else partitions.columnPaths ++ keyFilter.singleColumn.filter(_ => plan.files.nonEmpty || byRecordIndex.isThere) ++
      buckets.missingColumn(filters).filter(_ => buckets.areCertain) ++
      whole.toSeq.flatMap(_ => bySecondaryIndex.columns)

  /** Those of other columns by whose statistics a filter can leave out files of the plan. No file is opened for this.
    *
    * @param mayTell
    *   files of which nothing is known yet are taken to be told apart
    */
  def separating(columns: Set[Seq[String]], plan: PrunedFiles, mayTell: Boolean): Set[Seq[String]] =
    if (!skips) Set.empty
    else byStatistics.separating(columns -- partitions.columnPaths, plan.files, plan.merged, mayTell)

  /** Bounds of these columns in slices, where the metadata table knows them. */
  private[scan] def bounds(columns: StructType, slices: Seq[FileSlice]): Map[String, ColumnRange] =
    if (!skips) Map.empty
    else byStatistics.around(columns.fieldNames.map(Seq(_)).toSet, slices).map { case (path, range) =>
      path.head -> range
    }

  /** How many rows pass these filters, where folders decide on all rows of each file, and commits or footers count them. */
  private[scan] def counted(asked: Seq[ScanFilter]): Option[Long] = {
    def ofFolders: Boolean = (asked ++ filters).forall(_.columns.subsetOf(partitions.columnPaths))
    if (state.commitTimes.isDefined || first.isDefined || !ofFolders || files.merged.nonEmpty) None
    else {
      val decided = files.files.groupBy(_.partition).map { case (partition, of) =>
        partitions.decides(partition, asked).map(passes => if (passes) of else Nil)
      }
      if (decided.exists(_.isEmpty)) None else FileAggregates.rowsOf(statistics, table, decided.flatten.flatten.toSeq)
    }
  }

  // ---- tasks

  /** All that tasks need to know besides their files.
    *
    * @param columns
    *   those to deliver, of [[TableState.known]] and [[io.hudilite.record.RowPlace]]
    * @param limit
    *   rows after which a task may stop
    */
  def job(columns: StructType, settings: ReaderSettings, limit: Option[Int] = None): ScanTask = {
    val read = FileRead(table.basePath, columns, withinPartitions(filters), files.keys, files.keysToCheck,
      state.commitTimes, settings, state.evolved)
    ScanTask(read, limit, merge, FileFacts.asked(columns, state.known), table.config.droppedColumns.toSet)
  }

  private def merge: Option[SliceMerge] =
    if (files.merged.isEmpty) None else Some(SliceMerge(state.logs, keyColumns))

  // All versions of a record agree in these, so that a filter on them hides all or none.
  private def keyColumns: Set[Seq[String]] = keyFilter.singleColumn.toSet + Seq(MetaFields.RecordKey)

  /** Parts of these files, dealt to tasks.
    *
    * @param columns
    *   those to deliver
    * @param limit
    *   rows that are enough
    */
  def tasks(found: PrunedFiles, columns: StructType, sizes: TaskSizes, limit: Option[Int] = None)
      : Seq[ScanPartition] = {
    checkFolderColumns(found, columns)
    val plain = limit.filter(_ => found.merged.isEmpty).fold(found.files)(enough(found.files, _))
    val slices = found.merged.map(slice => SliceSplit(slice, state.beforeRange.get(slice.groupId)))
    val bytes = (plain.map(_.bytes) ++ slices.map(_.length)).map(_ + sizes.openCostBytes).sum
    val most = ScanPartition.maxSplitBytes(bytes, sizes.mostBytes, sizes.openCostBytes, sizes.parallelism)
    val pack = if (found.keysToCheck) ScanPartition.packToCheck _ else ScanPartition.pack _
    val late = narrowing(found)
    pack(plain, most, sizes.openCostBytes, slices, sizes.parallelism).map(task =>
      task.copy(narrowing = late, folders = valuesOf(task.splits.map(_.partition), columns)))
  }

  /** Sources of skeletons lack the partition columns, as files of Spark and Hive do. */
  private def checkFolderColumns(found: PrunedFiles, columns: StructType): Unit = {
    val asked = table.config.partitionFields.filter(columns.fieldNames.contains(_))
    if (asked.nonEmpty) found.baseFiles.filter(_.source.isDefined).map(_.partition).distinct.foreach { partition =>
      val told = partitions.valuesOf(partition)
      // Of the folder of nulls the source tells what a reader of the source is told.
      asked.find(name => !told.contains(name) && !partition.contains(KeyEncoding.DefaultPartition)).foreach(name =>
        throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
          "feature" -> s"bootstrapped files in partitions by $name",
          "reason" -> s"the path of the partition '$partition' does not tell the value of that column",
          "way" -> UnsupportedTable.ByHudi))
    }
  }

  /** How these columns can be grouped: file groups of one bucket, if all of them are of buckets for sure.
    *
    * @param byPartition
    *   by partition columns, too, where folders tell all of their values
    */
  private[scan] def grouping(columns: StructType, byPartition: Boolean): Option[BucketGrouping] =
    buckets.certainKeys(_.column.exists(column => columns.fieldNames.contains(column.name))).map { keys =>
      val folders = table.config.partitionFields
      BucketGrouping(keys.index, keys.column.get,
        if (byPartition && folders.forall(columns.fieldNames.contains) && foldersTellAll) folders else Nil)
    }

  private def foldersTellAll: Boolean = listed.groups.map(_.partition).toSet.forall(partition =>
    table.config.partitionFields.forall(partitions.valuesOf(partition).contains))

  /** How the keys of all rows are dealt to buckets, if all file groups are of buckets for sure. */
  private[scan] def hashedKeys: Option[HashedKeys] = buckets.certainKeys(_ => true)

  /** @param partition
    *   path to which rows with these values of the partition columns go; `None` = it does not depend on these alone
    */
  private[scan] def lots(tasks: Int, partition: Option[Map[String, Any] => Option[String]]): BucketLots = {
    val folders = listed.groups.map(_.partition).toSet[String]
    val paths = for (to <- partition if foldersTellAll)
      yield for (from <- folders.toSeq; path <- to(partitions.valuesOf(from))) yield from -> path
    BucketLots(tasks, paths.map(_.toMap).filter(_.size == folders.size))
  }

  /** Buckets that have rows, as far as lots tell them apart. */
  private[scan] def filled(lots: BucketLots): Int = grouped(files, new StructType).filled(lots)

  private[plan] def grouped(found: PrunedFiles, columns: StructType): GroupedTasks = {
    val all = (found.files.map(_.partition) ++ found.merged.map(_.partition)).distinct
    new GroupedTasks(found, state, narrowing(found), valuesOf(all, columns))
  }

  /** The column by whose values the rows of each group come in order: where each is one base file, read as a whole, whose
    * footer says that it is sorted by key. Files of Apache Hudi do not say so.
    */
  private[scan] def sortedColumn(by: BucketGrouping, sizes: TaskSizes): Option[String] = keyFilter.textColumn.filter {
    name =>
      val found = files.files
      name == by.column.name && by.partitionColumns.isEmpty && files.merged.isEmpty &&
      found.size <= KeyPruning.MaxFilesOnDriver && found.forall(_.length <= sizes.mostBytes) &&
      found.map(f => BucketIndex.bucketOfFile(f.fileId)).distinct.size == found.size &&
      statistics.of(found).values.forall(_.keys.sorted)
  }

  /** The parts of these files, each of one bucket; see [[GroupedTasks]]. */
  private[scan] def tasks(found: PrunedFiles, columns: StructType, sizes: TaskSizes, by: BucketGrouping,
      withEmpty: Boolean): Seq[BucketPartition] =
    grouped(found, columns).of(by, sizes.mostBytes, partitions.valuesOf, withEmpty)

  /** These files, with all of a bucket in one task. */
  private[scan] def tasks(found: PrunedFiles, columns: StructType, sizes: TaskSizes, lots: BucketLots)
      : Seq[ScanPartition] = {
    checkFolderColumns(found, columns)
    grouped(found, columns).in(lots, sizes.openCostBytes)
  }

  /** As many files as hold the rows wanted, when the number of their rows is known. */
  private def enough(files: Seq[BaseFile], rows: Int): Seq[BaseFile] =
    if (filters.nonEmpty || state.commitTimes.isDefined) files
    else {
      val counts = RowCounts.of(table, files)
      val before = files.scanLeft(0L)((sum, f) => sum + counts.getOrElse(f.relativePath, 0L))
      files.zip(before).takeWhile(_._2 < rows).map(_._1)
    }

  private def narrowing(found: PrunedFiles): Option[Narrowing] =
    if (found.late.isEmpty) None
    else
      Some(Narrowing(withinPartitions(filters ++ found.late.flatMap(LateFilter.shortened(_, state.known))), found.keys,
          found.keysToCheck))

  /** The filters that say something of a file beyond its partition, of which the folder has said it. */
  private def withinPartitions(filters: Seq[ScanFilter]): Seq[ScanFilter] = ScanFilter.conjuncts(filters).filterNot(
    _.columns.exists(column => column.size == 1 && partitions.folderColumns(column.head)))

  /** Values of columns by partition, as the folders say them. */
  private def valuesOf(found: Seq[String], columns: StructType): Map[String, Map[String, Any]] =
    if (!columns.fieldNames.exists(partitions.folderColumns)) Map.empty
    else found.distinct.map { partition =>
      val told = partitions.valuesOf(partition).filter { case (name, _) => columns.fieldNames.contains(name) }
      columns.fields.find(f => table.config.droppedColumns.contains(f.name) && !told.contains(f.name)).foreach(field =>
        throw PathValue.untold(table.basePath, partition, field.name, field.dataType))
      partition -> told
    }.toMap
}
