package io.hudilite.transaction

import io.hudilite.config.{TableConfig, TableKeys, TableProperties}
import io.hudilite.error.{CommitConflict, CommitStateUnknown, InvalidInput}
import io.hudilite.index.BucketIndex
import io.hudilite.storage.{Interrupts, Undo}
import io.hudilite.table.{Buckets, StatedBuckets, Table}
import io.hudilite.timeline._
import io.hudilite.upkeep.KeyJobs

import scala.util.control.NonFatal

/** The end of a write that takes all rows of a table out and gives it other facts, such as another record key
  * (docs/decisions/0019-replaced-as-a-whole.md).
  *
  * Facts lie in the properties, and which files count lies in the timeline. No storage changes two files at once, but the
  * properties name the timeline: the write completes in a copy of it, and readers come to both by the new properties.
  *
  * @param facts
  *   properties of the table from then on
  * @param jobs
  *   make the record index of the table anew, where it has one
  */
private[transaction] final class Redefinition(table: Table, facts: TableConfig, instant: String, jobs: KeyJobs) {

  import Redefinition._

  private val storage = table.storage
  private val basePath = table.basePath
  private val next = TableConfig(facts.properties ++ Map(TableKeys.TimelinePath -> s"$Folder-$instant",
    TableKeys.HistoryPath -> table.config.historyPath))
  private val copy = new TimelineStore(storage, basePath, next)

  /** Completes the write; the caller holds the table lock. Raises `CommitConflict` while another action is under way.
    * After any failure but `CommitStateUnknown` the table is as it was.
    *
    * @param now
    *   the timeline with the inflight instant
    */
  def complete(metadata: CommitMetadata, now: Timeline): Instant = {
    check(table, next)
    if (partitions(facts) != partitions(table.config)) metadata.stats.keys.find(isOdd(_, next)).foreach(path =>
      throw conflict(s"its partition '$path' may lie below one of the table as it was"))
    now.pending.find(i => i.time != instant && !isPlan(i)).foreach(i =>
      throw conflict(s"the ${i.action} ${i.time} is under way"))
    forget()
    val completed = try {
      new TimelineCopy(table.store, copy).of(now.completed ++ now.pending.filter(_.time == instant))
      val completed = copy.complete(instant, Action.ReplaceCommit, metadata, Some(now))
      endHistory(completed)
      putInPlace()
      completed
    } catch {
      case e: CommitStateUnknown => throw e
      case e: Throwable => throw Undo.after(e)(TimelineCopy.delete(storage, copy.folder))
    }
    checkWanted()
    completed
  }

  /** Older files would be read by the new facts. Readers refuse a state that a cleaning does not vouch for. */
  private def endHistory(completed: Instant): Unit = {
    val clean = copy.newInstantTime(completed.completionTime.getOrElse(instant))
    copy.requestClean(clean, CleanPlan(Policy, Some(completed), instant, Map.empty))
    copy.toInflight(clean, Action.Clean)
    copy.completeClean(clean, CleanMetadata(clean, 0L, instant, instant, Nil))
    ()
  }

  private def putInPlace(): Unit =
    try MetadataUpkeep.remade(table, TableProperties.read(storage, basePath), jobs) {
        TableProperties.update(storage, basePath)(_ => next.properties)
        ()
      }
    catch { case e: Throwable => if (!Interrupts.after(e)(isInPlace(e))) throw e }

  /** Properties that count after a failure; those of an update that died are put right first. */
  private def isInPlace(failure: Throwable): Boolean =
    try {
      TableProperties.recover(storage, basePath)
      TableProperties.read(storage, basePath).timelinePath == next.timelinePath
    } catch { case NonFatal(_) => throw unknown("its properties cannot be read", failure) }

  // A process elsewhere may have taken the write for dead, and looks for it in the timeline as it was.
  private def checkWanted(): Unit = {
    def rollback(): Option[Instant] =
      LastLook.rollbackOf(table.store, instant, Set.empty, table.store.look(instant, Action.ReplaceCommit)._2)
    val found =
      try rollback()
      catch {
        case first: Throwable =>
          try Interrupts.after(first)(rollback())
          catch { case e: Throwable => throw unknown("whether others took it back could not be seen", e) }
      }
    found.foreach(i => throw unknown(s"the rollback ${i.time} of it is under way", null))
  }

  // Readers that were opened before need the timeline as it was, and nobody one before that.
  private def forget(): Unit = storage.list(s"$basePath/.hoodie")
    .filter(f => f.isDirectory && (f.name == Folder || f.name.startsWith(s"$Folder-")))
    .filterNot(_.name == table.config.timelinePath).foreach(f => TimelineCopy.delete(storage, f.path))

  private def conflict(reason: String): CommitConflict =
    CommitConflict("COMMIT_CONFLICT", "instant" -> instant, "path" -> basePath, "reason" -> reason)

  private def unknown(reason: String, cause: Throwable): CommitStateUnknown = CommitStateUnknown.because(cause,
    "COMMIT_STATE_UNKNOWN", "instant" -> instant, "path" -> copy.folder, "reason" -> reason)
}

object Redefinition {

  private val Folder = "timeline"
  private val Policy = "KEEP_LATEST_COMMITS"

  /** Plans of services, which end with the files that they are about. */
  private val Plans = Set(Action.Compaction, Action.LogCompaction, Action.Clean)

  private def isPlan(i: Instant): Boolean = i.state == State.Requested && Plans(i.action)

  /** Entries of its commit: the columns of the table, and the buckets of its rows, if any. */
  private[transaction] def entries(facts: TableConfig, buckets: Option[BucketIndex]): Map[String, String] =
    facts.createSchema.map(CommitMetadata.SchemaKey -> DroppedColumns.without(facts, _)).toMap ++
      buckets.toSeq.flatMap(StatedBuckets.entries(_, whole = true))

  private def partitions(config: TableConfig): Seq[Any] =
    Seq(config.partitionItems, config.hiveStyle, config.urlEncode, config.timeBased)

  /** The folder lies deeper than one of a partition column each, since a value has slashes. */
  private def isOdd(partition: String, config: TableConfig): Boolean =
    config.partitionFields.nonEmpty && partition.count(_ == '/') + 1 != config.partitionFields.size

  /** Raises `InvalidInput` where a table cannot get other facts without misleading a reader. */
  def check(table: Table, facts: TableConfig): Unit = {
    val config = table.config
    def refuse(reason: String): Nothing = throw InvalidInput("STATEMENT_NOT_SUPPORTED",
      "statement" -> "A replacement that changes the definition of a table", "path" -> table.basePath,
      "reason" -> s"$reason, or drop the table and create it anew")
    if (config.layout != 2)
      refuse(s"readers of version ${config.version} could not see rows and facts change at once; upgrade the table")
    if (facts.version != config.version)
      refuse("a replacement does not change the version of the table; leave the version out")
    // Readers that list folders stop at the first folder with a partition's mark.
    if (facts.partitionFields.size != config.partitionFields.size)
      refuse(
        s"it has ${config.partitionFields.size} partition columns, and readers would not find folders of another " +
          "depth; keep their number")
    if (facts.populateMetaFields != config.populateMetaFields)
      refuse(s"readers of older files go by its meta columns; keep ${TableKeys.PopulateMetaFields}")
    if (facts.dropsPartitionColumns != config.dropsPartitionColumns)
      refuse(s"older files do not hold what newer ones do; keep ${TableKeys.DropPartitionColumns}")
    if (partitions(facts) != partitions(config)) table.partitions().find(isOdd(_, config)).foreach(path =>
      refuse(s"its partition '$path' lies deeper than it has partition columns; keep these columns"))
    table.timeline.savepoints.lastOption.foreach(savepoint =>
      refuse(s"the savepoint $savepoint holds rows of the old definition; delete it"))
    if (table.storage.list(Buckets.folder(table.basePath)).nonEmpty)
      refuse("files beside it say how its buckets are made; keep its definition")
  }
}
