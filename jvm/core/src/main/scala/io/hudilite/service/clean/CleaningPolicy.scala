package io.hudilite.service.clean

import io.hudilite.config.key.{ConfigKey, Setting}
import io.hudilite.config.service.{CleanConf, CleanOptions}
import io.hudilite.error.InvalidInput

/** What a cleaning leaves of the past. */
sealed abstract class CleaningPolicy(val name: String)

object CleaningPolicy {

  /** The states at the latest commits. */
  final case class LatestCommits(commits: Int) extends CleaningPolicy(CleanOptions.LatestCommits)

  /** The states of the last hours. */
  final case class LatestHours(hours: Int) extends CleaningPolicy(CleanOptions.LatestByHours)

  /** The latest slices of each file group. */
  final case class LatestVersions(versions: Int) extends CleaningPolicy(CleanOptions.LatestVersions)

  /** The policy that is named, else the one whose number is given. Numbers of two policies without a name raise
    * `InvalidInput`.
    */
  def of(conf: CleanConf): CleaningPolicy = conf.policy.getOrElse(byCount(conf)) match {
    case CleanOptions.LatestByHours => LatestHours(conf.hours.value)
    case CleanOptions.LatestVersions => LatestVersions(conf.versions.value)
    case _ => LatestCommits(conf.commits.value)
  }

  private def byCount(conf: CleanConf): String = {
    val counts: Seq[(String, ConfigKey[Int], Setting[Int])] = Seq(
      (CleanOptions.LatestCommits, CleanOptions.CommitsRetained, conf.commits),
      (CleanOptions.LatestByHours, CleanOptions.HoursRetained, conf.hours),
      (CleanOptions.LatestVersions, CleanOptions.VersionsRetained, conf.versions))
    counts.filter(_._3.isGiven) match {
      case (_, first, _) +: (_, second, number) +: _ =>
        throw InvalidInput("INVALID_OPTION_VALUE", "option" -> second.name, "value" -> number.value.toString,
          "reason" -> s"${first.name} is given, too; choose by ${CleanOptions.Policy.name}")
      case chosen => chosen.headOption.fold(CleanOptions.LatestCommits)(_._1)
    }
  }
}
