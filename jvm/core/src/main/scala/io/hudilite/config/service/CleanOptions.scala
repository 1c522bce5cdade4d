package io.hudilite.config.service

import io.hudilite.config.key.ConfigKey

/** Options of cleaning, which choose the old files of a table that stay. */
object CleanOptions {

  val LatestCommits = "KEEP_LATEST_COMMITS"
  val LatestByHours = "KEEP_LATEST_BY_HOURS"
  val LatestVersions = "KEEP_LATEST_FILE_VERSIONS"

  val Policies: Seq[String] = Seq(LatestCommits, LatestByHours, LatestVersions)

  val Automatic: ConfigKey[Boolean] = ConfigKey.flag("hoodie.clean.automatic", default = true,
    "After a write, delete the files that only past states of the table need, as far as the policy lets them go. The " +
      "write is committed before; a cleaning that fails is logged, and taken up by the next one.")

  val Policy: ConfigKey[String] = ConfigKey.choice("hoodie.clean.policy", None, Policies,
    "What stays: the states at the latest commits, those of some hours, or the latest versions of each file group. When " +
      "it is not set, the policy whose number is given, else KEEP_LATEST_COMMITS.", Seq("hoodie.cleaner.policy"))

  val CommitsRetained: ConfigKey[Int] = ConfigKey.int("hoodie.clean.commits.retained", 10,
    "Commits whose states KEEP_LATEST_COMMITS leaves whole.", 1, "commits", Seq("hoodie.cleaner.commits.retained"))

  val HoursRetained: ConfigKey[Int] = ConfigKey.int("hoodie.clean.hours.retained", 24,
    "Hours whose states KEEP_LATEST_BY_HOURS leaves whole.", 1, "hours", Seq("hoodie.cleaner.hours.retained"))

  val VersionsRetained: ConfigKey[Int] = ConfigKey.int("hoodie.clean.fileversions.retained", 3,
    "File slices of each file group that KEEP_LATEST_FILE_VERSIONS leaves.", 1, "versions",
    Seq("hoodie.cleaner.fileversions.retained"))

  val TriggerCommits: ConfigKey[Int] = ConfigKey.int("hoodie.clean.trigger.max.commits", 1,
    "Commits since the last cleaning after which a write is followed by the next one.", 1, "commits",
    Seq("hoodie.clean.max.commits"))

  val Incremental: ConfigKey[Boolean] = ConfigKey.flag("hoodie.clean.incremental.enabled", default = true,
    "Look only at partitions in which file slices were replaced since the last cleaning, as the commits say; with " +
      "`false` at all partitions.", Seq("hoodie.cleaner.incremental.mode"))

  val all: Seq[ConfigKey[_]] =
    Seq(Automatic, Policy, CommitsRetained, HoursRetained, VersionsRetained, TriggerCommits, Incremental)
}
