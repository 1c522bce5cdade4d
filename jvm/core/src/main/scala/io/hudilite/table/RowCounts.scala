package io.hudilite.table

import io.hudilite.filegroup.{BaseFile, FileSlice, LogFile}
import io.hudilite.storage.WeightedCache

/** Rows of base files as the commits that wrote them recorded: no file is opened.
  *
  * A commit counts the rows of each file that it wrote, those that were only carried over included, and says how large the
  * file is: a file of another size is not the one that was counted.
  */
object RowCounts {

  private val MaxCommits = 50

  private final case class Counted(rows: Long, bytes: Long)

  // A path and its numbers take some 250 bytes.
  private val MaxFiles = 200000L
  private val commits = new WeightedCache[(String, String), Map[String, Counted]](MaxFiles)

  /** Rows by relative path; files whose commit is archived, or one of too many, are absent. */
  def of(table: Table, files: Seq[BaseFile]): Map[String, Long] = {
    val known = counted(table, files.map(_.instant))
    (for {
      file <- files.iterator
      counted <- known.get(file.instant).flatMap(_.get(file.relativePath)) if counted.bytes == file.length
    } yield file.relativePath -> counted.rows).toMap
  }

  private def counted(table: Table, writes: Seq[String]): Map[String, Map[String, Counted]] = {
    val instants = writes.distinct.sorted.takeRight(MaxCommits)
    val cached = instants.flatMap(i => commits.get(table.basePath -> i).map(i -> _)).toMap
    val missing = instants.filterNot(cached.contains).flatMap(i => table.timeline.write(i))
    val read = table.store.readCommits(missing).map { case (instant, metadata) =>
      instant.time -> metadata.allStats.map(s =>
        s.path -> Counted(if (s.isLog) s.numInserts else s.numWrites, s.fileSizeInBytes)).toMap
    }.toMap
    read.foreach { case (instant, rows) => commits.put(table.basePath -> instant, rows, rows.size + 1L) }
    cached ++ read
  }

  /** Rows of these slices as far as commits tell: those of base files, and of slices that are logs alone the rows that came
    * there as new ones. `None` when nothing is known.
    */
  def estimateOf(table: Table, slices: Seq[FileSlice]): Option[Long] = {
    val (based, alone) = slices.partition(_.base.isDefined)
    val added = if (alone.isEmpty) 0L else rowsAdded(table, alone.flatMap(_.logs))
    if (based.isEmpty && alone.nonEmpty) Some(added).filter(_ > 0)
    else estimate(table, based.flatMap(_.base)).map(_ + added)
  }

  // Before version 8 the name of a log file tells its slice and not its write.
  private def rowsAdded(table: Table, logs: Seq[LogFile]): Long = if (table.config.version < 8) 0L
  else {
    val known = counted(table, logs.map(_.time))
    logs.flatMap(log => known.get(log.time).flatMap(_.get(log.relativePath)).map(_.rows)).sum
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
