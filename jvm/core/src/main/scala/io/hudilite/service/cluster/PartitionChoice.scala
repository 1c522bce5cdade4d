package io.hudilite.service.cluster

import io.hudilite.config.service.{ClusteredPartitionsConf, ClusteringOptions}

/** Which partitions of a table a clustering looks at, as Hudi's plan strategies choose them: pure. */
object PartitionChoice {

  /** Those of the table's partitions that are looked at, sorted. */
  def of(conf: ClusteredPartitionsConf, partitions: Seq[String]): Seq[String] = {
    val candidates = conf.selected match {
      case Some(only) => partitions.filter(only.toSet)
      case None => partitions.filter(p => conf.pattern.forall(p.matches))
    }
    filtered(conf, candidates.sorted)
  }

  private def filtered(conf: ClusteredPartitionsConf, sorted: Seq[String]): Seq[String] = conf.filter match {
    case ClusteringOptions.RecentDays =>
      sorted.reverse.slice(conf.skipLatest, conf.skipLatest + conf.lookback).reverse
    case ClusteringOptions.SelectedPartitions =>
      sorted.filter(p => conf.begin.forall(_ <= p) && conf.end.forall(p <= _))
    case _ => sorted
  }
}
