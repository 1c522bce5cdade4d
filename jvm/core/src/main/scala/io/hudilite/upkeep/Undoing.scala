package io.hudilite.upkeep

import io.hudilite.config.{TableConfig, TableProperties}
import io.hudilite.error.CorruptTable
import io.hudilite.metadata.MetadataAction
import io.hudilite.storage.TablePath
import io.hudilite.timeline.TimelineStore
import io.hudilite.timeline.plan.{RollbackMetadata, RollbackPlan}

import org.slf4j.LoggerFactory

/** A rollback of a write that did not complete, as the metadata table of the table takes part in it. The caller holds the
  * lock of the table.
  *
  * @param current
  *   properties of the table where the caller has read them under the lock
  */
private[hudilite] final class Undoing(store: TimelineStore, current: Option[TableConfig]) {

  /** Before the write of this instant loses its last trace in the timeline of the table: what the metadata table says of it
    * would count from then on. Where that is more than the names of files, the metadata table goes.
    */
  def begin(instant: String): Unit = keeping { home =>
    val own = new OwnWrites(home)
    if (home.isKept) {
      own.takeBack(instant)
      ()
    } else if (own.hasCompleted(instant)) remove(home, s"it has the write $instant, which is taken back")
  }

  /** Before the rollback completes. It may have appended to logs, as before version 8.
    *
    * @param time
    *   of the rollback
    */
  def end(time: String, rollback: RollbackMetadata, plan: RollbackPlan): Unit =
    if (rollback.partitions.exists(_.rollbackLogFiles.nonEmpty)) keeping { home =>
      val byName = rollback.partitions.map(p =>
        p.copy(rollbackLogFiles = p.rollbackLogFiles.map { case (path, bytes) => TablePath.fileName(path) -> bytes }))
      val action = MetadataAction.RolledBack(time, rollback.copy(partitions = byName), plan)
      // Its statistics were those of the write, which are gone.
      if (home.isKept) new MetadataWriter(home).record(action, home.data.load())
    }

  // A metadata table that cannot be trusted must not keep a dead write.
  private def keeping(keep: MetadataHome => Unit): Unit = {
    val config = current.getOrElse(TableProperties.read(store.storage, store.basePath))
    if (config.metadataPartitions.nonEmpty) {
      val home = new MetadataHome(new TimelineStore(store.storage, store.basePath, config))
      if (home.isThere)
        try keep(home)
        catch { case e: CorruptTable => remove(home, e.getMessage) }
    }
  }

  private def remove(home: MetadataHome, reason: String): Unit = {
    Undoing.log.warn(s"Removing the metadata table of ${home.basePath}, which cannot be kept up: $reason")
    home.list(Nil)
    MetadataHome.delete(home.storage, home.folder)
  }
}

private object Undoing {
  val log = LoggerFactory.getLogger("io.hudilite.upkeep.Undoing")
}
