package io.hudilite.filegroup

import io.hudilite.storage.FileInfo

/** Facts about the timeline that a view of the files needs.
  *
  * @param isCommitted
  *   true when the write of this requested time counts, as instants do that left the active timeline
  * @param completionTime
  *   completion time of a write, `None` when it is not known
  * @param replaced
  *   file groups that a counted replacecommit took out
  * @param pendingCompactions
  *   instant of the pending compaction of a file group
  * @param version
  *   table version; decides how log files join slices
  */
final case class ViewInstants(
    isCommitted: String => Boolean,
    completionTime: String => Option[String],
    replaced: Set[FileGroupId],
    pendingCompactions: Map[FileGroupId, String],
    version: Int)

/** File slices from a listing and the timeline: pure, no storage (docs/format.md#file-slices). */
object FileSystemView {

  private val LayoutWithCompletionTimes = 8

  /** The newest committed slice of every file group that was not replaced, by partition. Log files that `named` knows
    * and the listing lacks are among its files.
    */
  def slices(instants: ViewInstants, listing: Map[String, Seq[FileInfo]],
      named: NamedLogs = NamedLogs.None): Map[String, Seq[FileSlice]] =
    listing.map { case (partition, files) =>
      partition -> ofPartition(instants, partition, files, named).flatMap(_.headOption)
    }

  /** Returns a log file whose order within its slice cannot be determined. Before version 8, log files bear the instant
    * of their slice or of a pending compaction; this one bears another. Downgrades run compactions, but none of a file
    * group with a pending one.
    */
  def outOfOrder(instants: ViewInstants, slice: FileSlice): Option[LogFile] =
    if (instants.version >= LayoutWithCompletionTimes) None
    else instants.pendingCompactions.get(slice.groupId) match {
      case Some(pending) => slice.logs.find(_.time > pending)
      case None if slice.base.isDefined && slice.logs.exists(_.time == slice.instant) =>
        slice.logs.find(_.time > slice.instant)
      case None => None
    }

  /** All committed slices of each file group that was not replaced, newest first, by partition. */
  def groups(instants: ViewInstants, listing: Map[String, Seq[FileInfo]]): Map[String, Seq[Seq[FileSlice]]] =
    listing.map { case (partition, files) => partition -> ofPartition(instants, partition, files, NamedLogs.None) }

  private def ofPartition(instants: ViewInstants, partition: String, files: Seq[FileInfo],
      named: NamedLogs): Seq[Seq[FileSlice]] = {
    val plain = files.filterNot(_.isDirectory)
    val bases = baseFiles(partition, plain).groupBy(_.fileId)
    val logs = logFiles(partition, plain).groupBy(_.fileId)
    val missing = named.missing(partition, plain.iterator.map(_.name).toSet, instants.isCommitted)
    (bases.keySet ++ logs.keySet ++ missing.keySet).toList.sorted
      .map(FileGroupId(partition, _)).filterNot(instants.replaced)
      .map { id =>
        def of[T](files: Map[String, Seq[T]]): Seq[T] = files.getOrElse(id.fileId, Nil)
        ofGroup(instants, id, of(bases), of(logs) ++ of(missing))
      }
      .filter(_.nonEmpty)
  }

  /** The base files of a partition's listing, in the order of the listing. */
  def baseFiles(partition: String, files: Seq[FileInfo]): Seq[BaseFile] = files.flatMap(f =>
    FileNames.parseBaseFile(f.name).map(n => BaseFile(partition, f.name, n.fileId, n.writeToken, n.instant, f.length)))

  /** The log files of a partition's listing; change-data files are not part of slices. */
  def logFiles(partition: String, files: Seq[FileInfo]): Seq[LogFile] = files.flatMap(f =>
    FileNames.parseLogFile(f.name).filterNot(_.isCdc).map(n =>
      LogFile(partition, f.name, n.fileId, n.time, n.version, n.writeToken, f.length)))

  /** Instants in the names of the listed log files: from version 8 on those of the writes that made them. */
  def instantsOfLogs(listing: Map[String, Seq[FileInfo]]): Set[String] =
    listing.values.iterator.flatten.flatMap(f => FileNames.parseLogFile(f.name)).map(_.time).toSet

  /** Instants with files of more than one attempt of a task, as only a retried task leaves them: a task that was given
    * up may outlive its write. Names show them, so readers need not ask every commit for its files: all attempts of a
    * task use equal file ids, and write tokens hold the task's number.
    */
  def instantsWithRetries(listing: Map[String, Seq[FileInfo]], version: Int): Set[String] = {
    val attempts = scala.collection.mutable.Map.empty[(String, String), String]
    val groups = scala.collection.mutable.Map.empty[(String, String, String), String]
    val doubtful = Set.newBuilder[String]
    for ((partition, files) <- listing; file <- files; written <- writtenBy(file.name, version)) {
      def add[K](seen: scala.collection.mutable.Map[K, String], key: K): Unit =
        if (seen.getOrElseUpdate(key, written.token) != written.token) doubtful += written.instant
      add(attempts, (written.instant, written.token.substring(0, math.max(written.token.lastIndexOf('-'), 0))))
      add(groups, (written.instant, partition, written.fileId))
    }
    doubtful.result()
  }

  private final case class WrittenBy(instant: String, fileId: String, token: String)

  /** The write and the attempt that a file belongs to, where its name says it. Before version 8 log files belong to
    * several.
    */
  private def writtenBy(name: String, version: Int): Option[WrittenBy] =
    FileNames.parseBaseFile(name).map(n => WrittenBy(n.instant, n.fileId, n.writeToken)).orElse(
      if (version < LayoutWithCompletionTimes) None
      else FileNames.parseLogFile(name).filterNot(_.isCdc)
        .flatMap(n => n.writeToken.map(token => WrittenBy(n.time, n.fileId, token))))

  /** The files that their commits did not name, by relative path.
    *
    * @param named
    *   paths in the commit's metadata, by instant; instants that are absent keep all their files
    */
  def strays(listing: Map[String, Seq[FileInfo]], named: Map[String, Set[String]], version: Int): Set[String] =
    (for {
      (partition, files) <- listing.iterator
      file <- files.iterator
      paths <- writtenBy(file.name, version).flatMap(w => named.get(w.instant)).iterator
      path = FileSlice.join(partition, file.name) if !paths(path)
    } yield path).toSet

  /** The listing without these files, by relative path. */
  def without(listing: Map[String, Seq[FileInfo]], files: Set[String]): Map[String, Seq[FileInfo]] =
    if (files.isEmpty) listing
    else listing.map { case (partition, all) =>
      partition -> all.filterNot(f => files(FileSlice.join(partition, f.name)))
    }

  private def ofGroup(
      instants: ViewInstants, id: FileGroupId, bases: Seq[BaseFile], logs: Seq[LogFile]): Seq[FileSlice] = {
    // A later entry of the listing replaces an earlier one of its instant, as in Hudi's own view.
    val committed = bases.filter(b => instants.isCommitted(b.instant)).map(b => b.instant -> b).toMap
    val pending = instants.pendingCompactions.get(id)
    val keys = committed.keySet ++ pending
    val sorted = logs.sortBy(l => (l.time, l.version, l.writeToken.getOrElse("")))
    val logsByKey =
      assigned(instants, keys, sorted.filter(l => instants.isCommitted(l.time) || pending.contains(l.time)))
    val visible = (keys ++ logsByKey.keySet.filter(instants.isCommitted)).toList.sorted.reverse
    joinPending(pending,
      visible.map(key =>
        FileSlice(id.partition, id.fileId, key, committed.get(key), logsByKey.getOrElse(key, Nil))))
  }

  /** The log files of each slice. From version 8 on a log file belongs to the newest slice that began before the file's
    * delta commit completed. One with the instant of a pending compaction is from before an upgrade: it was logged
    * after the plan. Before version 8 a log file belongs to the slice whose instant it bears. One with another instant
    * is from before a downgrade, and belongs to a slice that began before it.
    */
  private def assigned(
      instants: ViewInstants, keys: Set[String], logs: Seq[LogFile]): Map[String, Seq[LogFile]] = {
    val start = (keys, Map.empty[String, Seq[LogFile]])
    logs.foldLeft(start) { case ((known, assigned), log) =>
      val completed =
        if (instants.version < LayoutWithCompletionTimes) log.time
        else instants.completionTime(log.time).getOrElse(log.time)
      val key = known.filter(_ <= completed).reduceOption((a, b) => if (a > b) a else b).getOrElse(log.time)
      (known + key, assigned.updated(key, assigned.getOrElse(key, Nil) :+ log))
    }._2
  }

  /** Until a compaction completes, its input and later log files are one slice. */
  private def joinPending(pending: Option[String], newestFirst: Seq[FileSlice]): Seq[FileSlice] = {
    val joined = newestFirst match {
      case Seq(compacting, previous, older @ _*) if pending.contains(compacting.instant) && compacting.base.isEmpty =>
        previous.copy(logs = previous.logs ++ compacting.logs) +: older
      case other => other
    }
    joined.filter(s => s.base.isDefined || s.logs.nonEmpty)
  }
}
