package io.hudilite.config.service

/** The part of the past that cleaning leaves.
  *
  * @param automatic
  *   true when a cleaning that is due follows a write
  * @param triggerCommits
  *   commits since the last cleaning after which one is due
  * @param incremental
  *   true when cleaning looks only at partitions with replaced files since the last one
  */
final case class CleanConf(automatic: Boolean, policy: CleaningPolicy, triggerCommits: Int, incremental: Boolean)

object CleanConf {

  import CleanOptions._

  private[service] def of(options: Map[String, String]): CleanConf =
    CleanConf(Automatic(options), CleaningPolicy.of(options), TriggerCommits(options), Incremental(options))
}
