package io.hudilite.transaction.named

import io.hudilite.config.{IndexOptions, IndexesConf, TableConfig, TableType}
import io.hudilite.metadata.MetadataPartition.RecordIndex
import io.hudilite.table.{Buckets, Table}
import io.hudilite.transaction.TransactionOptions
import io.hudilite.upkeep.{IndexInitialisation, IndexesToMake, Initialisation, KeysToMake, MetadataHome}

/** The record index of a table as a statement makes it, by the same upkeep as a write that is asked for it. */
private[hudilite] object NamedKeys {

  /** Makes it, and a metadata table where there is none, of all rows as they are. Raises `STATEMENT_NOT_SUPPORTED` where it
    * cannot be made, before anything is changed as far as that is known then.
    *
    * @param columns
    *   those that the statement names, which are to be the record key
    * @param options
    *   they say if each partition of the table has keys of its own
    * @param byBuckets
    *   writes of the table deal rows to buckets
    */
  def create(table: Table, columns: Seq[String], options: TransactionOptions, byBuckets: Boolean): Unit = {
    val refused = NamedIndexes.notMade(table, RecordIndex) _
    ofColumns(table.config, columns).orElse(ofOptions(options)).orElse(ofTable(table, options.indexes, byBuckets))
      .foreach(reason => throw refused(reason))
    NamedIndexes.alone(table, options) { now =>
      ofHome(new MetadataHome(now.store)).orElse(ofTime(now)).orElse(made(now, options))
        .foreach(reason => throw refused(reason))
    }
  }

  private def ofColumns(config: TableConfig, columns: Seq[String]): Option[String] =
    if (config.generatesKeys) Some("no columns make the record keys of the table, which no statement looks up")
    else if (columns.toSet != config.recordKeyFields.toSet || columns.size != config.recordKeyFields.size)
      Some(s"it is of the record key, ${config.recordKeyFields.mkString(", ")}, and not of ${columns.mkString(", ")}")
    else if (!config.populateMetaFields) Some(IndexesToMake.WithoutKeys)
    else None

  // A later write with these options would take the index away again.
  private def ofOptions(options: TransactionOptions): Option[String] = {
    val indexes = options.indexes
    if (options.keepsMetadata.contains(false))
      Some("hoodie.metadata.enable is false, by which the next write removes it")
    else Seq(IndexOptions.Keys -> indexes.keys, IndexOptions.PartitionKeys -> indexes.partitionKeys).collectFirst {
      case (key, of) if of.isWanted.contains(false) => s"${key.name} is false, by which the next write removes it"
    }
  }

  private def ofTable(table: Table, indexes: IndexesConf, byBuckets: Boolean): Option[String] =
    if (isPartitioned(indexes) && table.config.version < IndexesToMake.FirstWithPartitionKeys)
      Some(s"tables of version ${table.config.version} have none by partition")
    else if (table.config.tableType == TableType.MergeOnRead && (byBuckets || hasBuckets(table)))
      Some("the rows of the table lie in buckets, and log files of a merge-on-read table get new keys then, which it " +
        "does not tell; such a table needs no index, since the key says in which bucket it is")
    else None

  private def hasBuckets(table: Table): Boolean = {
    val buckets = Buckets(table)
    buckets.haveRows || buckets.areDeclared
  }

  private def ofHome(home: MetadataHome): Option[String] =
    if (home.partitions.contains(RecordIndex)) Some("the table has one by now")
    else if (home.data.config.metadataPartitions.nonEmpty && !home.isKept)
      Some(NamedIndexes.NotKept)
    else None

  private def ofTime(now: Table): Option[String] = new Initialisation(new MetadataHome(now.store)).refusal(now.timeline)

  private def isPartitioned(indexes: IndexesConf): Boolean = indexes.partitionKeys.isAsked

  /** The reason why it could not be made, and nothing of it is left. */
  private def made(now: Table, options: TransactionOptions): Option[String] = {
    val whole = now.config.metadataPartitions.nonEmpty ||
      new Initialisation(new MetadataHome(now.store)).run(now, IndexesToMake.Nothing, options.keyJobs)
    if (!whole) Some("the table has changed meanwhile")
    else {
      val home = new MetadataHome(now.store).current
      val isMade = NamedIndexes.isMade(now, home, RecordIndex, new IndexInitialisation(home, options.keyJobs),
        IndexesToMake(Map.empty, Nil, keys = Some(keys(options.indexes))))
      if (isMade) None else Some("its keys cannot be told, as a warning says")
    }
  }

  private[transaction] def keys(indexes: IndexesConf): KeysToMake = {
    val of = if (isPartitioned(indexes)) indexes.partitionKeys else indexes.keys
    KeysToMake(isPartitioned(indexes), of.least, of.most, indexes.keyGrowth)
  }
}
