package io.hudilite.service.clean

import io.hudilite.config.{CleanOptions, ConfigKey}
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

  private val counts: Seq[(String, ConfigKey[Int])] = Seq(
    CleanOptions.LatestCommits -> CleanOptions.CommitsRetained,
    CleanOptions.LatestByHours -> CleanOptions.HoursRetained,
    CleanOptions.LatestVersions -> CleanOptions.VersionsRetained)

  /** The policy that is named, else the one whose number is given. Numbers of two policies without a name raise
    * `InvalidInput`.
    */
  def of(options: Map[String, String]): CleaningPolicy = {
    val name = CleanOptions.Policy.get(options).getOrElse(byCount(options))
    name match {
      case CleanOptions.LatestByHours => LatestHours(CleanOptions.HoursRetained(options))
      case CleanOptions.LatestVersions => LatestVersions(CleanOptions.VersionsRetained(options))
      case _ => LatestCommits(CleanOptions.CommitsRetained(options))
    }
  }

  private def byCount(options: Map[String, String]): String = {
    val chosen = counts.filter { case (_, key) => key.isSet(options) }
    if (chosen.size > 1) throw InvalidInput("INVALID_OPTION_VALUE", "option" -> chosen(1)._2.name,
      "value" -> chosen(1)._2(options).toString,
      "reason" -> s"${chosen.head._2.name} is given, too; choose by ${CleanOptions.Policy.name}")
    chosen.headOption.fold(CleanOptions.LatestCommits)(_._1)
  }
}
