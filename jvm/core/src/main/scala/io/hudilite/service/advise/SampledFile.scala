package io.hudilite.service.advise

import io.hudilite.filegroup.{BaseFile, FileGroupId}
import io.hudilite.stats.{FileBounds, KeyBounds}

import java.nio.charset.StandardCharsets.UTF_8

/** Facts from the footer of one base file, and how often its bloom filter takes an absent key for a present one.
  *
  * @param min
  *   least record key, `None` where the footer does not say
  * @param filterBytes
  *   length of the filter's text; 0 where there is none
  * @param probes
  *   absent keys that the filter was asked about
  * @param passed
  *   those of them that it took for present ones
  */
final case class SampledFile(group: FileGroupId, bytes: Long, rows: Long, min: Option[String], max: Option[String],
    filterBytes: Long, probes: Long, passed: Long) {

  /** Share of the keys of this file that lie in the range of the other one, as if they were spread evenly over their own.
    * Its least and its greatest key alone would not do: of files with random keys half of the others begin after the least.
    */
  def within(other: SampledFile): Double = (min, max) match {
    case (Some(low), Some(high)) =>
      val from = other.min.filter(_ > low).getOrElse(low)
      val to = other.max.filter(_ < high).getOrElse(high)
      val begin = low.zip(high).takeWhile { case (a, b) => a == b }.size
      val width = SampledFile.place(high, begin) - SampledFile.place(low, begin)
      if (from > to) 0.0
      else if (width == 0) 1.0
      else (SampledFile.place(to, begin) - SampledFile.place(from, begin)) / width
    case _ => 1.0
  }

  /** The ranges of both files have keys in common, as far as their footers say. */
  def meets(other: SampledFile): Boolean =
    min.forall(low => other.max.forall(low <= _)) && max.forall(high => other.min.forall(_ <= high))

  /** Share of absent keys that the file is opened for nevertheless: all where it has no filter. */
  def passes: Double = if (probes == 0) 1.0 else passed.toDouble / probes
}

object SampledFile {

  /** Absent keys that each filter is asked about: one in so many can be seen. */
  val Probes = 4096

  private val Letters = 6
  private val Codes = 256.0

  /** A number between 0 and 1 for the letters of a key behind a beginning that all keys in question have. */
  private def place(key: String, begin: Int): Double =
    key.slice(begin, begin + Letters).foldRight(0.0)((letter, rest) => (letter.toDouble.min(Codes - 1) + rest) / Codes)

  def of(file: BaseFile, known: FileBounds): SampledFile = {
    val passed = asked(known.keys)
    SampledFile(FileGroupId(file.partition, file.fileId), file.length, known.rows, known.keys.min, known.keys.max,
      known.keys.bloom.fold(0L)(_.serialized.length.toLong), if (passed.isEmpty) 0L else Probes.toLong,
      passed.getOrElse(0L))
  }

  // A key that goes on behind the greatest one is greater than it, so the file does not have it.
  private def asked(keys: KeyBounds): Option[Long] = for (filter <- keys.bloom; max <- keys.max)
    yield (0 until Probes).count(i => filter.mightContain(s"$max#$i".getBytes(UTF_8))).toLong
}
