package io.hudilite.config.service

import io.hudilite.config.key.Setting

/** How long the active timeline grows.
  *
  * @param automatic
  *   a write is followed by an archiving that is due
  * @param minCommits
  *   commits that stay
  * @param maxCommits
  *   when there are more, archiving is due
  * @param beyondSavepoint
  *   commits newer than the first savepoint are archived, too
  * @param mergedFiles
  *   files of the archived timeline that are merged at a time
  */
final case class ArchiveConf(automatic: Boolean, minCommits: Setting[Int], maxCommits: Setting[Int],
    beyondSavepoint: Boolean, mergedFiles: Int)

object ArchiveConf {

  import ArchiveOptions._

  private[service] def of(options: Map[String, String]): ArchiveConf =
    ArchiveConf(Automatic(options), MinCommits.setting(options), MaxCommits.setting(options), BeyondSavepoint(options),
      MergedFiles(options))
}
