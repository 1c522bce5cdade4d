package io.hudilite.timeline

import io.hudilite.codec.avro.AvroFile
import io.hudilite.error.CorruptTable
import io.hudilite.storage.FileInfo

import scala.util.control.NonFatal

/** A file of the active timeline without the content that it must have. */
final case class DamagedInstant(instant: Instant, file: FileInfo, reason: String) {
  def isEmpty: Boolean = file.length == 0
}

/** Finds files of an active timeline that cannot be read, as of one listing. Of completed actions only the completed
  * file counts: nobody needs their plans any more.
  */
final class TimelineHealth(store: TimelineStore) {

  private val files: Seq[(Instant, FileInfo)] = for {
    file <- store.storage.list(store.folder) if !file.isDirectory
    instant <- InstantFileName.parse(file.name) if Action.all(instant.action)
  } yield instant -> file

  private val completed: Set[(String, String)] =
    files.collect { case (i, file) if i.isCompleted && file.length > 0 => (i.time, i.action) }.toSet

  /** The completed writes, or the reason why they cannot be read. Read from storage, not from the memory of this
    * process.
    */
  private lazy val writes: Map[(Instant, FileInfo), Either[String, CommitMetadata]] =
    files.filter { case (i, file) => i.isCompleted && Action.Writes(i.action) && file.length > 0 }
      .grouped(TimelineHealth.FilesAtOnce).flatMap { group =>
        val contents = store.storage.readAll(group.map(_._2.path))
        for (found @ (_, file) <- group; bytes <- contents.get(file.path))
          yield found -> tried(CommitCodec.read(bytes, file.path))
      }.toMap

  /** The readable completed writes, by instant. */
  lazy val commits: Map[String, CommitMetadata] =
    writes.collect { case ((instant, _), Right(metadata)) => instant.time -> metadata }

  /** The damaged files, oldest instant first. */
  lazy val damaged: Seq[DamagedInstant] = {
    val others = files.filterNot { case (i, file) => i.isCompleted && Action.Writes(i.action) && file.length > 0 }
      .filter { case (i, _) => i.isCompleted || !completed((i.time, i.comparableAction)) }
    val contents = store.storage.readAll(others.filter(_._2.length > 0).map(_._2.path))
    val broken = others.flatMap { case (i, file) =>
      (if (file.length == 0) missing(i) else contents.get(file.path).flatMap(flaw(i, _))).map(DamagedInstant(i, file,
          _))
    }
    val brokenWrites = writes.toSeq.collect { case ((i, file), Left(reason)) => DamagedInstant(i, file, reason) }
    (broken ++ brokenWrites).sortBy(d => (d.instant.time, d.file.name))
  }

  /** Time at which the newest file of a pending action was written, in epoch milliseconds of the storage. */
  def lastChanged(instant: Instant): Long = files.collect {
    case (i, file) if i.time == instant.time && i.comparableAction == instant.comparableAction => file.modifiedMs
  }.foldLeft(0L)(math.max)

  /** Instants that completed restores took back. */
  lazy val restored: Set[String] = targetsOf(Action.Restore)(PlanCodec.restorePlan(_).targets.map(_.time))

  /** Instants that completed rollbacks and restores took back. */
  lazy val takenBack: Set[String] =
    restored ++ targetsOf(Action.Rollback)(bytes => Seq(PlanCodec.rollbackPlan(bytes).target.time))

  // The plans of the actions that completed.
  private def targetsOf(action: String)(targets: Array[Byte] => Seq[String]): Set[String] = {
    val plans = files.collect {
      case (i, file)
          if i.action == action && i.state == State.Requested && completed((i.time, action)) && file.length > 0 =>
        file.path
    }
    store.storage.readAll(plans).values.flatMap(bytes => tried(targets(bytes)).fold(_ => Nil, found => found)).toSet
  }

  private def missing(i: Instant): Option[String] = i.state match {
    case State.Completed => Some("it is empty")
    case State.Requested if TimelineHealth.Planned(i.action) => Some("it is empty and should hold a plan")
    case _ => None
  }

  private def flaw(i: Instant, bytes: Array[Byte]): Option[String] = tried((i.action, i.state) match {
    case (Action.Clean, State.Completed) => PlanCodec.clean(bytes)
    case (Action.Rollback, State.Completed) => PlanCodec.rollback(bytes)
    case (Action.Savepoint, State.Completed) => PlanCodec.savepoint(bytes)
    case (Action.Clean, State.Requested) => PlanCodec.cleanPlan(bytes)
    case (Action.Rollback, State.Requested) => PlanCodec.rollbackPlan(bytes)
    case (Action.Compaction | Action.LogCompaction, State.Requested) => PlanCodec.compactionPlan(bytes)
    case (Action.Clustering | Action.ReplaceCommit, State.Requested) => PlanCodec.clusteringPlan(bytes)
    case (Action.Restore, State.Requested | State.Completed) => AvroFile.read(bytes)
    case (action, State.Inflight) if Action.Writes(action) => CommitCodec.read(bytes, i.fileName)
    case _ => ()
  }).left.toOption

  private def tried[T](parse: => T): Either[String, T] =
    try Right(parse)
    catch {
      case e: CorruptTable => Left(e.parameters.getOrElse("reason", e.getMessage))
      case NonFatal(e) => Left(Option(e.getMessage).getOrElse(e.getClass.getSimpleName).takeWhile(_ != '\n'))
    }
}

object TimelineHealth {

  private val FilesAtOnce = 32

  /** Actions that cannot go on without their plans. A replace commit has no plan unless it is a clustering. */
  val Planned: Set[String] =
    Set(Action.Compaction, Action.LogCompaction, Action.Clustering, Action.Clean, Action.Rollback, Action.Restore)
}
