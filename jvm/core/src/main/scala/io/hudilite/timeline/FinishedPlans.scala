package io.hudilite.timeline

import io.hudilite.error.CorruptTable

/** Plans of services that have completed, as long as the active timeline has them. */
object FinishedPlans {

  /** What a completed clustering was planned as. */
  def ofClustering(store: TimelineStore, clustering: Instant): Option[ClusteringPlan] = {
    val action = if (store.config.layout == 1) Action.ReplaceCommit else Action.Clustering
    val path = s"${store.folder}/${InstantFileName.requested(clustering.time, action, store.config.layout)}"
    store.storage.read(path).filter(_.nonEmpty)
      .flatMap(bytes => CorruptTable.guard(path)(PlanCodec.clusteringPlan(bytes)))
  }
}
