package io.hudilite.config.service

import io.hudilite.error.InvalidInput

/** Growth of the active timeline.
  *
  * @param automatic
  *   true when an archiving that is due follows a write
  * @param minCommits
  *   commits that stay
  * @param maxCommits
  *   number of commits above which archiving is due
  * @param retained
  *   commits whose states cleaning leaves whole, where it goes by their number
  * @param deltaCommits
  *   delta commits that the trigger of compactions counts; `None` when it goes by time, measured from the last
  *   compaction
  * @param beyondSavepoint
  *   true when commits newer than the first savepoint are archived, too
  * @param mergedFiles
  *   files of the archived timeline that are merged at a time
  */
final case class ArchiveConf(automatic: Boolean, minCommits: Int, maxCommits: Int, retained: Option[Int],
    deltaCommits: Option[Int], beyondSavepoint: Boolean, mergedFiles: Int) {

  /** This, after a check. Raises `InvalidInput` for numbers that contradict each other: commits that cleaning retains
    * must stay in the active timeline, with the commit before, which the oldest such state rests on. Cleaning alone may
    * retain more.
    */
  def checked: ArchiveConf = {
    if (maxCommits <= minCommits) throw InvalidInput.option(ArchiveOptions.MaxCommits.name, maxCommits.toString,
      s"it must be greater than ${ArchiveOptions.MinCommits.name}, which is $minCommits")
    retained.filter(minCommits <= _).foreach(cleaned =>
      throw InvalidInput.option(ArchiveOptions.MinCommits.name, minCommits.toString,
        s"it must be greater than ${CleanOptions.CommitsRetained.name}, which is $cleaned: time " +
          "travel to what cleaning retains needs the commits"))
    this
  }
}

object ArchiveConf {

  import ArchiveOptions._

  // Commits that stay beyond those that cleaning retains, where options leave it open. Hudi's defaults have this
  // distance.
  private val Distance = 10

  /** Options of archiving. Where there are none, commits that cleaning is told to retain stay in the timeline. */
  private[service] def of(options: Map[String, String], cleaning: CleanConf, trigger: TriggerConf): ArchiveConf = {
    val (min, max) = (MinCommits.setting(options), MaxCommits.setting(options))
    val retained = cleaning.policy match {
      case CleaningPolicy.LatestCommits(n) => Some(n)
      case _ => None
    }
    val wanted = min.orElse(retained.fold(min.value)(n => min.value.max(n + Distance)))
    // A bound that is given alone moves the other one, as far as cleaning lets it.
    val least = if (max.isGiven) min.orElse(wanted.min((max.value - 1).max(retained.fold(1)(_ + 1)))) else wanted
    val most = max.orElse(max.value.max(least + Distance))
    ArchiveConf(Automatic(options), least, most, retained, deltaCommits(trigger), BeyondSavepoint(options),
      MergedFiles(options))
  }

  private def deltaCommits(trigger: TriggerConf): Option[Int] = {
    val counts = Set(CompactionOptions.NumCommits, CompactionOptions.NumCommitsAfterLastRequest)
    if (counts(trigger.strategy)) Some(trigger.maxCommits) else None
  }
}
