package io.hudilite.config.service

import io.hudilite.config.key.{ConfigKey, Setting}
import io.hudilite.error.InvalidInput

/** The part of the past that a cleaning leaves. */
sealed abstract class CleaningPolicy(val name: String) extends Serializable

object CleaningPolicy {

  /** The states at the latest commits. */
  final case class LatestCommits(commits: Int) extends CleaningPolicy(CleanOptions.LatestCommits)

  /** The states of the last hours. */
  final case class LatestHours(hours: Int) extends CleaningPolicy(CleanOptions.LatestByHours)

  /** The latest slices of each file group. */
  final case class LatestVersions(versions: Int) extends CleaningPolicy(CleanOptions.LatestVersions)

  /** The named policy, or else the one whose number is given. Raises `InvalidInput` for numbers of two policies without
    * a name.
    */
  private[service] def of(options: Map[String, String]): CleaningPolicy = {
    val commits = CleanOptions.CommitsRetained.setting(options)
    val hours = CleanOptions.HoursRetained.setting(options)
    val versions = CleanOptions.VersionsRetained.setting(options)
    val counts = Seq[(CleaningPolicy, ConfigKey[Int], Setting[Int])](
      (LatestCommits(commits.value), CleanOptions.CommitsRetained, commits),
      (LatestHours(hours.value), CleanOptions.HoursRetained, hours),
      (LatestVersions(versions.value), CleanOptions.VersionsRetained, versions))
    CleanOptions.Policy.get(options) match {
      case Some(named) => counts.map(_._1).find(_.name == named).get
      case None => byCount(counts)
    }
  }

  private def byCount(counts: Seq[(CleaningPolicy, ConfigKey[Int], Setting[Int])]): CleaningPolicy =
    counts.filter(_._3.isGiven) match {
      case (_, first, _) +: (_, second, number) +: _ =>
        throw InvalidInput.option(second.name, number.value.toString,
          s"${first.name} is set, too, and cleaning follows one of them; choose it with ${CleanOptions.Policy.name}")
      case chosen => chosen.headOption.getOrElse(counts.head)._1
    }
}
