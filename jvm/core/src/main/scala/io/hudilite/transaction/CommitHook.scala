package io.hudilite.transaction

import io.hudilite.config.TableConfig
import io.hudilite.table.Table
import io.hudilite.timeline.{CommitMetadata, Timeline}
import io.hudilite.upkeep.KeyWork

/** A step that each write takes inside the gate before it completes (docs/format.md#commit).
  *
  * Hooks run one after the other, under the table lock, once conflicts are ruled out, the write's tasks can leave no
  * more files, and strays are gone. The columns are recorded after that, and then the completed file is created.
  *
  * An error of a hook is the error of the commit: later hooks do not run, no completed file is created, and the write
  * can be rolled back. Effects of hooks that ran are not undone, neither then nor after a crash. So each effect must be
  * right for readers with and without the write.
  */
trait CommitHook {

  /** Runs before the completed file is created.
    *
    * @param metadata
    *   metadata of the write, without the columns
    */
  def beforeComplete(metadata: CommitMetadata, state: CommitState): Unit
}

object CommitHook {

  /** Hooks of every write, in their order. */
  val standard: Seq[CommitHook] = Seq(MetadataUpkeep)
}

/** A table whose lock is held, before the write of `instant` completes.
  *
  * @param table
  *   snapshot that the write began with
  * @param config
  *   properties as they are now
  * @param timeline
  *   timeline as it is now, with the inflight instant
  * @param policy
  *   metadata tables that the write may remove
  * @param columns
  *   Avro schema of the table after the write, without meta columns; `None` when it stays as it is
  * @param keys
  *   record keys that the write brought and took, and who keeps them
  */
final case class CommitState(table: Table, instant: String, config: TableConfig, timeline: Timeline,
    policy: MetadataTablePolicy.Policy = MetadataTablePolicy.KeepIndexes, columns: Option[String] = None,
    private[transaction] val keys: KeyWork = KeyWork())
