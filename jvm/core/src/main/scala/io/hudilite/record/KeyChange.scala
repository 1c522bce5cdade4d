package io.hudilite.record

/** A record key that a write brings to a file group of a partition, or that leaves the partition.
  *
  * Rows that stay in their file group are none. A row that moves to another partition is two: it leaves the one and comes to
  * the other, where a global index keeps the second alone.
  *
  * @param partition
  *   path of the partition, empty in an unpartitioned table
  * @param fileId
  *   file group that has the key from now on; `None` where the key leaves the partition
  * @param from
  *   file group that a key leaves, whose other file groups may have further rows of it; `None` where it comes, or leaves all
  *   that the partition has
  */
final case class KeyChange(key: String, partition: String, fileId: Option[String], from: Option[String] = None) {

  /** The change takes the key from this file group. */
  def leaves(partition: String, fileId: String): Boolean =
    this.fileId.isEmpty && this.partition == partition && from.forall(_ == fileId)
}

object KeyChange {

  /** The change of a key of a file group, which has it from now on or loses it. */
  def of(key: String, partition: String, group: Some[String], stays: Boolean): KeyChange =
    if (stays) KeyChange(key, partition, group) else KeyChange(key, partition, None, group)
}
