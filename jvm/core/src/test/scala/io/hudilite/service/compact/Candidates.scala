package io.hudilite.service.compact

import io.hudilite.filegroup.{BaseFile, FileSlice, LogFile}

import java.time.LocalDate

/** Candidates by their sizes. */
object Candidates {

  val MiB: Long = 1024L * 1024L

  val settings: CompactionSettings = CompactionSettings(LocalDate.of(2026, 1, 10))

  /** A slice with a base file and log files of these sizes in MiB; a base of 0 = none. */
  def candidate(name: String, baseMb: Long, logsMb: Long*): CompactionCandidate = {
    val (partition, id) =
      (name.substring(0, math.max(name.lastIndexOf('/'), 0)), name.substring(name.lastIndexOf('/') + 1))
    val base =
      if (baseMb == 0) None
      else Some(BaseFile(partition, s"${id}_0-0-0_1.parquet", id, "0-0-0", "1", baseMb * MiB))
    val logs = logsMb.zipWithIndex.map { case (mb, i) =>
      LogFile(partition, s".${id}_1.log.${i + 1}_0-0-0", id, "1", i + 1, Some("0-0-0"), mb * MiB)
    }
    CompactionCandidate(FileSlice(partition, id, "1", base, logs), 120 * MiB)
  }

  def names(candidates: Seq[CompactionCandidate]): Seq[String] =
    candidates.map(c => if (c.partition.isEmpty) c.slice.fileId else s"${c.partition}/${c.slice.fileId}")
}
