package io.hudilite.metadata

/** A record of a metadata table: what it says of its key. */
final case class MetadataRecord(key: String, payload: MetadataPayload)

sealed trait MetadataPayload extends Product with Serializable

object MetadataPayload {

  /** Names of partitions, or of the files of one.
    *
    * @param ofPartitions
    *   the names are those of partitions
    */
  final case class Names(entries: Map[String, NamedFile], ofPartitions: Boolean) extends MetadataPayload

  /** Statistics of a column, of a file or of all files of a partition. */
  final case class Statistics(of: ColumnStatistics, ofPartition: Boolean) extends MetadataPayload

  /** The bloom filter of a base file.
    *
    * @param text
    *   the filter as the file's own footer has it
    */
  final case class Bloom(kind: String, instant: String, text: String, isDeleted: Boolean) extends MetadataPayload

  /** The file group that has a record key. */
  final case class Place(partition: String, fileId: String, instantMs: Option[Long], position: Option[Long])
      extends MetadataPayload

  /** A key that the record index does not have any more: no record, but a key in a delete block. */
  case object NoPlace extends MetadataPayload

  /** A pair of a value and a record key, both in the key of the record. */
  final case class Pair(isDeleted: Boolean) extends MetadataPayload
}

/** @param bytes
  *   length of the file; 0 for a partition
  * @param isDeleted
  *   the file or partition is gone
  */
final case class NamedFile(bytes: Long, isDeleted: Boolean)

/** @param file
  *   name of the file; of a partition, its path
  * @param values
  *   number of values, nulls among them
  * @param bytes
  *   compressed length in the file, 0 in log files
  * @param isTight
  *   it replaces what was there, rather than widen it
  * @param valueType
  *   absent in version 1 of the statistics
  */
final case class ColumnStatistics(
    file: String, column: String, min: Option[StatValue], max: Option[StatValue], values: Long, nulls: Long,
    bytes: Long, uncompressedBytes: Long, isDeleted: Boolean = false, isTight: Boolean = false,
    valueType: Option[StatType] = None)
