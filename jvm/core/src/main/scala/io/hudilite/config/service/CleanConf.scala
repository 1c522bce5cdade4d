package io.hudilite.config.service

/** What of the past stays.
  *
  * @param automatic
  *   a write is followed by a cleaning that is due
  * @param triggerCommits
  *   since the last cleaning, after which one is due
  * @param incremental
  *   only partitions are looked at in which something was replaced since
  */
final case class CleanConf(automatic: Boolean, policy: CleaningPolicy, triggerCommits: Int, incremental: Boolean)

object CleanConf {

  import CleanOptions._

  private[service] def of(options: Map[String, String]): CleanConf =
    CleanConf(Automatic(options), CleaningPolicy.of(options), TriggerCommits(options), Incremental(options))
}
