package io.hudilite.config.service

import io.hudilite.config.key.Setting

/** What of the past stays.
  *
  * @param automatic
  *   a write is followed by a cleaning that is due
  * @param policy
  *   one of `CleanOptions.Policies`; `None` = the one whose number is given
  * @param triggerCommits
  *   since the last cleaning, after which one is due
  * @param incremental
  *   only partitions are looked at in which something was replaced since
  */
final case class CleanConf(automatic: Boolean, policy: Option[String], commits: Setting[Int], hours: Setting[Int],
    versions: Setting[Int], triggerCommits: Int, incremental: Boolean)

object CleanConf {

  import CleanOptions._

  private[service] def of(options: Map[String, String]): CleanConf =
    CleanConf(Automatic(options), Policy.get(options), CommitsRetained.setting(options), HoursRetained.setting(options),
      VersionsRetained.setting(options), TriggerCommits(options), Incremental(options))
}
