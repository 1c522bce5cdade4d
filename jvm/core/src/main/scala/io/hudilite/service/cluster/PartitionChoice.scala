package io.hudilite.service.cluster

import io.hudilite.config.service.{ClusteredPartitionsConf, ClusteringOptions}
import io.hudilite.error.InvalidInput

/** Which partitions of a table a clustering looks at, as Hudi's plan strategies choose them: pure.
  *
  * @param named
  *   the only partitions, by their paths; `None` = all there are
  * @param pattern
  *   a regular expression that the whole path must match; it has no say where partitions are named
  * @param mode
  *   one of the filter modes of `ClusteringOptions`
  * @param lookback
  *   partitions that RECENT_DAYS takes, behind those that it skips
  */
final case class PartitionChoice(
    named: Option[Seq[String]] = None, pattern: Option[String] = None, mode: String = ClusteringOptions.NoFilter,
    lookback: Int = 2, skipLatest: Int = 0, begin: Option[String] = None, end: Option[String] = None) {

  /** Those of the table's partitions that are looked at, sorted. */
  def of(partitions: Seq[String]): Seq[String] = {
    val candidates = named match {
      case Some(only) => partitions.filter(only.toSet)
      case None => partitions.filter(p => pattern.forall(p.matches))
    }
    filtered(candidates.sorted)
  }

  private def filtered(sorted: Seq[String]): Seq[String] = mode match {
    case ClusteringOptions.RecentDays => sorted.reverse.slice(skipLatest, skipLatest + lookback).reverse
    case ClusteringOptions.SelectedPartitions => sorted.filter(p => begin.forall(_ <= p) && end.forall(p <= _))
    case _ => sorted
  }
}

object PartitionChoice {

  /** Raises `InvalidInput` when the class that plans and the filter mode contradict each other. */
  def of(conf: ClusteredPartitionsConf): PartitionChoice =
    PartitionChoice(conf.selected, conf.pattern, mode(conf), conf.lookback, conf.skipLatest, conf.begin, conf.end)

  private def mode(conf: ClusteredPartitionsConf): String = {
    val byClass = conf.strategyFilter.filter(_ != ClusteringOptions.NoFilter)
    for (one <- byClass; other <- conf.filter if one != other)
      throw InvalidInput("INVALID_OPTION_VALUE", "option" -> ClusteringOptions.FilterMode.name, "value" -> other,
        "reason" -> s"${ClusteringOptions.Strategy.name} asks for $one")
    conf.filter.orElse(byClass).getOrElse(ClusteringOptions.NoFilter)
  }
}
