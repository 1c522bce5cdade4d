package io.hudilite.table

import io.hudilite.config.TableType
import io.hudilite.error.{CorruptTable, UnsupportedTable}
import io.hudilite.filegroup.{FileNames, FileSlice, FileSystemView, NamedBase, NamedBases, NamedLogs, ViewInstants}
import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{Action, CommitMetadata, Instant}

/** Listings of a table's folders, compared with the files that its writes say they left (docs/format.md#missing-files).
  */
private[table] final class CommittedSlices(table: Table) {

  import CommittedSlices._

  private val config = table.config
  private val timeline = table.timeline

  /** Base files that the newest writes name. Older writes are not read: the history can be long, and most file groups
    * are covered by a newer write or by none.
    */
  lazy val bases: NamedBases = {
    // A write that a savepoint keeps back in the active timeline may have been replaced by writes that left.
    val newest = timeline.writes.filterNot(i => timeline.beforeStart(i.time)).reverse.take(MostCommits)
    val sizes = newest.scanLeft(0L)(_ + _.fileBytes.max(0L)).tail
    val some = newest.zip(sizes).zipWithIndex.collect { case ((i, sum), n) if n == 0 || sum <= MostBytes => i }
    NamedBases.of(table.basePath, byTime(table.store.readableCommits(some)),
      table.compactionPlans.map { case (i, plan) => i.time -> plan })
  }

  /** The newest slices that the view sees in a listing. A missing file of one raises `CorruptTable`, as does a log file
    * of another length than its write left.
    */
  def of(view: ViewInstants, listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileSlice]] = {
    val slices = withoutBases(view, listing)
    bases.missing(view, listing, slices).headOption.foreach(refuse(_, listing))
    slices
  }

  /** True when the listing has each file that the view needs in these partitions, as far as commits tell. */
  def areWhole(view: ViewInstants, listing: Map[String, Seq[FileInfo]]): Boolean =
    try bases.missing(view, listing, withoutBases(view, listing)).isEmpty
    catch { case _: CorruptTable => false }

  /** A missing file is damage, unless the table has changed since it was opened, so that nobody needs the file any
    * more.
    */
  private def refuse(lost: NamedBase, listing: Map[String, Seq[FileInfo]]): Unit = {
    val now = table.store.load()
    val partition = lost.group.partition
    if (now != timeline) {
      table.copy(timeline = now).slices(Seq(partition))
      throw Outdated(table, lost.instant)
    }
    throw bases.damage(lost, listing.getOrElse(partition, Nil))
  }

  /** The newest slices, without a look for missing base files. */
  def withoutBases(view: ViewInstants, listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileSlice]] = {
    val (slices, logs) = found(view, listing)
    slices.values.iterator.flatten.flatMap(_.logs).flatMap(logs.damage(_)).take(1).foreach(throw _)
    slices.values.iterator.flatten.flatMap(FileSystemView.outOfOrder(view, _)).take(1).foreach(log =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> s"the log file ${log.relativePath} of a later table version",
        "reason" ->
          ("the order of its log files is lost, as the table was downgraded while a compaction was pending; " +
            "upgrade the table before anything is written, then run the compaction")))
    slices
  }

  /** The file groups that the view sees, in any state. Where the base file of one is gone, its slice has none. For
    * callers that take file groups out of the table and do not look into them.
    */
  def whole(view: ViewInstants, listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileSlice]] = {
    val (slices, _) = found(view, listing)
    val lost = bases.missing(view, listing, slices).map(b =>
      FileSlice(b.group.partition, b.group.fileId, b.instant,
        None, Nil)).groupBy(_.partition)
    slices.map { case (partition, there) =>
      val known = there.map(_.fileId).toSet
      partition -> (there ++ lost.getOrElse(partition, Nil).filterNot(s => known(s.fileId)))
    }
  }

  private def found(view: ViewInstants, listing: Map[String, Seq[FileInfo]])
      : (Map[String, Seq[FileSlice]], NamedLogs) = {
    val committed = committedFiles(listing)
    val logs = namedLogs(committed)
    FileSystemView.slices(view, without(logs.strays(committed), committed), logs) -> logs
  }

  /** The listing without stray files. Where more than one attempt of a task left files, the commit names the right
    * ones.
    */
  def committedFiles(listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileInfo]] = {
    listing.values.flatten.find(f => FileNames.isExternalFile(f.name)).foreach(f =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> s"the external file ${f.name}",
        "reason" -> "files registered in place from other formats are not read", "way" -> UnsupportedTable.ByHudi))
    val doubtful = FileSystemView.instantsWithRetries(listing, config.version)
    if (doubtful.isEmpty) listing
    else {
      val commits = table.store.readCommits(timeline.writes.filter(i => doubtful(i.time)))
      val named = commits.map { case (instant, metadata) => instant.time -> metadata.allPaths }.toMap
      without(FileSystemView.strays(listing, named, config.version), listing)
    }
  }

  private def without(strays: Set[String], listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileInfo]] =
    FileSystemView.without(listing, strays -- namedByOthers(strays))

  /** Log files among these that a later write than the one in their names has named. Before version 8 log files bear
    * the instant of their slice, and an upgrade by Apache Hudi can leave them as they are.
    */
  private def namedByOthers(files: Set[String]): Set[String] = {
    val since = files.flatMap(f => FileNames.parseLogFile(f.substring(f.lastIndexOf('/') + 1))).map(_.time)
    if (since.isEmpty) Set.empty
    else {
      val later = timeline.writes.filter(i => i.action == Action.DeltaCommit && i.time > since.min)
      table.store.readCommits(later).flatMap { case (_, metadata) => metadata.allPaths.intersect(files) }.toSet
    }
  }

  // Reads the commits of the log files that are there, and the newest ones, whose files may all be gone.
  private def namedLogs(listing: Map[String, Seq[FileInfo]]): NamedLogs =
    if (config.tableType != TableType.MergeOnRead || config.layout == 1) NamedLogs.None
    else {
      val deltas = timeline.writes.filter(_.action == Action.DeltaCommit)
      val newest = deltas.takeRight(DeltasToLookFor).map(_.time).toSet
      val listed = FileSystemView.instantsOfLogs(listing)
      val commits = table.store.readCommits(deltas.filter(i => listed(i.time) || newest(i.time)))
      NamedLogs.of(table.basePath, byTime(commits), listing.keySet)
    }

  private def byTime(commits: Seq[(Instant, CommitMetadata)]): Seq[(String, CommitMetadata)] =
    commits.map { case (instant, metadata) => instant.time -> metadata }
}

private object CommittedSlices {

  // Compactions come after five delta commits, unless told otherwise.
  private val DeltasToLookFor = 10

  // As many as archiving leaves in a timeline by default. Each is small.
  private val MostCommits = 32
  private val MostBytes = 16L << 20
}
