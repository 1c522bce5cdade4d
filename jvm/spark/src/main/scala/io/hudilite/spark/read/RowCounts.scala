package io.hudilite.spark.read

import io.hudilite.filegroup.BaseFile
import io.hudilite.storage.WeightedCache
import io.hudilite.table.Table

/** Rows of base files as the commits that wrote them recorded: no file is opened. */
object RowCounts {

  private val MaxCommits = 50
  private val commits = new WeightedCache[(String, String), Map[String, Long]](512)

  /** Rows by relative path; files whose commit is archived, or one of too many, are absent. */
  def of(table: Table, files: Seq[BaseFile]): Map[String, Long] = {
    val instants = files.map(_.instant).distinct.sorted.takeRight(MaxCommits)
    val cached = instants.flatMap(i => commits.get(table.basePath -> i).map(i -> _)).toMap
    val missing = instants.filterNot(cached.contains).flatMap(i => table.timeline.write(i))
    val read = table.store.readCommits(missing).map { case (instant, metadata) =>
      instant.time -> metadata.allStats.filterNot(_.isLog).map(s => s.path -> s.numWrites).toMap
    }.toMap
    read.foreach { case (instant, rows) => commits.put(table.basePath -> instant, rows) }
    val known = cached ++ read
    files.flatMap(f => known.get(f.instant).flatMap(_.get(f.relativePath)).map(f.relativePath -> _)).toMap
  }

  /** Rows of all files, those unknown estimated by their size; `None` when nothing is known. */
  def estimate(table: Table, files: Seq[BaseFile]): Option[Long] =
    if (files.isEmpty) Some(0L)
    else {
      val known = of(table, files)
      val knownBytes = files.filter(f => known.contains(f.relativePath)).map(_.length).sum
      if (knownBytes == 0) None
      else Some(math.round(known.values.sum.toDouble / knownBytes * files.map(_.length).sum))
    }
}
