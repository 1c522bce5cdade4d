package io.hudilite.timeline

import io.hudilite.config.TableConfig
import io.hudilite.error.{CommitConflict, CommitStateUnknown, CorruptTable}
import io.hudilite.storage.{Cached, FileInfo, Interrupts, NotPublished, Storage}
import io.hudilite.timeline.plan.{
  ClusteringPlan,
  CompactionPlan,
  RestoreMetadata,
  RestorePlan,
  RollbackMetadata,
  RollbackPlan,
  SavepointMetadata
}

import java.time.{Clock, DateTimeException, ZoneId}
import java.util.concurrent.ConcurrentHashMap

import scala.util.control.NonFatal

/** The timeline of one table on storage: loads it, moves instants through their states, reads their content.
  *
  * A new state is a new file, created only if its name is free. So at most one of two writers gets it.
  */
final class TimelineStore(val storage: Storage, val basePath: String, val config: TableConfig) {

  private val root = basePath.stripSuffix("/")
  private val layout = config.layout
  private val hoodieFolder = s"$root/.hoodie"

  /** Folder of the active timeline. */
  val folder: String = if (layout == 1) hoodieFolder else s"$hoodieFolder/${config.timelinePath}"

  private def archiveFolder: String =
    if (layout == 1) s"$hoodieFolder/${config.archiveFolder}" else s"$folder/${config.historyPath}"

  private def zone: ZoneId = config.zone(storage.clock)

  /** The time of this machine, in the zone of the timeline. */
  private[timeline] def clock: Clock = storage.clock.withZone(zone)

  private[timeline] def pathOf(fileName: String): String = s"$folder/$fileName"

  /** The active timeline as one listing shows it. A write whose completed file was cut short is still pending; only the
    * last write to complete can be such, since the next writer takes it back. A write that completed after others had
    * taken it back does not count, either.
    */
  def load(): Timeline = counted(storage.list(folder))

  @annotation.tailrec
  private def counted(files: Seq[FileInfo]): Timeline = {
    val found = timeline(files)
    found.lastToComplete match {
      case Some(last) if isCutShort(last) => counted(files.filterNot(_.name == last.fileName))
      // A retried write of a metadata table bears the instant that its rollback names.
      case _ if config.isMetadataTable => found
      case _ =>
        val late = lateWrites.of(found, files)
        val names = late.map(_.fileName).toSet
        if (late.isEmpty) found else timeline(files.filterNot(f => names(f.name))).copy(late = late)
    }
  }

  private def lateWrites = new LateWrites(this)

  /** True when the completed file of a write ends early and its writer has not cleaned up, as it does once the file is
    * whole. Nobody was told that such a write completed. Without the traces of the writer, the write completed and its
    * file was damaged later.
    */
  def isCutShort(completed: Instant): Boolean =
    try { readCommit(completed); false }
    catch {
      case _: CorruptTable => storage.read(pathOf(completed.fileName)).exists(CommitCodec.isCutShort) &&
        WriteFolders.all(root).exists(traces => storage.exists(s"$traces/${completed.time}"))
      // It was rolled back since it was listed.
      case _: CommitConflict => false
    }

  private def timeline(files: Seq[FileInfo]): Timeline = Timeline(InstantFileName.instants(files, layout, zone,
      if (config.isMetadataTable) InstantTime.isOfMetadata else InstantTime.isOfTimeline))

  /** A new instant: later than `floor`, and than any time that this process gave out for the table. */
  def newInstantTime(floor: String = ""): String =
    TimelineStore.lastGiven.of(storage).compute(root,
      (_, last) => later(if (last == null || last < floor) floor else last))

  private def later(floor: String): String =
    try InstantTime.after(floor, clock)
    catch {
      case e: DateTimeException =>
        throw CorruptTable.because(e, "TIMELINE_ENDS", "instant" -> floor, "path" -> folder)
    }

  /** Announces an action. `content` is its plan; writes have none. */
  def request(time: String, action: String, content: Array[Byte] = Array.emptyByteArray): Unit = {
    val plan = if (content.isEmpty && action == Action.ReplaceCommit) PlanCodec.emptyRequestedReplace else content
    create(time, InstantFileName.requested(time, action, layout), plan)
  }

  /** Starts a requested action. `content` may be a workload profile. */
  def toInflight(time: String, action: String, content: Array[Byte] = Array.emptyByteArray): Unit =
    create(time, InstantFileName.inflight(time, action, layout), content)

  /** Starts a write that this process announced under this lock. Another writer of that time and action would have
    * found it announced, so storage is not asked if the name is free.
    */
  def begin(time: String, action: String): Unit =
    storage.replace(pathOf(InstantFileName.inflight(time, action, layout)), Array.emptyByteArray)

  /** Starts a write and tells other writers which file groups it will touch. */
  def toInflight(time: String, action: String, profile: CommitMetadata): Unit =
    toInflight(time, action, CommitCodec.write(profile, action, layout))

  /** Completes a write, a compaction or a clustering; call it under the table lock. The completion time is taken here.
    *
    * A failure of storage that leaves the outcome open is `CommitStateUnknown`.
    *
    * @param seen
    *   the timeline as it was loaded under this lock, with the inflight instant in it
    */
  def complete(time: String, action: String, metadata: CommitMetadata, seen: Option[Timeline] = None): Instant = {
    val content = CommitCodec.write(metadata, action, layout)
    val parsed = CommitCodec.read(content, pathOf(time))
    val completed = completeAfter(seen.fold(lastTime(time, action))(_.lastTime), time, action, content)
    commits.keep(completed, parsed, content.length) // asked for by the next one to open the table
    completed
  }

  def requestRollback(time: String, plan: RollbackPlan): Unit =
    request(time, Action.Rollback, PlanCodec.write(plan, root))

  def completeRollback(time: String, metadata: RollbackMetadata): Instant =
    completeWith(time, Action.Rollback, PlanCodec.write(metadata, root))

  /** Announces a compaction or a log compaction. */
  def requestCompaction(time: String, plan: CompactionPlan, action: String = Action.Compaction): Instant = {
    request(time, action, PlanCodec.write(plan))
    requested(time, action)
  }

  def requestClustering(time: String, plan: ClusteringPlan): Unit =
    request(time, Action.Clustering, PlanCodec.write(plan, root))

  def requestClean(time: String, plan: CleanPlan): Instant = {
    request(time, Action.Clean, PlanCodec.write(plan, root))
    requested(time, Action.Clean)
  }

  private def requested(time: String, action: String): Instant =
    Instant(time, action, State.Requested, None, InstantFileName.requested(time, action, layout))

  def completeClean(time: String, metadata: CleanMetadata): Instant =
    completeWith(time, Action.Clean, PlanCodec.write(metadata))

  def requestRestore(time: String, plan: RestorePlan): Unit = request(time, Action.Restore, PlanCodec.write(plan))

  def completeRestore(time: String, metadata: RestoreMetadata): Instant =
    completeWith(time, Action.Restore, PlanCodec.write(metadata, root))

  /** `None` when the restore has no plan, as a crash may leave it. */
  def readRestorePlan(instant: Instant): Option[RestorePlan] =
    readRequested(Seq(instant))(PlanCodec.restorePlan).headOption.map(_._2)

  /** A savepoint has no requested state, and its time is the instant that it saves. One that was begun and not ended
    * does not count yet, and is ended.
    */
  def savepoint(time: String, metadata: SavepointMetadata): Instant = {
    storage.createNew(pathOf(InstantFileName.inflight(time, Action.Savepoint, layout)), Array.emptyByteArray)
    completeWith(time, Action.Savepoint, PlanCodec.write(metadata))
  }

  private def completeWith(time: String, action: String, content: Array[Byte]): Instant =
    completeAfter(lastTime(time, action), time, action, content)

  /** The greatest time of a timeline in which this action is inflight. */
  private def lastTime(time: String, action: String): Option[String] = {
    val listed = storage.list(folder)
    val states = filesOf(time, action, listed)
    if (!states.exists(_._1.state == State.Inflight)) throw removed(time)
    if (states.exists(_._1.isCompleted)) throw taken(time, s"${Action.completed(action)} is already completed")
    timeline(listed).lastTime
  }

  private def completeAfter(last: Option[String], time: String, action: String, content: Array[Byte]): Instant = {
    // A completion must come after everything that a reader may have seen, not only after its own request: a compaction
    // planned meanwhile, by a clock that runs ahead, has not read it.
    val completionTime = newInstantTime(last.getOrElse(""))
    val name = InstantFileName.completed(time, action, completionTime, layout)
    val completed = Instant(time, Action.completed(action), State.Completed,
      if (layout == 1) None else Some(completionTime), name, content.length.toLong)
    publish(time, name, content)
    completed
  }

  private def create(time: String, name: String, content: Array[Byte]): Unit =
    if (!storage.createNew(pathOf(name), content)) throw taken(time, s"$name exists")

  /** After any failure here readers may see the instant, unless storage promises that they never will. */
  private def publish(time: String, name: String, content: Array[Byte]): Unit =
    try if (!storage.createNew(pathOf(name), content) && !landed(name, content)) throw taken(time, s"$name exists")
    catch {
      case e @ (_: NotPublished | _: CommitConflict) => throw e
      case e: Throwable =>
        val there = Interrupts.after(e)(landed(name, content))
        if (!there) throw unknown(time, name, e)
    }

  private def landed(name: String, content: Array[Byte]): Boolean =
    try storage.read(pathOf(name)).exists(_.sameElements(content))
    catch { case NonFatal(_) => false }

  private def taken(time: String, reason: String): CommitConflict =
    CommitConflict("INSTANT_TAKEN", "instant" -> time, "path" -> root, "reason" -> reason)

  private[timeline] def removed(time: String): CommitConflict =
    CommitConflict("INSTANT_REMOVED", "instant" -> time, "path" -> root)

  private def unknown(time: String, name: String, cause: Throwable): CommitStateUnknown =
    CommitStateUnknown.because(cause, "COMMIT_STATE_UNKNOWN", "instant" -> time, "path" -> folder,
      "reason" -> s"creating ${pathOf(name)} failed midway")

  /** Every file of the action at `time`, leftovers of a crash included. */
  private def filesOf(time: String, action: String): Seq[(Instant, FileInfo)] =
    filesOf(time, action, storage.list(folder))

  private def filesOf(time: String, action: String, listed: Seq[FileInfo]): Seq[(Instant, FileInfo)] = for {
    file <- listed if file.name.startsWith(time) && !file.isDirectory
    instant <- InstantFileName.parse(file.name)
    if instant.time == time && instant.comparableAction == Action.completed(action)
  } yield instant -> file

  /** Time at which a pending action was announced, in epoch milliseconds of the storage. */
  def requestedAt(instant: Instant): Option[Long] = filesOf(instant.time, instant.action).collectFirst {
    case (found, file) if found.state == State.Requested => file.modifiedMs
  }

  /** True when the action has begun, also if it has ended since. */
  def isBegun(instant: Instant): Boolean = filesOf(instant.time, instant.action).exists(_._1.state == State.Inflight)

  /** Removes an instant from the timeline, its highest state first, so that it is never seen as live again. */
  def delete(instant: Instant): Unit =
    filesOf(instant.time, instant.action).sortBy(-_._1.state.rank)
      .foreach { case (_, file) => storage.delete(file.path) }

  /** Removes the completed file of a write that does not count, being cut short, empty, or late. The write is pending
    * for all readers then, and a service can complete again.
    */
  def deleteUncounted(time: String): Unit = {
    val listed = storage.list(folder)
    lazy val late = lateWrites.of(timeline(listed), listed).map(_.fileName).toSet
    for {
      file <- listed if file.name.startsWith(time) && !file.isDirectory
      instant <- InstantFileName.parse(file.name)
      if instant.time == time && instant.isCompleted && Action.Writes(instant.action)
      if file.length == 0 || isCutShort(instant) || late(file.name)
    } storage.delete(file.path)
  }

  /** Takes back a completed state that this process has made alone. */
  def withdraw(completed: Instant): Unit = {
    storage.delete(pathOf(completed.fileName))
    ()
  }

  /** The state of each file of an action in the timeline's folder, and all instants in it, counted or not. */
  def look(time: String, action: String): (Seq[State], Timeline) = {
    val listed = storage.list(folder)
    (filesOf(time, action, listed).map(_._1.state), timeline(listed))
  }

  /** The instant that a rollback is to take back, or has taken back; `None` when the rollback does not say. */
  def targetOf(rollback: Instant): Option[String] = readRollbackPlan(rollback).map(_.target.time)
    .orElse(if (rollback.isCompleted && !rollback.isBlank) readRollback(rollback).targets.headOption.map(_.time)
      else None)

  /** Takes back one pending state of an action. */
  def withdraw(time: String, action: String, state: State): Unit =
    filesOf(time, action).filter(_._1.state == state).foreach { case (_, file) => storage.delete(file.path) }

  /** Takes a pending action back to requested, as the rollback of a compaction does. */
  def revertToRequested(instant: Instant): Unit = withdraw(instant.time, instant.action, State.Inflight)

  /** Content of a completed write, or the workload profile of an inflight one. */
  def readCommit(instant: Instant): CommitMetadata = readCommits(Seq(instant)).head._2

  /** Contents of many instants, read in parallel, in the order of `instants`. Instants archived since the timeline was
    * listed are read from the archive.
    */
  def readCommits(instants: Seq[Instant]): Seq[(Instant, CommitMetadata)] = commits.read(instants)

  /** Contents of many instants without those that are gone or cannot be read, for callers that can do with the rest. */
  def readableCommits(instants: Seq[Instant]): Seq[(Instant, CommitMetadata)] = commits.readable(instants)

  private def commits = new CommitFiles(this)

  /** Pending compactions with their plans. */
  def pendingCompactions(timeline: Timeline): Seq[(Instant, CompactionPlan)] =
    readRequested(timeline.pendingCompactions)(PlanCodec.compactionPlan)

  /** Pending log compactions with their plans. */
  def pendingLogCompactions(timeline: Timeline): Seq[(Instant, CompactionPlan)] =
    readRequested(timeline.pendingLogCompactions)(PlanCodec.compactionPlan)

  /** Pending clusterings with their plans; in layout 1 they look like other replace commits until they are read. */
  def pendingClusterings(timeline: Timeline): Seq[(Instant, ClusteringPlan)] =
    readRequested(timeline.pending.filter(_.comparableAction == Action.ReplaceCommit))(PlanCodec.clusteringPlan)
      .collect { case (instant, Some(plan)) => instant -> plan }

  /** `None` when the rollback has no plan, as a crash may leave it. */
  def readRollbackPlan(instant: Instant): Option[RollbackPlan] =
    CorruptTable.hinting("run the doctor to see if the plan is needed")(
      readRequested(Seq(instant))(PlanCodec.rollbackPlan).headOption.map(_._2))

  /** `None` when the cleaning has no plan, as a crash may leave it. */
  def readCleanPlan(instant: Instant): Option[CleanPlan] =
    readRequested(Seq(instant))(PlanCodec.cleanPlan).headOption.map(_._2)

  /** Parsed requested files. An empty file has no plan and is left out. */
  private def readRequested[T](instants: Seq[Instant])(parse: Array[Byte] => T): Seq[(Instant, T)] = {
    val paths = instants.map(i => i -> pathOf(InstantFileName.requested(i.time, i.action, layout)))
    val contents = storage.readAll(paths.map(_._2))
    for ((instant, path) <- paths; bytes <- contents.get(path) if bytes.nonEmpty)
      yield instant -> CorruptTable.guard(path)(parse(bytes))
  }

  /** Result of a rollback; where its file is empty, the plan tells what it took back. */
  def readRollback(instant: Instant): RollbackMetadata =
    if (instant.isBlank) RollbackMetadata(instant.time, 0L, readRollbackPlan(instant).map(_.target).toList, Nil)
    else readCompleted(instant)(PlanCodec.rollback)

  /** Content of a completed clean that is not blank. */
  def readClean(instant: Instant): CleanMetadata = readCleans(Seq(instant)).head

  /** Contents of completed cleans that are not blank, read in parallel. */
  def readCleans(instants: Seq[Instant]): Seq[CleanMetadata] = {
    val contents = commits.contents(instants)
    instants.map { i =>
      val path = pathOf(i.fileName)
      val bytes = contents.getOrElse(path, throw removed(i.time))
      CorruptTable.hinting(s"run the doctor with fix, which runs the plan of the cleaning ${i.time} again")(
        CorruptTable.guard(path)(PlanCodec.clean(bytes)))
    }
  }

  def readSavepoint(instant: Instant): SavepointMetadata = readCompleted(instant)(PlanCodec.savepoint)

  private def readCompleted[T](instant: Instant)(parse: Array[Byte] => T): T = {
    val path = pathOf(instant.fileName)
    val bytes = commits.contents(Seq(instant)).getOrElse(path, throw removed(instant.time))
    CorruptTable.guard(path)(parse(bytes))
  }

  /** The table's columns, from the newest write that recorded them, else as created. */
  def schema(timeline: Timeline): Option[TableSchema] =
    TableSchema.newest(timeline.writes.reverseIterator.map(i =>
        CorruptTable.guard(pathOf(i.fileName))(TableSchema.withPlainSchema(readCommit(i)))))
      .orElse(config.createSchema.map(json => TableSchema(TableSchema.withoutMeta(json))))
      .map(DroppedColumns.added(config, _))

  /** The history of columns that Hudi's schema-on-read changed. */
  def schemaFiles: SchemaFiles = new SchemaFiles(this)

  /** True when some actions have left the active timeline. */
  def hasArchive: Boolean = storage.list(archiveFolder).nonEmpty

  /** The instants that left the active timeline. */
  def archive: TimelineArchive =
    if (layout == 1) new ArchiveLog(storage, archiveFolder, zone)
    else new TimelineHistory(storage, archiveFolder)

  /** Completed actions that left the active timeline, oldest first, without writes that came after their rollback.
    * Reads the whole archive.
    */
  def archivedCompleted(): Seq[Instant] = lateWrites.archived(archive)

  /** The writes among [[archivedCompleted]]. */
  def archivedWrites(): Seq[Instant] = archivedCompleted().filter(i => Action.Writes(i.action))

  /** As [[archivedCompleted]]; `None` where this process does not know them and would have to read more bytes than `most`. */
  def archivedCompleted(most: Long): Option[Seq[Instant]] =
    if (hasArchive) lateWrites.archived(archive, most) else Some(Nil)
}

private object TimelineStore {

  /** By table, the last time that this process gave out: one that was taken back may have left files. */
  val lastGiven = new Cached(new ConcurrentHashMap[String, String]())
}
