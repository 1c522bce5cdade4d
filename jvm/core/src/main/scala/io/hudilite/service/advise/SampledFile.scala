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

  /** The range of the file has the key, as far as its footer says. */
  def spans(key: String): Boolean = min.forall(_ <= key) && max.forall(key <= _)

  /** The ranges of both files have keys in common, as far as their footers say. */
  def meets(other: SampledFile): Boolean =
    min.forall(low => other.max.forall(low <= _)) && max.forall(high => other.min.forall(_ <= high))

  /** Share of absent keys that the file is opened for nevertheless: all where it has no filter. */
  def passes: Double = if (probes == 0) 1.0 else passed.toDouble / probes
}

object SampledFile {

  /** Absent keys that each filter is asked about: one in so many can be seen. */
  val Probes = 4096

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
