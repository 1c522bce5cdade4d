package io.hudilite.metadata.check

/** Something that a metadata table says otherwise than the files of its table, or does not say.
  *
  * @param partition
  *   path of the table's partition
  * @param file
  *   name of a file in it; of [[DifferenceKind.NotTrusted]], the partition of the metadata table
  * @param expected
  *   as the files have it; empty where there is no such thing
  * @param found
  *   as the metadata table has it; empty where it does not say
  */
final case class MetadataDifference(kind: DifferenceKind, partition: String, file: String, column: String,
    expected: String, found: String)

/** A file with its length in its folder and in the metadata table; `None` where one does not have it. */
final case class ComparedFile(partition: String, name: String, inFolder: Option[Long], named: Option[Long]) {
  def agrees: Boolean = inFolder == named
}

/** Kinds of differences; the names are part of the interface. */
sealed abstract class DifferenceKind(val name: String) extends Product with Serializable

object DifferenceKind {

  /** A partition of the metadata table cannot be read, so that nothing of it was compared. */
  case object NotTrusted extends DifferenceKind("NOT_TRUSTED")

  /** A partition of the table, of which the metadata table does not know, or the other way round. */
  case object Partition extends DifferenceKind("PARTITION")

  /** A file that is not listed, or not there. */
  case object File extends DifferenceKind("FILE")
  case object FileSize extends DifferenceKind("FILE_SIZE")

  /** Statistics of a file that is not there, or that are missing. */
  case object Statistics extends DifferenceKind("COLUMN_STATISTICS")
  case object ValueCount extends DifferenceKind("VALUE_COUNT")
  case object NullCount extends DifferenceKind("NULL_COUNT")
  case object Bytes extends DifferenceKind("COLUMN_BYTES")
  case object Minimum extends DifferenceKind("MINIMUM")
  case object Maximum extends DifferenceKind("MAXIMUM")

  /** Bounds of a partition do not reach around those of its files. */
  case object PartitionBounds extends DifferenceKind("PARTITION_BOUNDS")

  case object Bloom extends DifferenceKind("BLOOM_FILTER")

  /** Keys of the record index lie in a file group that the table does not have. */
  case object Place extends DifferenceKind("RECORD_PLACE")

  val All: Seq[DifferenceKind] = Seq(NotTrusted, Partition, File, FileSize, Statistics, ValueCount, NullCount, Bytes,
    Minimum, Maximum, PartitionBounds, Bloom, Place)
}
