package io.hudilite.table

import io.hudilite.config.TableType
import io.hudilite.error.UnsupportedTable
import io.hudilite.filegroup.{FileNames, FileSlice, FileSystemView, NamedBase, NamedBases, NamedLogs, ViewInstants}
import io.hudilite.storage.FileInfo
import io.hudilite.timeline.{Action, CommitMetadata, Instant}

/** Listings of a table's folders, held against what its writes say that they left (docs/format.md#missing-files). */
private[table] final class CommittedSlices(table: Table) {

  import CommittedSlices._

  private val config = table.config
  private val timeline = table.timeline

  /** What the newest writes say of base files. Older ones are not read: a reader would pay for a history that can be long,
    * and of most file groups a newer write, or none, tells.
    */
  lazy val bases: NamedBases = {
    // A write that a savepoint holds back where others left may have been replaced by one of those.
    val newest = timeline.writes.filterNot(i => timeline.beforeStart(i.time)).reverse.take(MostCommits)
    val sizes = newest.scanLeft(0L)(_ + _.fileBytes.max(0L)).tail
    val some = newest.zip(sizes).zipWithIndex.collect { case ((i, sum), n) if n == 0 || sum <= MostBytes => i }
    NamedBases.of(table.basePath, byTime(table.store.readableCommits(some)),
      table.compactionPlans.map { case (i, plan) => i.time -> plan })
  }

  /** The newest slices that the view sees in a listing. A file of one that is gone, or is a log file of another length than
    * its write left, raises `CorruptTable`.
    */
  def of(view: ViewInstants, listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileSlice]] = {
    val slices = withoutBases(view, listing)
    bases.missing(view, listing, slices).headOption.foreach(refuse(_, listing))
    slices
  }

  /** A file that is gone is damage, unless the table has changed since it was opened, so that nobody needs it any more. */
  private def refuse(lost: NamedBase, listing: Map[String, Seq[FileInfo]]): Unit = {
    val now = table.store.load()
    val partition = lost.group.partition
    if (now != timeline) {
      table.copy(timeline = now).slices(Seq(partition))
      throw Outdated(table, lost.instant)
    }
    throw bases.damage(lost, listing.getOrElse(partition, Nil))
  }

  /** The same, whether or not the base files are there. */
  def withoutBases(view: ViewInstants, listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileSlice]] = {
    val (slices, logs) = found(view, listing)
    slices.values.iterator.flatten.flatMap(_.logs).flatMap(logs.damage(_)).take(1).foreach(throw _)
    slices.values.iterator.flatten.flatMap(FileSystemView.outOfOrder(view, _)).take(1).foreach(log =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> s"the log file ${log.relativePath} of a later table version",
        "reason" ->
          ("the table was downgraded while a compaction was pending, and the order of its log files is lost; " +
            "upgrade it before anything is written, and run the compaction")))
    slices
  }

  /** The file groups that the view sees, in what state soever: of one whose base file is gone the slice has none. For
    * what takes file groups out of the table and does not look into them.
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

  /** The listing without stray files: where more than one attempt of a task left files the commit names the right ones. */
  def committedFiles(listing: Map[String, Seq[FileInfo]]): Map[String, Seq[FileInfo]] = {
    listing.values.flatten.find(f => FileNames.isExternalFile(f.name)).foreach(f =>
      throw UnsupportedTable("UNSUPPORTED_TABLE_FEATURE", "path" -> table.basePath,
        "feature" -> s"the external file ${f.name}",
        "reason" -> "files registered in place from other formats are not read"))
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

  /** Those of some log files that a later write than the one in their names has named. Before version 8 log files bear the
    * instant of their slice, and an upgrade by Apache Hudi can leave them as they are.
    */
  private def namedByOthers(files: Set[String]): Set[String] = {
    val since = files.flatMap(f => FileNames.parseLogFile(f.substring(f.lastIndexOf('/') + 1))).map(_.time)
    if (since.isEmpty) Set.empty
    else {
      val later = timeline.writes.filter(i => i.action == Action.DeltaCommit && i.time > since.min)
      table.store.readCommits(later).flatMap { case (_, metadata) => metadata.allPaths.intersect(files) }.toSet
    }
  }

  // Read are the commits of the log files that are there, and the newest ones, all of whose files may be gone.
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

  // As many as archiving leaves in a timeline by default, of which each is small.
  private val MostCommits = 32
  private val MostBytes = 16L << 20
}
