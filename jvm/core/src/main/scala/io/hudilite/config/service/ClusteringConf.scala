package io.hudilite.config.service

import io.hudilite.config.key.Setting
import io.hudilite.error.InvalidInput

/** Choice of the files that a clustering writes again, and the layout of their rows.
  *
  * @param inline
  *   true when a clustering that is due follows a write
  * @param maxCommits
  *   commits since the last clustering after which one is due
  * @param targetBytes
  *   size of the files to write
  * @param smallFileBytes
  *   size below which base files are taken
  * @param groupBytes
  *   most bytes of the files of one group
  * @param waitMs
  *   longest wait of a write for pending clusterings before it begins
  */
final case class ClusteringConf(
    inline: Boolean,
    maxCommits: Int,
    sortColumns: Seq[String],
    layout: String,
    targetBytes: Long,
    smallFileBytes: Setting[Long],
    groupBytes: Setting[Long],
    maxGroups: Setting[Int],
    partitions: ClusteredPartitionsConf,
    waitMs: Long)

/** Partitions that a clustering looks at.
  *
  * @param filter
  *   one of the filter modes of [[ClusteringOptions]]
  * @param lookback
  *   partitions that RECENT_DAYS takes, behind those that it skips
  * @param selected
  *   the only partitions, by their paths; `None` = all
  * @param pattern
  *   pattern that the whole path of a partition must match; it does not count where partitions are selected
  */
final case class ClusteredPartitionsConf(
    filter: String,
    lookback: Int,
    skipLatest: Int,
    begin: Option[String],
    end: Option[String],
    selected: Option[Seq[String]],
    pattern: Option[String])

/** Layout of files by a plan in the timeline; `None` = by the options of its run. */
final case class PlannedLayout(sortColumns: Seq[String], layout: Option[String], targetBytes: Option[Long])

object ClusteringConf {

  import ClusteringOptions._

  private[service] def of(options: Map[String, String]): ClusteringConf = ClusteringConf(
    inline = Inline(options),
    maxCommits = MaxCommits(options),
    sortColumns = SortColumns.get(options).getOrElse(Nil),
    layout = Layout(options),
    targetBytes = TargetBytes(options),
    smallFileBytes = SmallFileBytes.setting(options),
    groupBytes = GroupBytes.setting(options),
    maxGroups = MaxGroups.setting(options),
    partitions = partitionsOf(options),
    waitMs = WaitMs(options))

  private def partitionsOf(options: Map[String, String]): ClusteredPartitionsConf = ClusteredPartitionsConf(
    filter = filterOf(options),
    lookback = Lookback(options),
    skipLatest = SkipLatest(options),
    begin = BeginPartition.get(options),
    end = EndPartition.get(options),
    selected = Selected.get(options),
    pattern = PartitionPattern.get(options))

  // A planning class that is named stands for a filter, too.
  private def filterOf(options: Map[String, String]): String = {
    val byClass = Strategy.get(options).flatMap(PlanStrategies.toMap.get).filter(_ != NoFilter)
    val named = FilterMode.get(options)
    for (one <- byClass; other <- named if one != other)
      throw InvalidInput.option(FilterMode.name, other, s"${Strategy.name} asks for $one")
    named.orElse(byClass).getOrElse(NoFilter)
  }
}

object PlannedLayout {

  import ClusteringOptions._

  /** Layout from a plan. Raises `InvalidInput` for a malformed value.
    *
    * @param params
    *   parameters of the plan, by names of options
    */
  def of(params: Map[String, String]): PlannedLayout = PlannedLayout(SortColumns.get(params).getOrElse(Nil),
    if (Layout.isSet(params)) Layout.get(params) else None,
    if (TargetBytes.isSet(params)) TargetBytes.get(params) else None)
}
