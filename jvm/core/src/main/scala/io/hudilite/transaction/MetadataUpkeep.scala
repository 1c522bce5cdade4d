package io.hudilite.transaction

import io.hudilite.config.{TableConfig, TableProperties}
import io.hudilite.error.{CorruptTable, HudiliteException}
import io.hudilite.metadata.MetadataAction
import io.hudilite.table.Table
import io.hudilite.timeline.{CleanMetadata, CommitMetadata, Timeline, TimelineStore}
import io.hudilite.upkeep.{Initialisation, MetadataHome, MetadataServices, MetadataWriter}

import java.io.IOException

import org.slf4j.LoggerFactory

/** Upkeep of the metadata table of a table: each action of the table passes here under the table lock, before it completes
  * (docs/format.md#metadata-table).
  *
  * A metadata table with the partition `files` alone is kept up. Another one, or one that cannot be trusted, is taken out of
  * service, as [[MetadataTablePolicy]] allows.
  */
private[hudilite] object MetadataUpkeep extends CommitHook {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.MetadataUpkeep")

  /** A write, a compaction, a log compaction, a clustering, or a change of columns. */
  override def beforeComplete(metadata: CommitMetadata, state: CommitState): Unit =
    keptOrCleared(store(state.table, state.config), state.policy)(home =>
      new MetadataWriter(home).record(MetadataAction.Written(state.instant, metadata), state.timeline))

  /** A cleaning, whose files are gone.
    *
    * @param config
    *   properties of the table as they are now
    */
  def cleaned(table: Table, config: TableConfig, instant: String, clean: CleanMetadata,
      policy: MetadataTablePolicy.Policy): Unit =
    keptOrCleared(store(table, config), policy)(home =>
      new MetadataWriter(home).record(MetadataAction.Cleaned(instant, clean), home.data.load()))

  /** Clears the way for an action that ends in [[cleaned]]: a metadata table that is not kept up goes before files do.
    *
    * @param config
    *   properties of the table as they are now
    */
  def beforeCleaning(table: Table, config: TableConfig): Unit =
    if (!MetadataHome.isKept(config)) clear(store(table, config))

  private def keptOrCleared(store: TimelineStore, policy: MetadataTablePolicy.Policy)(
      keep: MetadataHome => Unit): Unit =
    if (!MetadataHome.isKept(store.config)) clear(store)
    else
      try keep(new MetadataHome(store))
      catch {
        case e: CorruptTable =>
          log.warn(s"The metadata table of ${store.basePath} cannot be kept up: ${e.getMessage}")
          MetadataTablePolicy.refuseLoss(store.storage, store.basePath, store.config, policy)
          clear(store)
      }

  /** Runs an action that takes completed writes back, or may remove any file. Readers list folders meanwhile, and a metadata
    * table that was kept up is made anew after it.
    *
    * @param config
    *   properties of the table as they are now
    */
  def remade[T](table: Table, config: TableConfig)(body: => T): T = {
    clear(store(table, config))
    val done = body
    if (MetadataHome.isKept(config)) unlessFailing(table.basePath)(
      initialise(store(table, TableProperties.read(table.storage, table.basePath))))
    done
  }

  /** Fulfils the wish of a write before it begins: a new metadata table, none, or services of the one that is there.
    *
    * @param config
    *   properties of the table as they are now
    */
  def prepare(table: Table, config: TableConfig, now: Timeline, options: TransactionOptions): Unit = {
    val store = this.store(table, config)
    val listed = config.metadataPartitions ++ config.metadataPartitionsInflight
    if (options.keepsMetadata.contains(false)) clear(store)
    else if (MetadataHome.isKept(config))
      unlessFailing(table.basePath) {
        MetadataServices.run(new MetadataHome(store), now, options.metadataDeltas)
        ()
      }
    else if (listed.isEmpty && options.keepsMetadata.contains(true)) initialise(store)
  }

  private def initialise(store: TimelineStore): Unit = {
    val initialisation = new Initialisation(new MetadataHome(store))
    val now = store.load()
    initialisation.refusal(now) match {
      case Some(reason) => log.warn(s"The metadata table of ${store.basePath} is not made yet: $reason.")
      case None =>
        initialisation.run(now)
        ()
    }
  }

  // Services, and what follows an action that has ended, can wait for the next write.
  private def unlessFailing(basePath: String)(body: => Unit): Unit =
    try body
    catch {
      case e @ (_: IOException | _: HudiliteException) =>
        log.warn(s"A service of the metadata table of $basePath failed, and waits for the next write.", e)
    }

  private def clear(store: TimelineStore): Unit =
    MetadataTablePolicy.clear(store.storage, store.basePath, store.config)

  private def store(table: Table, config: TableConfig): TimelineStore =
    new TimelineStore(table.storage, table.basePath, config)
}
