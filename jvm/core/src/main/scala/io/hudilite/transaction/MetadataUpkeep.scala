package io.hudilite.transaction

import io.hudilite.config.{TableConfig, TableProperties}
import io.hudilite.error.{CorruptTable, HudiliteException}
import io.hudilite.metadata.MetadataPartition
import io.hudilite.table.Table
import io.hudilite.timeline.{CleanMetadata, CommitMetadata, FactsTeller, Timeline, TimelineStore}
import io.hudilite.upkeep.{
  ActionUpkeep,
  IndexInitialisation,
  IndexesToMake,
  Initialisation,
  KeyJobs,
  KeyWork,
  MetadataHome,
  MetadataServices
}

import java.io.IOException

import org.slf4j.LoggerFactory

/** Upkeep of the metadata table of a table: each action of the table passes here under the table lock, before it completes
  * (docs/format.md#metadata-table).
  *
  * A metadata table with files, statistics and bloom filters is kept up; a partition of these of which something cannot be
  * known goes alone. One with other indexes, or one that cannot be trusted, is taken out of service, as
  * [[MetadataTablePolicy]] allows.
  */
private[hudilite] object MetadataUpkeep extends CommitHook {

  private val log = LoggerFactory.getLogger("io.hudilite.transaction.MetadataUpkeep")

  /** A write, a compaction, a log compaction, a clustering, or a change of columns. */
  override def beforeComplete(metadata: CommitMetadata, state: CommitState): Unit =
    keptOrCleared(store(state.table, state.config), state.policy)(home =>
      upkeep(home, state.timeline, state.policy, state.keys).written(state.instant, metadata, state.table,
        state.columns))

  /** A cleaning, whose files are gone.
    *
    * @param config
    *   properties of the table as they are now
    */
  def cleaned(table: Table, config: TableConfig, instant: String, clean: CleanMetadata,
      policy: MetadataTablePolicy.Policy): Unit =
    keptOrCleared(store(table, config), policy)(home =>
      upkeep(home, home.data.load(), policy).cleaned(instant, clean))

  private def upkeep(home: MetadataHome, now: Timeline, policy: MetadataTablePolicy.Policy, keys: KeyWork = KeyWork())
      : ActionUpkeep = new ActionUpkeep(home, now,
    lost => MetadataTablePolicy.refuseLoss(home.storage, home.basePath, lost.map(_.name), policy), keys)

  /** Clears the way for an action that ends in [[cleaned]]: a metadata table that is not kept up goes before files do.
    *
    * @param config
    *   properties of the table as they are now
    */
  def beforeCleaning(table: Table, config: TableConfig): Unit =
    if (!isKept(store(table, config))) clear(store(table, config))

  private def keptOrCleared(store: TimelineStore, policy: MetadataTablePolicy.Policy)(
      keep: MetadataHome => Unit): Unit =
    if (!isKept(store)) clear(store)
    else
      try keep(new MetadataHome(store))
      catch {
        case e: CorruptTable =>
          log.warn(s"The metadata table of ${store.basePath} cannot be kept up: ${e.getMessage}")
          MetadataTablePolicy.refuseLoss(store.storage, store.basePath, MetadataTablePolicy.listed(store.config),
            policy)
          clear(store)
      }

  /** Runs an action that takes completed writes back, or may remove any file. Readers list folders meanwhile, and a metadata
    * table that was kept up is made anew after it.
    *
    * @param config
    *   properties of the table as they are now
    */
  def remade[T](table: Table, config: TableConfig, jobs: KeyJobs)(body: => T): T = {
    val kept = if (isKept(store(table, config))) Some(again(new MetadataHome(store(table, config)))) else None
    clear(store(table, config))
    val done = body
    kept.foreach(indexes => unlessFailing(table.basePath)(initialise(table.refresh(), indexes, jobs)))
    done
  }

  private def again(home: MetadataHome): IndexesToMake =
    try IndexesToMake.again(home)
    catch {
      case e: CorruptTable =>
        log.warn(s"The metadata table of ${home.basePath} is made anew with files alone: ${e.getMessage}")
        IndexesToMake.Nothing
    }

  /** As [[prepare]], of a table as it is now, without a write. */
  def prepareNow(table: Table, options: TransactionOptions): Unit =
    Transaction.preparedNow(table, options)(now => prepare(now, now.config, now.timeline, options))

  /** Fulfils the wish of a write before it begins: a new metadata table, none, or services of the one that is there.
    *
    * @param config
    *   properties of the table as they are now
    */
  def prepare(table: Table, config: TableConfig, now: Timeline, options: TransactionOptions): Unit = {
    val store = this.store(table, config)
    val listed = config.metadataPartitions ++ config.metadataPartitionsInflight
    val home = new MetadataHome(store)
    lazy val asked = IndexesToMake.of(options.indexes, table, if (home.isKept) home.partitions else Nil,
      home.defined, home.isPartitionedByKey)
    if (options.keepsMetadata.contains(false)) clear(store)
    else if (home.isKept) {
      refuseUnwanted(home, asked, options)
      unlessFailing(table.basePath) {
        MetadataServices.run(home, now, options.metadataDeltas, options.keyJobs)
        adapt(home, table.copy(timeline = now), asked, options)
      }
    } else if (listed.isEmpty && (options.keepsMetadata.contains(true) || !asked.isEmpty))
      initialise(table.refresh(config), asked, options.keyJobs)
  }

  /** Tells of the files of a write what its metadata table is to say; `None` where that is nothing.
    *
    * @param table
    *   the table of the write that has begun
    * @param asks
    *   the write asks for statistics, and has made them by now
    * @param after
    *   Avro schema of the table after it
    */
  def teller(table: => Option[Table], asks: Boolean, after: => String): Option[FactsTeller] = table.flatMap { before =>
    val config = if (asks) TableProperties.read(before.storage, before.basePath) else before.config
    ActionUpkeep.wanted(before, config, after)
  }

  /** The tasks of a write are to tell the record keys that they bring and take away.
    *
    * @param table
    *   the table of the write that has begun
    * @param asks
    *   the write asks for indexes, and has made them by now
    */
  def wantsKeys(table: => Option[Table], asks: Boolean): Boolean = table.exists { before =>
    val config = if (asks) TableProperties.read(before.storage, before.basePath) else before.config
    config.metadataPartitions.contains(MetadataPartition.RecordIndex.name) && isKept(store(before, config))
  }

  private def leaving(home: MetadataHome, asked: IndexesToMake, options: TransactionOptions)
      : Map[MetadataPartition, String] = {
    val lost =
      (asked.groups.keys.map(_ -> "it is made for other columns") ++ IndexesToMake.unwanted(options.indexes)).toMap
        .filter { case (partition, _) => home.partitions.contains(partition) }
    home.secondariesWithout(lost.keySet) ++ lost
  }

  private def refuseUnwanted(home: MetadataHome, asked: IndexesToMake, options: TransactionOptions): Unit = {
    val lost = leaving(home, asked, options).keys.map(_.name).toSeq
    MetadataTablePolicy.refuseLoss(home.storage, home.basePath, lost, options.metadata)
  }

  private def adapt(home: MetadataHome, table: Table, asked: IndexesToMake, options: TransactionOptions): Unit = {
    val lost = leaving(home, asked, options)
    val left = if (lost.isEmpty) home else home.without(lost)
    if (!asked.isEmpty) new Initialisation(left).refusal(table.timeline).orElse(foreign(table, options)) match {
      case Some(reason) => log.warn(s"${asked.partitions.map(_.name).mkString(", ")} of the metadata table of " +
          s"${home.basePath} is not made yet: $reason.")
      case None => new IndexInitialisation(left, options.keyJobs).run(table, asked)
    }
  }

  // It goes by what it has opened, and tells a new index nothing of its rows.
  private def foreign(table: Table, options: TransactionOptions): Option[String] =
    options.pendingWrites(table.store).foreign(table.timeline).map { case (write, judgement) =>
      s"the ${write.action} ${write.time} of another program is pending, and ${judgement.reason}"
    }

  private def initialise(table: Table, indexes: IndexesToMake, jobs: KeyJobs): Unit = {
    val initialisation = new Initialisation(new MetadataHome(table.store))
    initialisation.refusal(table.timeline) match {
      case Some(reason) => log.warn(s"The metadata table of ${table.basePath} is not made yet: $reason.")
      case None =>
        initialisation.run(table, indexes, jobs)
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

  private def isKept(store: TimelineStore): Boolean = new MetadataHome(store).isKept

  private def clear(store: TimelineStore): Unit =
    MetadataTablePolicy.clear(store.storage, store.basePath, store.config)

  private def store(table: Table, config: TableConfig): TimelineStore =
    new TimelineStore(table.storage, table.basePath, config)
}
