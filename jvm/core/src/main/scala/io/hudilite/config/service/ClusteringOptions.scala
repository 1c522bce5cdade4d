package io.hudilite.config.service

import io.hudilite.config.key.ConfigKey

/** Options of clustering, which choose files and lay out their rows. */
object ClusteringOptions {

  val Linear = "linear"
  val ZOrder = "z-order"
  val Hilbert = "hilbert"

  val NoFilter = "NONE"
  val RecentDays = "RECENT_DAYS"
  val SelectedPartitions = "SELECTED_PARTITIONS"

  /** Simple names of Hudi's classes that plan, with the partition filter that each stands for. */
  val PlanStrategies: Seq[(String, String)] = Seq(
    "SparkSizeBasedClusteringPlanStrategy" -> NoFilter,
    "SparkRecentDaysClusteringPlanStrategy" -> RecentDays,
    "SparkSelectedPartitionsClusteringPlanStrategy" -> SelectedPartitions)

  /** Names of Hudi's classes that run plans as hudilite does, so that rows, commit times and keys stay. */
  val Executions: Seq[String] = Seq("SparkSortAndSizeExecutionStrategy", "SparkSingleFileSortExecutionStrategy",
    "SparkBinaryCopyClusteringExecutionStrategy", "SparkStreamCopyClusteringExecutionStrategy",
    "JavaSortAndSizeExecutionStrategy")

  private val Plan = "hoodie.clustering.plan.strategy"
  private val MiB = 1024L * 1024L

  val Inline: ConfigKey[Boolean] = ConfigKey.flag("hoodie.clustering.inline", default = false,
    "After a write, run the clusterings that are planned and, when enough commits have completed since the last one, " +
      "plan and run another. The write is committed before; a clustering that fails stays planned, and is logged.")

  val SortColumns: ConfigKey[Seq[String]] = ConfigKey.list(s"$Plan.sort.columns",
    "Columns by which a clustering lays the rows out; without any, small files are put together as they are.")

  val Layout: ConfigKey[String] = ConfigKey.choice("hoodie.layout.optimize.strategy", Some(Linear),
    Seq(Linear, ZOrder, Hilbert),
    "How the sort columns lay rows out: one after the other, or along a curve on which rows that are alike in any of " +
      "them lie together.")

  val MaxCommits: ConfigKey[Int] = ConfigKey.int("hoodie.clustering.inline.max.commits", 4,
    "Commits since the last clustering after which the next one is due inline.", 1, "commits")

  val TargetBytes: ConfigKey[Long] = ConfigKey.long(s"$Plan.target.file.max.bytes", 1024L * MiB,
    "Size of the files that a clustering writes.", 1, "bytes")

  val SmallFileBytes: ConfigKey[Long] = ConfigKey.long(s"$Plan.small.file.limit", 300L * MiB,
    "Base files smaller than this are taken.", 0, "bytes")

  val GroupBytes: ConfigKey[Long] = ConfigKey.long(s"$Plan.max.bytes.per.group", 2048L * MiB,
    "Bytes of the files of one partition that are written again together, at most.", 1, "bytes")

  val MaxGroups: ConfigKey[Int] = ConfigKey.int(s"$Plan.max.num.groups", 30, "Groups of one plan, at most.", 1,
    "groups")

  val Strategy: ConfigKey[String] = ConfigKey(s"$Plan.class", None,
    "Hudi's class that plans: sizes alone, the most recent partitions, or those of a range.",
    (s: String) =>
      PlanStrategies.map(_._1).find(_.equalsIgnoreCase(s.substring(s.lastIndexOf('.') + 1))).getOrElse(
        throw new IllegalArgumentException(s"it must be one of ${PlanStrategies.map(_._1).mkString(", ")}")))

  val FilterMode: ConfigKey[String] = ConfigKey.choice("hoodie.clustering.plan.partition.filter.mode", None,
    Seq(NoFilter, RecentDays, SelectedPartitions),
    "Which partitions are looked at: all, the greatest ones by name, or those of a range.")

  val Lookback: ConfigKey[Int] = ConfigKey.int(s"$Plan.daybased.lookback.partitions", 2,
    "Partitions that RECENT_DAYS takes.", 1, "partitions")

  val SkipLatest: ConfigKey[Int] = ConfigKey.int(s"$Plan.daybased.skipfromlatest.partitions", 0,
    "Greatest partitions that RECENT_DAYS leaves out.", 0, "partitions")

  val BeginPartition: ConfigKey[String] = ConfigKey.text(s"$Plan.cluster.begin.partition", None,
    "First partition that SELECTED_PARTITIONS takes.")

  val EndPartition: ConfigKey[String] = ConfigKey.text(s"$Plan.cluster.end.partition", None,
    "Last partition that SELECTED_PARTITIONS takes.")

  val Selected: ConfigKey[Seq[String]] = ConfigKey.list(s"$Plan.partition.selected",
    "Paths of the only partitions that are looked at.")

  val PartitionPattern: ConfigKey[String] = ConfigKey(s"$Plan.partition.regex.pattern", None,
    "A regular expression that the whole path of a partition must match.",
    (s: String) => {
      try java.util.regex.Pattern.compile(s)
      catch {
        case e: java.util.regex.PatternSyntaxException =>
          throw new IllegalArgumentException(s"it must be a regular expression: ${e.getDescription}", e)
      }
      s
    }, valueType = "regular expression")

  val WaitMs: ConfigKey[Long] = ConfigKey.long("hudilite.clustering.wait_time_ms", 0L,
    "Time that a write waits, before it looks anything up, for pending clusterings of the table to end: one that changes " +
      "rows by their keys, or overwrites. After that it goes on, and is refused when it meets a file group that one of " +
      "them still takes. 0 = it is refused at once.",
    0, "milliseconds")

  /** Options with a constant in Python and a row in docs/options.md. */
  val documented: Seq[ConfigKey[_]] = Seq(Inline, SortColumns)

  /** Other options, with the meanings of Hudi's documentation. */
  val further: Seq[ConfigKey[_]] = Seq(Layout, MaxCommits, TargetBytes, SmallFileBytes, GroupBytes, MaxGroups, Strategy,
    FilterMode, Lookback, SkipLatest, BeginPartition, EndPartition, Selected, PartitionPattern, WaitMs)

  val all: Seq[ConfigKey[_]] = documented ++ further
}
