package io.hudilite.timeline

import io.hudilite.codec.avro.{AvroFields, AvroFile, AvroText}
import io.hudilite.error.CorruptTable
import io.hudilite.storage.TablePath

import java.nio.charset.StandardCharsets.UTF_8

/** Results of completed actions as their files have them, of the active timeline and of the archive. */
final class InstantResults(store: TimelineStore, timeline: Timeline) {

  import InstantResults._

  /** Completed instants of these actions, the oldest first. */
  def active(actions: Set[String]): Seq[Instant] =
    timeline.completed.filter(i => actions(i.comparableAction)).sortBy(i => (i.time, i.comparableAction))

  /** As [[active]] for those that have left the timeline. */
  def archived(actions: Set[String]): Seq[Instant] = {
    val known = timeline.completed.map(place).toSet
    archive.completed.filter(i => actions(i.action) && !known(place(i)))
  }

  private lazy val archive: ArchiveImage = store.archive.now()

  /** Texts of instants of the active timeline as JSON, read some at a time. An action that says nothing has an empty
    * object.
    */
  def texts(instants: Seq[Instant]): Iterator[(Instant, String)] = contents(instants).map { case (instant, bytes) =>
    instant ->
      (if (bytes.isEmpty) Nothing
       else if (AvroFile.isAvro(bytes)) AvroText.of(parsed(instant, bytes))
       else new String(bytes, UTF_8))
  }

  /** As [[texts]] for those that have left the timeline, in the order of the archive. */
  def archivedTexts(instants: Seq[Instant]): Iterator[(Instant, String)] = {
    val told = scala.collection.mutable.Set.empty[(String, String)]
    val wanted = instants.map(i => place(i) -> i).toMap
    archive.results(instants.map(_.action).toSet)
      .filter { case (instant, _) => wanted.contains(place(instant)) && told.add(place(instant)) }
      .map { case (instant, result) => wanted(place(instant)) -> AvroText.of(result) } ++ wanted.iterator.collect {
      case (at, instant) if !told(at) => instant -> Nothing
    }
  }

  /** The action that deleted a file, if one says so: of the active timeline before those of the archive, the newest first.
    *
    * @param partition
    *   of the file; `None` looks at all of them
    */
  def deletion(action: String, partition: Option[String], fileName: String): Option[Deletion] = {
    def names(result: AvroFields): Boolean = deleted(result).exists { case (of, files) =>
      partition.forall(_ == of) && files.contains(fileName)
    }
    contents(active(Set(action)).reverse).collectFirst {
      case (instant, bytes) if bytes.nonEmpty && names(parsed(instant, bytes)) => Deletion(instant, isArchived = false)
    }.orElse(archive.results(Set(action)).filter { case (_, result) => names(result) }.map(_._1).toSeq
        .sortBy(_.time).lastOption.map(Deletion(_, isArchived = true)))
  }

  private def parsed(instant: Instant, bytes: Array[Byte]): AvroFields =
    CorruptTable.guard(store.pathOf(instant.fileName))(AvroFile.read(bytes))

  private def contents(instants: Seq[Instant]): Iterator[(Instant, Array[Byte])] =
    instants.grouped(AtOnce).flatMap { some =>
      val found = new CommitFiles(store).contents(some)
      some.map(i => i -> found.getOrElse(store.pathOf(i.fileName), throw store.removed(i.time)))
    }
}

object InstantResults {

  /** @param instant
    *   of the action that deleted a file
    */
  final case class Deletion(instant: Instant, isArchived: Boolean)

  /** Actions whose results can be told. */
  val Actions: Seq[String] =
    Seq(Action.Clean, Action.Commit, Action.DeltaCommit, Action.ReplaceCommit, Action.Rollback, Action.Savepoint,
      Action.Restore)

  private val Nothing = "{}"
  private val AtOnce = 16

  private def place(instant: Instant): (String, String) = (instant.time, instant.comparableAction)

  /** Names of deleted files by partition, as cleanings, rollbacks and restores say them. */
  private def deleted(result: AvroFields): Iterator[(String, Seq[String])] =
    result.childrenMap("hoodieRestoreMetadata").valuesIterator.flatten.flatMap(deleted) ++
      result.childMap("partitionMetadata").iterator.map { case (partition, of) =>
        TablePath.relative(partition) -> of.texts("successDeleteFiles").map(TablePath.fileName)
      }
}
