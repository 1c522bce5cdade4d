package io.hudilite.timeline

import io.hudilite.storage.{Cached, FileInfo, WeightedCache}
import io.hudilite.timeline.plan.{InstantName, RollbackMetadata}

import scala.util.control.NonFatal

/** Writes that completed after others had taken them back: their writer was taken for dead and came late. Their files
  * are gone or may go, so they never count (docs/format.md#late-writes).
  *
  * Rollbacks name them. They also name services that others planned and that were run again since, which do count. The
  * rollback of a compaction or a clustering leaves its request and removes the inflight file, which a new run makes
  * again. An archiving takes requests first, so none of its steps leaves files like those of a late run. A log
  * compaction loses its request, too.
  */
private[timeline] final class LateWrites(store: TimelineStore) {

  import LateWrites._

  /** @param found
    *   the timeline as the files of its folder, `files`, show it
    */
  def of(found: Timeline, files: Seq[FileInfo]): Seq[Instant] = {
    val undoings = found.completed.filter(i => Undoings(i.action))
    val takenBack = if (undoings.isEmpty || found.writes.isEmpty) Set.empty[String] else targets(undoings)
    val named = found.writes.filter(i => takenBack(i.time))
    if (named.isEmpty) Nil
    else {
      val states = files.flatMap(f => InstantFileName.parse(f.name)).groupBy(i => (i.time, i.comparableAction))
      named.filter(i => isLate(i, states.getOrElse((i.time, i.action), Nil).map(_.state).toSet))
    }
  }

  /** @param states
    *   states of which the write has a file
    */
  private def isLate(write: Instant, states: Set[State]): Boolean = {
    val metadata = store.readableCommits(Seq(write)).map(_._2)
    val losesRequest = metadata.exists(_.operation == CommitMetadata.LogCompact)
    !wasPlanned(metadata) || (!states(State.Inflight) && (losesRequest || states(State.Requested)))
  }

  /** Completed and archived actions, without writes that archived rollbacks name: programs that do not know late writes
    * archive them, too. A process reads the archive for it once, and again when it has grown.
    */
  def archived(archive: TimelineArchive): Seq[Instant] = archived(archive, Long.MaxValue).getOrElse(Nil)

  /** As above; `None` where more bytes than `most` would have to be read. */
  def archived(archive: TimelineArchive, most: Long): Option[Seq[Instant]] = {
    val image = archive.now()
    val known = archives.of(store.storage)
    if (image.files.isEmpty) Some(Nil)
    else known.get(image.files).orElse(if (image.files.map(_._2).sum > most) None
      else {
        val counted = this.counted(image)
        if (image.isWhole) known.put(image.files, counted, counted.size + 1L)
        Some(counted)
      })
  }

  private def counted(archive: ArchiveImage): Seq[Instant] = {
    val all = archive.completed
    val takenBack = if (all.exists(_.action == Action.Rollback)) archive.takenBack else Set.empty[String]
    val named = all.filter(i => Action.Writes(i.action) && takenBack(i.time))
    if (named.isEmpty) all
    else {
      val commits = archive.commits(named.map(_.time).toSet)
      val late = named.filterNot(i => wasPlanned(commits.get(i.time).toList)).toSet
      all.filterNot(late)
    }
  }

  // A commit that cannot be read may be either, and is not passed over.
  private def wasPlanned(metadata: Seq[CommitMetadata]): Boolean =
    metadata.forall(m => m.compacted || Planned(m.operation))

  /** Instants that these completed rollbacks and restores took back. Those that cannot be read are left out. */
  private def targets(undoings: Seq[Instant]): Set[String] = {
    val cache = LateWrites.cache.of(store.storage)
    def key(i: Instant): String = s"${store.folder}/${i.fileName}"
    val known = undoings.flatMap(i => cache.get(key(i)).map(i -> _)).toMap
    val read = undoings.filterNot(known.contains).grouped(FilesAtOnce).flatMap { some =>
      val contents = store.storage.readAll(some.map(pathOf))
      some.map(i => i -> contents.get(pathOf(i)).fold(Set.empty[String])(targetsIn(i, _)))
    }.toMap
    read.foreach { case (i, times) => cache.put(key(i), times, times.size + 1L) }
    (known ++ read).values.flatten.toSet
  }

  // Of a restore, only the plan names instants that were pending.
  private def pathOf(undoing: Instant): String = {
    val name =
      if (undoing.action == Action.Rollback && !undoing.isBlank) undoing.fileName
      else InstantFileName.requested(undoing.time, undoing.action, store.config.layout)
    s"${store.folder}/$name"
  }

  private def targetsIn(undoing: Instant, bytes: Array[Byte]): Set[String] = {
    def told(targets: Seq[InstantName]): RollbackMetadata = RollbackMetadata(undoing.time, 0L, targets, Nil)
    LateWrites.named[Array[Byte]](
      if (undoing.action == Action.Restore) b => told(PlanCodec.restorePlan(b).targets)
      else if (undoing.isBlank) b => told(Seq(PlanCodec.rollbackPlan(b).target))
      else PlanCodec.rollback, bytes).toSet
  }
}

private object LateWrites {

  private val Undoings = Set(Action.Rollback, Action.Restore)
  private val Planned = Set(CommitMetadata.Compact, CommitMetadata.LogCompact, CommitMetadata.Cluster)
  private val FilesAtOnce = 64

  // Completed rollbacks never change.
  private val MaxInstants = 10000L
  private val MaxArchived = 100000L

  /** Instants that a completed rollback names, if it can be read. */
  def named[T](parse: T => RollbackMetadata, content: T): Seq[String] =
    try parse(content).targets.map(_.time)
    catch { case NonFatal(_) => Nil } // the doctor tells of it

  private val cache = new Cached(new WeightedCache[String, Set[String]](MaxInstants))

  // By the files of the archive, which are others when anything comes to it.
  private val archives = new Cached(new WeightedCache[Seq[(String, Long)], Seq[Instant]](MaxArchived))
}
