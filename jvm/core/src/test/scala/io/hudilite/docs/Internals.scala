package io.hudilite.docs

/** A class of Spark's or parquet-mr's that is not made for others, and may change with any version.
  *
  * @param names
  *   classes, behind `org.apache.spark.` or `org.apache.parquet.`, or one of the two other ways to reach hidden code
  * @param why
  *   purpose of the use
  * @param where
  *   the files that name it: all of them, each with the last part of its room
  * @param tests
  *   suites that go through it
  */
final case class Internal(names: Seq[String], why: String, where: Seq[String], tests: Seq[String])

/** All uses of Spark and parquet-mr beyond their interfaces. `InternalsSuite` compares the sources with them, and
  * docs/spark-internals.md is made of them.
  */
object Internals {

  /** Prefix of Spark's packages. */
  val Spark = "org.apache.spark."

  /** Methods and fields found by name while the program runs. */
  val Reflection = "reflection"

  /** Code in a package of Spark's, where it sees private classes. */
  val Inside = "a package of Spark's"

  private def entry(names: String*)(why: String)(where: String*)(tests: String*): Internal =
    Internal(names, why, where, tests)

  private val plans: Seq[Internal] = Seq(
    entry("sql.execution.datasources.v2.DataSourceV2Relation")(
      "The node in which Spark plans a table of a catalog. Rules get it from Spark and give it back, so that they cannot " +
        "do with another class. It is made by its factory and changed by `PlanNodes`, never by its constructor.")(
      "catalog/AnalyzeStatement", "catalog.statement/AsSelect", "catalog/NamedMetadata",
      "catalog.statement/NamesRule", "catalog.statement/ReadsRule", "catalog.statement/RefusalsRule",
      "catalog.statement/RewritesRule", "catalog.statement/ViewsRule", "catalog.statement/WritesRule",
      "function/TableFunctions", "keys/SparkKeyJobs", "lookup/ProbeTarget",
      "plan.delta/DeltaLayoutRule", "plan.merge/IndexProbeRule",
      "plan.merge/MergeStatements", "plan.merge/NewestOfSource", "plan.delta/MovedRows", "plan.table/PartitionFilters",
      "plan.table/PlannedTable",
      "plan.merge/PutBackRows", "plan.merge/StoredKeys",
      "plan.delta/RowUpdates", "plan.delta/LateMoves", "plan/WriteRule", "plan/SeenVersions",
      "cluster.rewrite/ClusteredFiles",
      "cluster.rewrite/ClusteringJob", "shim/CachedPlans", "shim/PlanNodes",
      "scan.rule/AggregatesRule", "plan.table/AwaitedClusterings", "plan.layout/InputEstimate", "stage/Repeatable",
      "stage/SharedRows", "write/RowLevelWrite", "plan/WriteSource")("UpsertPlanSuite",
      "MergeStatementSuite",
      "PathStatementsSuite",
      "CallSuite"),
    entry("sql.execution.datasources.v2.DataSourceV2ScanRelation")(
      "That node with its scan built: the whole table in the place of a lookup, sources that give their rows again, " +
        "scans that get other columns, are filtered while the query runs, or tell how their rows are dealt.")(
      "lookup/ProbeTarget", "plan.table/AwaitedClusterings", "plan.delta/RowUpdates", "scan.rule/RuntimeFilters",
      "scan.rule/SubqueryScans", "scan.rule/BucketedScans", "scan.rule/BucketUses", "scan.rule/DealtWrites",
      "scan.rule/CountedPartitions", "scan.rule/FirstOfFiltered", "scan.rule/JoinedColumns",
      "scan.rule/UnnestedFilters", "shim/PlanNodes",
      "stage/Repeatable")(
      "UpsertPlanSuite", "EvaluatedOnceSuite", "RuntimeFiltersSuite", "SubqueryScansSuite", "BucketedScansSuite",
      "DealtWritesSuite"),
    entry("sql.execution.dynamicpruning.PartitionPruning")(
      "Spark's own search for runtime filters, which hudilite has done once more, and later, so that none holds another.")(
      "scan.rule/JoinedColumns", "scan.rule/RuntimeFilters", "scan.rule/SmallSides",
      "scan.rule/UnnestedFilters")("RuntimeFiltersSuite"),
    entry("sql.execution.dynamicpruning.CleanupDynamicPruningFilters")(
      "Removes the runtime filters that have not come down to a scan.")("scan.rule/RuntimeFilters")(
      "RuntimeFiltersSuite"),
    entry("sql.execution.adaptive.LogicalQueryStage", "sql.execution.datasources.HadoopFsRelation",
      "sql.execution.datasources.LogicalRelation", "sql.execution.datasources.v2.FileScan")(
      "Sources that give the same rows each time; one that is not known is evaluated once, which costs a shuffle.")(
      "stage/Repeatable")("EvaluatedOnceSuite"),
    entry(Reflection)(
      "Nodes have gained parameters between minor versions: constructors, and whether a statement evolves the schema.")(
      "shim/PlanNodes")("PlanNodesSuite", "UpsertPlanSuite", "MergeStatementSuite", "PathStatementsSuite"),
    entry(Reflection, "SparkSession.sessionState")(
      "The manager of catalogs is a class in Spark 4.0 and an interface in 4.3.")("shim/Catalogs")(
      "PathStatementsSuite"),
    entry(Reflection, "sql.execution.CachedData", "sql.execution.columnar.InMemoryRelation")(
      "Cached plans of a table that has changed: the list is private, and a cached name is read again by a method " +
        "that Spark has from 4.1 on.")("shim/CachedPlans")("CachedTablesSuite", "GeneratedKeysSuite"),
    entry(Reflection, "SparkSession.sessionState")(
      "The session's own catalog of names, and what it keeps of each.")("shim/CatalogEntries")("NamedStatementsSuite"),
    entry(Reflection)(
      "The client of a Hive metastore, which the session's catalog has and hides: only there can an entry be made that " +
        "Hive's readers find columns and partitions in.")("shim/EntryWriter")("SyncedNamesSuite"),
    entry("sql.execution.command.CreateTableLikeCommand")(
      "The statement as Spark plans it before 4.2, to be carried out where a Hudi table comes out.")(
      "catalog.statement/LikeStatement", "catalog.statement/RewritesRule")("LikeStatementSuite"),
    entry("sql.execution.command.LeafRunnableCommand")(
      "A statement of hudilite's that is run once.")("catalog/AnalyzeStatement",
      "catalog.statement/BootstrapStatement", "catalog.statement/LikeStatement")("AnalyzeStatementSuite",
      "BootstrapOperationSuite", "LikeStatementSuite"),
    entry("sql.execution.command.CommandUtils")(
      "Statistics of columns as ANALYZE TABLE makes them of any plan.")("shim/Datasets")("AnalyzeStatementSuite"),
    entry("sql.execution.datasources.SaveIntoDataSourceCommand")(
      "The command that `save` to a path becomes, with all options of the writer: it is replaced by a planned " +
        "write.")(
      "catalog.statement/BootstrapRows", "catalog.statement/WritesRule")("SavedPathsSuite", "BootstrapOperationSuite"),
    entry("sql.execution.datasources.CreateTable")(
      "The command that `saveAsTable` becomes over the name of a table of one of Spark's own formats.")(
      "catalog.statement/WritesRule")("NamedFramesSuite"),
    entry("SparkSession.sessionState")(
      "Hadoop's configuration with the settings of the session.")("shim/Sessions")("StorageBudgetSuite"),
    entry("sql.execution.datasources.v2.DataSourceV2Strategy", Inside)(
      "Conditions in the words that Spark has for sources, where a write is planned before they are pushed down.")(
      "shim/SourceFilters")("ListedPartitionsSuite"),
    entry(Inside)("`RowLevelOperationTable`, the table that Spark puts into a row-level command.")(
      "shim/RowLevelTables")("UpsertPlanSuite", "MergeStatementSuite"),
    entry("sql.execution.command.LeafRunnableCommand", "SparkSession.sessionState")(
      "CALL on Spark 3.5, which has no such statement: what a parser gives back to be run once, in the session's zone.")(
      "shim/Calls")("CallSuite"),
    entry(Reflection)("The interface of parsers has grown with each minor version of Spark 4.")(
      "shim/StatementParsers")("DialectSuite"),
    entry(Inside)(
      "`Dataset.ofRows`, to run a plan that no SQL and no DataFrame makes, and what makes a column of an expression.")(
      "shim/Datasets")("CompactionSuite", "LogCompactionSuite", "SortLayoutSuite"))

  private val operators: Seq[Internal] = Seq(
    entry("sql.execution.adaptive.LogicalQueryStage")(
      "A part of a plan that adaptive execution has run, such as a lookup.")(
      "plan.merge/IndexProbe")("RecordIndexWriteSuite"),
    entry("sql.execution.ProjectExec")("Columns that are computed of those of a lookup.")(
      "plan.merge/IndexProbeStrategy")(
      "RecordIndexWriteSuite"),
    entry("sql.execution.SparkStrategy")("Plans hudilite's own operators.")("plan.merge/IndexProbeStrategy")(
      "UpsertPlanSuite"),
    entry("sql.execution.SparkPlan")("The class of operators of a physical plan.")(
      "lookup/MoveResolution", "lookup/FullKeyScanExec", "lookup/IndexProbeExec", "lookup/KeyPlaces",
      "lookup/ProbeRDD", "lookup/RowsAtPlacesExec", "lookup/ShardLookupExec", "plan/BusyTasks",
      "plan.merge/IndexProbeStrategy",
      "plan.merge/LatestByKey", "plan/WriteLoopExec", "plan/WriteLoopRule", "plan.layout/PrepareTasksExec",
      "shim/SharedRowsExec", "shim/Sessions")(
      "UpsertPlanSuite", "EvaluatedOnceSuite"),
    entry("sql.execution.CommandExecutionMode")(
      "The plan of a write's next attempt, which is run within the execution that the first one belongs to.")(
      "shim/Sessions")("RebasedWriteSuite"),
    entry("sql.execution.UnaryExecNode")("The class of operators over one other.")(
      "lookup/MoveResolution", "lookup/FullKeyScanExec", "lookup/IndexProbeExec", "lookup/KeyPlaces",
      "lookup/RowsAtPlacesExec", "lookup/ShardLookupExec", "plan.merge/LatestByKey",
      "plan/WriteLoopExec", "plan.layout/PrepareTasksExec")(
      "UpsertPlanSuite", "LaterRowSuite", "MovedRowsSuite"),
    entry("sql.execution.ColumnarRule", "sql.execution.datasources.v2.V2ExistingTableWriteExec")(
      "Finds Spark's commands that write, and where the groups of a write are asked for.")("plan/WriteLoopRule")(
      "WriteLoopSuite", "UpsertPlanSuite"),
    entry("sql.execution.datasources.v2.V2CommandExec")(
      "Runs each of these commands, says in one line why it failed, and has the services of its table follow.")(
      "plan/WriteLoopExec")("MergeStatementSuite", "WriteLoopSuite"),
    entry("sql.execution.metric.SQLMetric")("Counts that the page of a query shows; tasks add to them.")(
      "lookup/IndexProbeExec", "lookup/ProbeRDD", "lookup/RowsAtPlacesExec", "lookup/ShardLookupExec",
      "plan.merge/LatestByKey", "shim/OwnShuffle",
      "slice.deliver/SliceLookup")(
      "UpsertPlanSuite", "EvaluatedOnceSuite"),
    entry("sql.execution.metric.SQLMetrics")("Makes those of an operator.")(
      "lookup/IndexProbeExec", "lookup/ProbeRDD", "lookup/RowsAtPlacesExec", "lookup/ShardLookupExec",
      "plan.merge/LatestByKey", "shim/OwnShuffle")("UpsertPlanSuite",
      "EvaluatedOnceSuite"),
    entry("sql.execution.SQLExecution")(
      "Which execution of a plan a thread works for; and a session's settings for tasks of jobs that are no queries.")(
      "lookup/IndexProbeExec", "lookup/ShardLookupExec", "shim/OwnShuffle", "shim/Sessions", "shim/SharedShuffle")(
      "UpsertPlanSuite",
      "EvaluatedOnceSuite", "CompactionSuite"),
    entry(Inside)(
      "`TaskOutputFileAlreadyExistException`, which a task raises so that its job is given up at once: a row that breaks a " +
        "rule breaks it in each attempt. A Spark that did not know it any more would run the task again.")(
      "shim/LastAttempts")("MergeStatementSuite"),
    entry(Inside)("`RDD.mapPartitionsInternal`, without Spark's look at the bytecode of each function.")("shim/Rdds")(
      "LaterRowSuite"))

  private val shuffles: Seq[Internal] = Seq(
    entry("sql.execution.adaptive.AQEShuffleReadExec", "sql.execution.adaptive.ShuffleQueryStageExec",
      "sql.execution.CoalescedPartitionSpec")(
      "The output of an exchange, so that no task is started for a partition without rows.")("plan/BusyTasks")(
      "BusyTasksSuite"),
    entry("sql.execution.ShufflePartitionSpec", "sql.execution.exchange.ShuffleExchangeLike", Inside)(
      "An exchange that Spark neither leaves out nor plans twice, so that a source is evaluated once.")(
      "shim/OwnShuffle", "shim/SharedRowsExec")("EvaluatedOnceSuite", "UpsertPlanSuite"),
    entry("sql.execution.LeafExecNode", "sql.execution.exchange.REPARTITION_BY_COL",
      "sql.execution.exchange.ShuffleOrigin")("The rest of what makes an exchange.")("shim/SharedRowsExec")(
      "EvaluatedOnceSuite"),
    entry("sql.execution.ShuffledRowRDD", "sql.execution.UnsafeRowSerializer",
      "sql.execution.exchange.ShuffleExchangeExec", "sql.execution.metric.SQLShuffleReadMetricsReporter",
      "sql.execution.metric.SQLShuffleWriteMetricsReporter", Reflection)(
      "Spark's own way of dealing rows to tasks; the method for it has got a parameter more in 4.3.")(
      "shim/OwnShuffle")("EvaluatedOnceSuite"),
    entry("sql.execution.ShuffledRowRDD", "sql.execution.UnsafeRowSerializer",
      "sql.execution.metric.SQLShuffleReadMetricsReporter", "sql.execution.metric.SQLShuffleWriteMetricsReporter",
      Inside)("Rows of an operator brought together where it shows only as it is executed that they have to be.")(
      "shim/DealtRows")("PutBackSuite"),
    entry("util.ThreadUtils")("Waiting for the job behind an exchange, and learning of its end in Spark's own thread.")(
      "shim/OwnShuffle", "shim/SharedShuffle")("EvaluatedOnceSuite", "PackedInsertsSuite"),
    entry(Inside)("Code that these exchanges share, and the failure when rows would be evaluated again.")(
      "shim/RowsOnce", "shim/SharedShuffle")("EvaluatedOnceSuite"),
    entry(Inside)(
      "Rows that an exchange counts by partition as it writes them, without Spark's look at the bytecode of the function.")(
      "shim/RowsByPartition")("RowsByPartitionSuite", "CountedRowsSuite"))

  private val memory: Seq[Internal] = Seq(
    entry("sql.execution.UnsafeExternalRowSorter")(
      "Sorts rows in memory that Spark grants to the task, and on disk beyond it.")(
      "logfile.read/MergedLog", "row/ExternalSort")("SpillingReadSuite", "MergedReadSuite"),
    entry("util.collection.unsafe.sort.PrefixComparator", "util.collection.unsafe.sort.PrefixComparators")(
      "The order of the first eight bytes, by which that sorter tells most rows apart.")("row/ExternalSort")(
      "SpillingReadSuite", "MergedReadSuite"),
    entry("unsafe.map.BytesToBytesMap")("A hash map in memory that Spark grants to the task.")(
      "shim/TaskMemory", "slice.deliver/HashedMatcher")("SpillingReadSuite"),
    entry("memory.SparkOutOfMemoryError")("No more is granted, so that the slice is merged by sorting.")(
      "slice.deliver/HashedMatcher")("SpillingReadSuite"),
    entry(Inside)("The memory manager of a task.")("shim/TaskMemory")("SpillingReadSuite"))

  private val files: Seq[Internal] = Seq(
    entry("sql.execution.datasources.parquet.VectorizedParquetRecordReader")(
      "Decodes base files to batches. It is made where the batches are read, and started by `VectorizedReaders`.")(
      "basefile.read/FileBatches", "shim/VectorizedReaders")(
      "GoldenReadSuite", "GoldenWriteSuite"),
    entry(Reflection)("The type for times of day, which 4.1 brought.")("shim/TimesOfDay")("StoredTypesSuite"),
    entry(Reflection)("Later versions than 4.0 start it together with the open file, by a method that 4.0 has not.")(
      "shim/VectorizedReaders")("GoldenReadSuite"),
    entry("sql.execution.datasources.parquet.ParquetReadSupport")(
      "Decodes to rows, and names the settings that both readers look up in Hadoop's configuration.")(
      "basefile.read/ReaderContexts", "basefile.stored/StoredReadSupport",
      "logfile.read/ParquetBlockRows", "row/SessionConf")("GoldenReadSuite", "MergedReadSuite", "StoredTypesSuite"),
    entry("sql.execution.datasources.parquet.ParquetFileFormat")(
      "The name of the column that numbers the rows of a file.")(
      "basefile.read/RowReader")("UpsertPlanSuite", "RepeatedKeysSuite"),
    entry("sql.execution.datasources.parquet.ParquetToSparkSchemaConverter")(
      "Types of the columns of a file as Spark's readers deliver them.")(
      "basefile.read/BaseFileReader", "basefile.stored/FileType",
      "basefile.read/ReaderContexts", "logfile.read/ParquetBlockRows")("EvolvedReadSuite", "ColumnsByIdSuite"),
    entry("sql.execution.datasources.parquet.ParquetColumn")(
      "The parts of such a type, down to the storage of each value.")("basefile.stored/FileType")("StoredTypesSuite"),
    entry("sql.execution.datasources.DataSourceUtils")("Which calendar the old dates of a file are in.")(
      "basefile.read/FileBatches")("MergedReadSuite", "EvolvedReadSuite", "SliceCopierSuite"),
    entry("sql.execution.datasources.parquet.ParquetUtils", "sql.execution.WholeStageCodegenExec")(
      "Spark's own check that it takes batches of these columns.")("scan.plan/ScanSettings")(
      "GoldenReadSuite"),
    entry(Inside)("Which file `input_file_name()` tells: what tasks of Spark's own sources say of theirs.")(
      "shim/InputFiles")("FileFactsSuite"),
    entry("column.values.ValuesWriter", "column.values.dictionary.DictionaryValuesWriter",
      "column.values.factory.ValuesWriterFactory", "column.values.fallback.FallbackValuesWriter")(
      "parquet-mr's encoders of text, beside which hudilite's write the same bytes.")("basefile.encode/TextValues")(
      "BaseFileWriterSuite"),
    entry("hadoop.ColumnChunkPageWriteStore")("parquet-mr's buffer of compressed pages; its constructor has changed.")(
      "basefile.encode/RowGroupBuffer", "shim/PageStores")("BaseFileWriterSuite"),
    entry("format.FileMetaData", "format.Util")("The footer alone, without what parquet-mr makes of its row groups.")(
      "filegroup/BaseFileFooter")("BaseFileFooterSuite"),
    entry("format.Util", "format.converter.ParquetMetadataConverter", "internal.column.columnindex.ColumnIndex",
      "internal.column.columnindex.OffsetIndex")(
      "Page indexes of a row group that is copied, whose footer is known: parquet-mr's reader would read that again.")(
      "basefile.read/PageIndexes")("SliceCopierSuite", "WideRowsSuite"))

  private val vectors: Seq[Internal] = Seq(
    entry("sql.execution.vectorized.WritableColumnVector")(
      "The vectors of batches. Merged rows are written over those of the base file, in the vectors of its reader.")(
      "basefile.encode/StringSink", "basefile.read/ColumnView", "shim/RowColumns", "shim/VectorDictionaries",
      "slice.deliver/ChangedDictionary", "slice.deliver/RowBatch", "slice.deliver/RowOverwriter")(
      "RowOverwriterSuite", "BaseFileWriterSuite", "MergedReadSuite"),
    entry("sql.execution.vectorized.Dictionary")("The values of a vector that has only their ids.")(
      "shim/VectorDictionaries", "slice.deliver/ChangedDictionary")("RowOverwriterSuite"),
    entry(Reflection)("The dictionary of a vector, which gives it to its own package only.")(
      "shim/VectorDictionaries")("RowOverwriterSuite"),
    entry("sql.execution.vectorized.OnHeapColumnVector")(
      "The vectors of rows that are collected to a batch, and of the numbers of rows that are found.")(
      "lookup/FoundBatches", "slice.deliver/RowBatch")("MergedReadSuite"),
    entry("sql.execution.vectorized.ConstantColumnVector")("A column of one value.")(
      "basefile.read/ConstantColumns", "scan.task/ScanColumns", "slice.deliver/RowOverwriter")(
      "RowOverwriterSuite", "MergedReadSuite", "StrangeFoldersSuite"),
    entry("sql.execution.RowToColumnConverter", Inside)("Appends rows to vectors.")("shim/RowColumns")(
      "MergedReadSuite"))

  private val settings: Seq[Internal] = Seq(
    entry("sql.internal.SQLConf")(
      "The settings of the session with their defaults, in tasks, too. Each is asked where it decides something: Spark " +
        "gives them to a thread, not to an object.")(
      "basefile.read/FileBatches", "basefile.read/ReaderContexts", "basefile.skeleton/OldSkeleton",
      "basefile.read/FileRead", "catalog/CreateRequest",
      "catalog.statement/PrimaryKeys", "procedure/SqlTexts",
      "logfile.read/LogRecords",
      "logfile.read/ParquetBlockRows", "lookup/ProbeTarget", "plan.table/Overwrite", "plan.table/PartitionCondition",
      "plan.merge/KeptPlaces", "plan.merge/PutBackRows", "plan.layout/RecordSize", "plan.delta/RowUpdates",
      "plan.delta/LateMoves",
      "scan.rule/RuntimeFilters",
      "plan.table/SelectedPartitions", "scan.rule/BucketUses", "scan.rule/JoinedColumns", "scan.rule/SubqueryScans",
      "scan.rule/UnnestedFilters",
      "plan.layout/WriteLayout",
      "scan.plan/HudiliteScan", "scan.plan/ScanSettings", "scan.plan/ScanStatistics", "scan.plan/TimeTravel",
      "row/SchemaAlignment", "row/StoreAssignment", "row/TextLiterals",
      "row/SessionConf",
      "shim/TimesOfDay")(
      "EvolvedReadSuite", "ColumnNamesSuite", "OverwriteSuite", "RequestOptionsSuite"),
    entry(Reflection)("A class of the user's that chooses what is compacted; nothing of Spark's.")(
      "compact/CompactionStrategy")("StrategiesSuite"))

  /** By what they belong to. */
  val all: Seq[(String, Seq[Internal])] = Seq("Plans" -> plans, "Operators" -> operators, "Shuffles" -> shuffles,
    "Memory" -> memory, "Parquet files" -> files, "Vectors" -> vectors, "Settings and plug-ins" -> settings)
}
