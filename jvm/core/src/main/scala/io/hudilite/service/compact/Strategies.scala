package io.hudilite.service.compact

import io.hudilite.config.service.CompactionOptions
import io.hudilite.error.InvalidInput

import java.time.LocalDate
import java.time.format.{DateTimeFormatter, DateTimeParseException}

/** The strategies of Apache Hudi, each a pure function over the candidates (docs/format.md#compaction). */
object Strategies {

  /** By short name: Hudi's class name without its package and the suffix `CompactionStrategy`. */
  val byName: Map[String, CompactionStrategy] = Map(
    "UnBounded" -> UnBounded,
    "BoundedIO" -> BoundedIO,
    "LogFileSizeBased" -> LogFileSizeBased,
    "LogFileNumBased" -> LogFileNumBased,
    "DayBased" -> DayBased,
    "BoundedPartitionAware" -> BoundedPartitionAware,
    "UnBoundedPartitionAware" -> UnBoundedPartitionAware)

  /** All slices. */
  object UnBounded extends CompactionStrategy {
    override def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings): Seq[CompactionCandidate] =
      candidates
  }

  /** Slices in the given order until the bytes to read and write reach the target. The slice that reaches it is still
    * taken, so that a slice larger than the target is compacted some day.
    */
  object BoundedIO extends CompactionStrategy {
    override def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings)
        : Seq[CompactionCandidate] = {
      val spentBefore = candidates.scanLeft(0L)(_ + _.totalMb)
      candidates.zip(spentBefore).zipWithIndex
        .takeWhile { case ((_, spent), i) => i == 0 || spent < settings.targetIoMb }.map(_._1._1)
    }
  }

  /** Slices with enough bytes of log files, most bytes first, then bounded IO. */
  object LogFileSizeBased extends CompactionStrategy {
    override def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings): Seq[CompactionCandidate] =
      BoundedIO.select(candidates.filter(_.logBytes >= settings.minLogBytes).sortBy(-_.logBytes), settings)
  }

  /** Slices with enough log files, most files first, then bounded IO. */
  object LogFileNumBased extends CompactionStrategy {
    override def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings): Seq[CompactionCandidate] =
      BoundedIO.select(candidates.filter(_.logFiles >= settings.minLogFiles).sortBy(-_.logFiles), settings)
  }

  /** The newest day partitions, all of their slices, newest day first. */
  object DayBased extends CompactionStrategy {
    override def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings): Seq[CompactionCandidate] =
      newestFirst(candidates).take(settings.targetPartitions).flatten
  }

  /** Day partitions that are not older than today minus the target, newest first. */
  object BoundedPartitionAware extends CompactionStrategy {
    override def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings): Seq[CompactionCandidate] =
      newestFirst(candidates).flatten.filter(isRecent(_, settings))
  }

  /** The rest of BoundedPartitionAware: the older day partitions, newest first. */
  object UnBoundedPartitionAware extends CompactionStrategy {
    override def select(candidates: Seq[CompactionCandidate], settings: CompactionSettings): Seq[CompactionCandidate] =
      newestFirst(candidates).flatten.filterNot(isRecent(_, settings))
  }

  private def newestFirst(candidates: Seq[CompactionCandidate]): Seq[Seq[CompactionCandidate]] =
    candidates.groupBy(_.partition).toSeq
      .sortBy { case (partition, _) => (-DayPartitions.dayOf(partition).toEpochDay, partition) }.map(_._2)

  private def isRecent(candidate: CompactionCandidate, settings: CompactionSettings): Boolean =
    !DayPartitions.dayOf(candidate.partition)
      .isBefore(settings.today.minusDays(settings.targetPartitions.toLong))
}

/** Days in partition paths: `2024/01/31`, `2024-01-31`, `20240131`, each level also as `column=value`; levels below the
  * day are allowed.
  */
private[compact] object DayPartitions {

  // (levels of the path, pattern over these levels joined by '/'); an escaped slash in a level stands for itself.
  private val formats: Seq[(Int, DateTimeFormatter)] = Seq(
    3 -> DateTimeFormatter.ofPattern("uuuu/M/d"),
    1 -> DateTimeFormatter.ofPattern("uuuu-MM-dd"),
    1 -> DateTimeFormatter.ofPattern("uuuu/MM/dd"),
    1 -> DateTimeFormatter.BASIC_ISO_DATE)

  /** The day of a partition; a path that does not begin with a day raises `InvalidInput`. */
  def dayOf(partition: String): LocalDate = {
    val levels = partition.split('/').map(level => level.substring(level.indexOf('=') + 1).replace("%2F", "/"))
    formats.view.flatMap { case (depth, format) => parsed(levels.take(depth).mkString("/"), format) }.headOption
      .getOrElse(throw InvalidInput.option(CompactionOptions.Strategy.name, "DayBased",
          s"the partition '$partition' is no day, and this strategy takes partitions by days; choose another one"))
  }

  private def parsed(text: String, format: DateTimeFormatter): Option[LocalDate] =
    try Some(LocalDate.parse(text, format))
    catch { case _: DateTimeParseException => None }
}
