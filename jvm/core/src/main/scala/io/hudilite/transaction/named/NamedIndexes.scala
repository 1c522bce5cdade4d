package io.hudilite.transaction.named

import io.hudilite.config.{TableConfig, TableType}
import io.hudilite.error.{CommitConflict, InvalidInput}
import io.hudilite.metadata.{ExpressionIndex, MetadataPartition, SecondaryIndex}
import io.hudilite.metadata.MetadataPartition.{ColumnStats, ExpressionPrefix, PartitionStats, SecondaryPrefix}
import io.hudilite.table.{Table, TableSupport}
import io.hudilite.timeline.TimelineStore
import io.hudilite.transaction.{MetadataTablePolicy, Transaction, TransactionOptions}
import io.hudilite.upkeep.{DriverKeyJobs, FactsReader, IndexInitialisation, IndexesToMake, Initialisation, MetadataHome}

/** Indexes of a metadata table by the names that statements have for them: that of their partition, or the part of it that
  * the user has chosen.
  */
private[hudilite] object NamedIndexes {

  /** Names of the partitions that the properties list, or that are being built, of this name: several where an index of
    * each kind has it.
    */
  def of(config: TableConfig, name: String): Seq[String] = {
    val listed = MetadataTablePolicy.listed(config)
    val possible = Seq(name, ExpressionPrefix + name, SecondaryPrefix + name)
    val exact = possible.filter(listed.contains)
    if (exact.nonEmpty) exact.take(if (exact.head == name) 1 else exact.size)
    else listed.filter(partition => possible.exists(_.equalsIgnoreCase(partition)))
  }

  /** Takes an index out of the metadata table, whatever its kind, and leaves all others. Raises `STATEMENT_NOT_SUPPORTED`
    * where another one rests on it.
    *
    * @return
    *   false where there is none of this name
    */
  def drop(table: Table, name: String, options: TransactionOptions): Boolean = {
    TableSupport.checkWritable(table)
    Transaction.unchanged(table, options) { config =>
      val found = of(config, name)
      refusal(config, found).foreach(reason =>
        throw InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"DROP INDEX $name", "path" -> table.basePath,
          "reason" -> reason))
      if (found.nonEmpty) {
        val home = new MetadataHome(new TimelineStore(table.storage, table.basePath, config))
        home.drop((found ++ dependents(config, found)).toSet)
      }
      found.nonEmpty
    }
  }

  /** Makes an index of an expression, and a metadata table where there is none, of all files as they are. Raises
    * `STATEMENT_NOT_SUPPORTED` where it cannot be made.
    *
    * @param function
    *   Apache Hudi's name of it
    * @param words
    *   options of the index
    * @param reading
    *   tells of the files
    */
  def create(table: Table, index: ExpressionIndex, function: String, words: Map[String, String],
      options: TransactionOptions, reading: FactsReader): Unit = alone(table, options) { now =>
    val refused = notMade(table, index.partition) _
    if (index.isFilter && now.config.tableType == TableType.MergeOnRead)
      throw refused("Apache Hudi 1.2 fails to write a merge-on-read table with such filters; column_stats can be had")
    if (now.config.metadataPartitions.isEmpty)
      new Initialisation(new MetadataHome(now.store)).run(now, IndexesToMake.Nothing)
    val home = new MetadataHome(now.store).current
    // Another statement or engine may have come before the lock.
    if (of(home.data.config, index.partition.name).nonEmpty) throw refused("there is one by now")
    if (!home.isKept)
      throw refused(NotKept)
    home.expressions.find(_.column == index.column).foreach(other =>
      throw refused(
        s"${other.partition.name} is of this column, and of two Apache Hudi 1.2 may read by the wrong one; " +
          "drop it first"))
    home.define(index, function, words)
    if (!isMade(now, home, index.partition, new IndexInitialisation(home, DriverKeyJobs, reading),
        IndexesToMake(Map(index.partition -> Groups), Nil, Seq(index))))
      throw refused("its values cannot be told of some file, as a warning says")
  }

  /** Runs `body` under the lock on the table as it is. Raises `WRITE_PENDING` where a write of another program may still
    * complete: it goes by the indexes that were there when it opened the table, and tells a new one nothing of its rows.
    */
  private[named] def alone[T](table: Table, options: TransactionOptions)(body: Table => T): T =
    Transaction.preparedNow(table, options) { now =>
      options.pendingWrites(now.store).foreign(now.timeline).foreach { case (write, judgement) =>
        throw CommitConflict("WRITE_PENDING", "instant" -> write.time, "path" -> table.basePath,
          "reason" -> judgement.reason)
      }
      body(now)
    }

  /** Makes what is asked for; false where this index could not be made, and nothing of it is left then. */
  private[named] def isMade(now: Table, home: MetadataHome, index: MetadataPartition, making: IndexInitialisation,
      asked: IndexesToMake): Boolean = {
    making.run(now.refresh(home.data.config), asked)
    val isThere = home.current.partitions.contains(index)
    if (!isThere) home.current.drop(Set(index.name))
    isThere
  }

  private[transaction] val NotKept =
    "the metadata table has what hudilite does not keep up, or something is being built in it"

  /** The refusal to make an index. */
  private[transaction] def notMade(table: Table, index: MetadataPartition)(reason: String): InvalidInput =
    InvalidInput("STATEMENT_NOT_SUPPORTED", "statement" -> s"CREATE INDEX ${index.name}", "path" -> table.basePath,
      "reason" -> reason)

  // As many as Apache Hudi makes.
  private val Groups = 2

  private def refusal(config: TableConfig, found: Seq[String]): Option[String] = found match {
    case Seq(one) =>
      val secondary = config.metadataPartitions.filter(_.startsWith(SecondaryPrefix))
      if (one == MetadataPartition.Files.name)
        Some("it is no index; CALL hudilite.system.delete_metadata_table removes the whole metadata table")
      else if (config.metadataPartitionsInflight.contains(one))
        Some(s"$one is being built; drop it when that has ended")
      else if (one == MetadataPartition.RecordIndex.name && secondary.nonEmpty)
        Some(s"${secondary.sorted.mkString(", ")} rest on it; drop them first")
      else None
    case Nil => None
    case several => Some(s"${several.sorted.mkString(" and ")} have this name; write one of these in its place")
  }

  private def dependents(config: TableConfig, found: Seq[String]): Seq[String] =
    (if (found.contains(ColumnStats.name)) config.metadataPartitions.filter(_ == PartitionStats.name) else Nil) ++
      stale(config, found)

  /** The last secondary index of a merge-on-read table that had several: it may be one that was not kept up. */
  private def stale(config: TableConfig, found: Seq[String]): Seq[String] = {
    val left = config.metadataPartitions.filter(_.startsWith(SecondaryPrefix)).diff(found)
    if (left.size == 1 && found.exists(_.startsWith(SecondaryPrefix)) &&
      SecondaryIndex.several(config, left.head).isDefined) left
    else Nil
  }
}
