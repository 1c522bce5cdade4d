package io.hudilite.metadata

import io.hudilite.metadata.MetadataAction.RolledBack

import java.util.Locale

/** The records that an action of a table adds to its metadata table: pure (docs/format.md#metadata-table).
  *
  * Writers, initialisation, validator and tests all ask it; records of one key are merged by `RecordMerge`. A new index is
  * one more case of `kindOf`, and of nothing else.
  */
object MetadataRecords {

  /** @param before
    *   the table before the action
    */
  def of(action: MetadataAction, before: MetadataState): MetadataChanges = {
    def kindOf(partition: MetadataPartition): RecordKind = this.kindOf(partition, before.shape)
    val (emptied, kept) = before.shape.partitions.partition(kindOf(_).isEmptied(action))
    action match {
      // The metadata table takes its own write back, and needs nothing else.
      case _: RolledBack if before.shape.version >= MetadataShape.OwnRollbacks => MetadataChanges(Map.empty)
      case _ => MetadataChanges(kept.map(p => p -> kindOf(p).of(action, before)).toMap, emptied)
    }
  }

  /** The reason why statistics of partitions cannot be kept up through the action; `None` where they can. */
  def withoutBounds(action: MetadataAction, before: MetadataState): Option[String] =
    if (before.shape.partitions(MetadataPartition.PartitionStats)) PartitionRecords.untold(action, before) else None

  /** The indexes of expressions that cannot be kept up through the action, each with the reason. */
  def withoutValues(action: MetadataAction, before: MetadataState): Map[MetadataPartition, String] =
    (for (index <- before.shape.expressions; reason <- ValueRecords.of(index).untold(action, before))
      yield index.partition -> reason).toMap

  private def kindOf(partition: MetadataPartition, shape: MetadataShape): RecordKind = partition match {
    case MetadataPartition.Files => NameRecords
    case MetadataPartition.ColumnStats => ColumnRecords
    case MetadataPartition.PartitionStats => PartitionRecords
    case MetadataPartition.BloomFilters => BloomRecords
    case MetadataPartition.RecordIndex => KeyRecords
    case other if other.isSecondary => PairRecords
    case other => shape.expressions.find(_.partition == other).map(ValueRecords.of).getOrElse(
        throw new IllegalArgumentException(s"no records of the partition ${other.name} are made"))
  }

  /** The partitions whose records are made here. */
  val Made: Set[MetadataPartition] = Set(MetadataPartition.Files, MetadataPartition.ColumnStats,
    MetadataPartition.PartitionStats, MetadataPartition.BloomFilters, MetadataPartition.RecordIndex)
}

/** The records of one partition of metadata tables. */
private[metadata] trait RecordKind {

  /** One record a key, in no order. */
  def of(action: MetadataAction, before: MetadataState): Seq[MetadataRecord]

  /** Nothing of the partition holds after the action. */
  def isEmptied(action: MetadataAction): Boolean = false
}

/** Records to be written to a metadata table.
  *
  * @param records
  *   by partition, in no order; a key comes once. Without any partition, the metadata table has no write of the action
  * @param emptied
  *   partitions that no longer hold and must go, with their folders and names in the table's properties
  */
final case class MetadataChanges(records: Map[MetadataPartition, Seq[MetadataRecord]],
    emptied: Set[MetadataPartition] = Set.empty) {

  /** The records by file groups, in the order of the keys' UTF-8 bytes; a group without records is none.
    *
    * @param groups
    *   number of file groups of a partition
    */
  def dealt(groups: MetadataPartition => Int): Seq[GroupRecords] = for {
    (partition, of) <- records.toSeq.sortBy(_._1.name)
    (number, some) <- of.groupBy(record => MetadataKeys.groupOf(record.key, groups(partition))).toSeq.sortBy(_._1)
  } yield GroupRecords(partition, number, some.sortBy(_.key)(MetadataKeys.order))
}

/** The records of one file group of a partition, in the order of their keys. */
final case class GroupRecords(partition: MetadataPartition, number: Int, records: Seq[MetadataRecord]) {
  def fileId: String = "%s%04d-0".formatLocal(Locale.ROOT, partition.prefix, number)
}
