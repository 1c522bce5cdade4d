package io.hudilite.transaction.named

import io.hudilite.metadata.{MetadataPartition, SecondaryIndex}
import io.hudilite.table.Table
import io.hudilite.transaction.TransactionOptions
import io.hudilite.upkeep.{IndexInitialisation, IndexesToMake, KeysToMake, MetadataHome, ValuesToMake}

/** A secondary index as a statement makes it: of the values of a column, in a table with a record index. */
private[hudilite] object NamedValues {

  /** Makes it of all rows as they are, and before that a record index where there is none and the options ask for one. Raises
    * `STATEMENT_NOT_SUPPORTED` where it cannot be made, before anything is changed as far as that is known then.
    *
    * @param name
    *   that the user has chosen
    * @param byBuckets
    *   writes of the table deal rows to buckets
    */
  def create(table: Table, name: String, column: String, options: TransactionOptions, byBuckets: Boolean): Unit = {
    val refused = NamedIndexes.notMade(table, partitionOf(name)) _
    def check(now: Table): Unit = ofTable(now, column).foreach(reason => throw refused(reason))
    check(table)
    if (!hasKeys(table) && !options.indexes.keys.isAsked) throw refused(
      s"it rests on a record index, and the table has none; CREATE INDEX ${MetadataPartition.RecordIndex.name} ON ... " +
        s"(${table.config.recordKeyFields.mkString(", ")}) makes that")
    if (!hasKeys(table)) NamedKeys.create(table, table.config.recordKeyFields, options, byBuckets)
    NamedIndexes.alone(table, options) { now =>
      check(now)
      made(now, name, column, options).foreach(reason => throw refused(reason))
    }
  }

  private def partitionOf(name: String): MetadataPartition =
    MetadataPartition.of(SecondaryIndex.partitionName(name)).getOrElse(throw new IllegalArgumentException(name))

  private def hasKeys(table: Table): Boolean =
    table.config.metadataPartitions.contains(MetadataPartition.RecordIndex.name)

  private def ofTable(table: Table, column: String): Option[String] = {
    val config = table.config
    if (config.generatesKeys) Some("the table makes its record keys itself, which no statement looks up")
    else if (!config.populateMetaFields) Some(IndexesToMake.WithoutKeys)
    else MetadataHome.withoutValues(config, column).orElse(IndexInitialisation.refusal(table, column))
  }

  /** The reason why it could not be made, and nothing of it is left. */
  private def made(now: Table, name: String, column: String, options: TransactionOptions): Option[String] = {
    val home = new MetadataHome(now.store).current
    val index = SecondaryIndex(partitionOf(name), column, SecondaryIndex.hashesValues(now.config.version))
    // Another statement or engine may have come before the lock.
    if (NamedIndexes.of(home.data.config, index.partition.name).nonEmpty) Some("there is one by now")
    else if (!home.isKept) Some(NamedIndexes.NotKept)
    else home.refusal(index).orElse {
      home.secondary.find(_.column == column)
        .map(other => s"${other.partition.name} is of this column").orElse(initialised(now, home, index, options))
    }
  }

  private def initialised(now: Table, home: MetadataHome, index: SecondaryIndex, options: TransactionOptions)
      : Option[String] = {
    val keys: KeysToMake = NamedKeys.keys(options.indexes.copy(partitionKeys = options.indexes.partitionKeys.copy(
        isWanted = None)))
    val isMade = NamedIndexes.isMade(now, home, index.partition, new IndexInitialisation(home, options.keyJobs),
      IndexesToMake(Map.empty, Nil, values = Seq(ValuesToMake(index, keys.least, keys.most, keys.growth))))
    if (isMade) None else Some("its values cannot be told, as a warning says")
  }
}
