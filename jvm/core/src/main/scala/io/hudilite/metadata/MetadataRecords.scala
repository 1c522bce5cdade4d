package io.hudilite.metadata

/** The records that an action of a table adds to its metadata table: pure (docs/format.md#metadata-table).
  *
  * Writers, initialisation, validator and tests all ask it; records of one key are merged by `RecordMerge`. A new index is
  * one more case of it.
  */
object MetadataRecords {

  /** @param before
    *   the table before the action
    */
  def of(action: MetadataAction, before: MetadataState): MetadataChanges = ???
}

/** The table before an action, as far as the records of the action depend on it.
  *
  * @param shape
  *   what the metadata table holds
  * @param slices
  *   newest file slices of the partitions that the action touches, with statistics; only where it holds partition
  *   statistics
  * @param named
  *   merged files of the table as its metadata table names them, by partition and name; only of a restore
  */
final case class MetadataState(shape: MetadataShape, slices: Map[String, Seq[SliceFacts]] = Map.empty,
    named: Map[String, Set[String]] = Map.empty)

/** What a metadata table holds, and in which form.
  *
  * @param version
  *   of the table
  * @param columns
  *   columns with statistics by dotted name, with their types
  * @param bloomKind
  *   Hudi's name of the kind of bloom filters
  */
final case class MetadataShape(partitions: Set[MetadataPartition], version: Int,
    columns: Map[String, StatType] = Map.empty, bloomKind: String = MetadataShape.DynamicBloom)

object MetadataShape {
  val DynamicBloom = "DYNAMIC_V0"
}

/** A file slice with the statistics of its files as the metadata table has them, by file name. */
final case class SliceFacts(fileId: String, files: Map[String, Seq[ColumnStatistics]])

/** Records to be written to a metadata table.
  *
  * @param records
  *   by partition, in no order; a key comes once
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
  def fileId: String = f"${partition.prefix}$number%04d-0"
}
