package io.hudilite.service.archive

import io.hudilite.config.service.{ArchiveConf, ArchiveOptions, CleanOptions, CompactionOptions, TriggerConf}
import io.hudilite.error.InvalidInput

/** How archiving goes.
  *
  * @param minCommits
  *   commits that stay in the active timeline
  * @param maxCommits
  *   when there are more, archiving is due
  * @param deltaCommits
  *   delta commits that the trigger of compactions counts; `None` when it goes by time, which it measures from the last
  *   compaction on
  * @param beyondSavepoint
  *   commits newer than the first savepoint are archived, too
  * @param mergedFiles
  *   files of the archived timeline that are merged at a time
  */
final case class ArchiveSettings(minCommits: Int = 20, maxCommits: Int = 30, deltaCommits: Option[Int] = Some(5),
    beyondSavepoint: Boolean = false, mergedFiles: Int = 10)

object ArchiveSettings {

  /** Raises `InvalidInput` for numbers that contradict each other.
    *
    * @param trigger
    *   of the compactions of the table
    * @param retained
    *   commits whose states cleaning leaves whole, where it goes by their number: all of them must stay in the active
    *   timeline, and the one before them, which the oldest such state rests on
    */
  def of(conf: ArchiveConf, trigger: TriggerConf, retained: Option[Int] = None): ArchiveSettings = {
    val (min, max) = (conf.minCommits.value, conf.maxCommits.value)
    if (max <= min) throw invalid(ArchiveOptions.MaxCommits.name, max,
      s"it must be greater than ${ArchiveOptions.MinCommits.name}, which is $min")
    retained.filter(min <= _).foreach(cleaned =>
      throw invalid(ArchiveOptions.MinCommits.name, min,
        s"it must be greater than ${CleanOptions.CommitsRetained.name}, which is $cleaned: time " +
          "travel to what cleaning retains needs the commits"))
    ArchiveSettings(min, max, deltaCommits(trigger), conf.beyondSavepoint, conf.mergedFiles)
  }

  private def deltaCommits(trigger: TriggerConf): Option[Int] = {
    val counts = Set(CompactionOptions.NumCommits, CompactionOptions.NumCommitsAfterLastRequest)
    if (counts(trigger.strategy)) Some(trigger.maxCommits) else None
  }

  private def invalid(option: String, value: Int, reason: String): InvalidInput =
    InvalidInput("INVALID_OPTION_VALUE", "option" -> option, "value" -> value.toString, "reason" -> reason)
}
