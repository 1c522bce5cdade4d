package io.hudilite.config.service

import io.hudilite.error.InvalidInput

/** How long the active timeline grows.
  *
  * @param automatic
  *   a write is followed by an archiving that is due
  * @param minCommits
  *   commits that stay
  * @param maxCommits
  *   when there are more, archiving is due
  * @param retained
  *   commits whose states cleaning leaves whole, where it goes by their number
  * @param deltaCommits
  *   delta commits that the trigger of compactions counts; `None` when it goes by time, which it measures from the last
  *   compaction on
  * @param beyondSavepoint
  *   commits newer than the first savepoint are archived, too
  * @param mergedFiles
  *   files of the archived timeline that are merged at a time
  */
final case class ArchiveConf(automatic: Boolean, minCommits: Int, maxCommits: Int, retained: Option[Int],
    deltaCommits: Option[Int], beyondSavepoint: Boolean, mergedFiles: Int) {

  /** This, which raises `InvalidInput` for numbers that contradict each other: what cleaning retains must stay in the
    * active timeline, and the commit before, which the oldest such state rests on. Cleaning alone may retain more.
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

  // Commits that stay beyond those that cleaning retains, where options leave it open: Hudi's defaults are so far apart.
  private val Distance = 10

  /** Commits that cleaning is told to retain stay in the timeline, where nothing is said of the archive. */
  private[service] def of(options: Map[String, String], cleaning: CleanConf, trigger: TriggerConf): ArchiveConf = {
    val (min, max) = (MinCommits.setting(options), MaxCommits.setting(options))
    val retained = cleaning.policy match {
      case CleaningPolicy.LatestCommits(n) => Some(n)
      case _ => None
    }
    val least = min.orElse(retained.fold(min.value)(n => min.value.max(n + Distance)))
    val most = max.orElse(retained.fold(max.value)(_ => max.value.max(least + Distance)))
    ArchiveConf(Automatic(options), least, most, retained, deltaCommits(trigger), BeyondSavepoint(options),
      MergedFiles(options))
  }

  private def deltaCommits(trigger: TriggerConf): Option[Int] = {
    val counts = Set(CompactionOptions.NumCommits, CompactionOptions.NumCommitsAfterLastRequest)
    if (counts(trigger.strategy)) Some(trigger.maxCommits) else None
  }
}
