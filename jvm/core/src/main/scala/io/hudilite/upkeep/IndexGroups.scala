package io.hudilite.upkeep

import io.hudilite.metadata.{MetadataKeys, MetadataPartition}

import java.util.Locale

/** The file groups of a record index, and the one that has a key: pure (docs/format.md#record-index).
  *
  * A partitioned index has groups of its own for each partition of the table, and none for one that has never had a key.
  *
  * @param ids
  *   of all groups, in the order of their texts, in which they are numbered
  */
final case class IndexGroups(ids: IndexedSeq[String], isPartitioned: Boolean) {

  import IndexGroups._

  // By the begin of their ids: the number of the first one, and how many there are.
  private lazy val byPrefix: Map[String, (Int, Int)] =
    ids.zipWithIndex.groupBy(_._1.dropRight(NumberLength)).map { case (prefix, some) =>
      prefix -> (some.map(_._2).min -> some.size)
    }

  /** True when a key of the partition has a group. */
  def has(partition: String): Boolean = byPrefix.contains(prefix(partition))

  /** Number of the group of a key among [[ids]]. */
  def numberOf(key: String, partition: String): Int = {
    val (first, count) = byPrefix.getOrElse(prefix(partition),
      throw new IllegalArgumentException(s"the record index has no file group for keys of the partition '$partition'"))
    first + MetadataKeys.groupOf(key, count)
  }

  /** With `count` groups for each of these partitions that has none. */
  def and(partitions: Iterable[String], count: Int): IndexGroups =
    copy(ids = (ids ++ missing(partitions, count)).sorted)

  /** Ids of the groups that [[and]] adds. */
  def missing(partitions: Iterable[String], count: Int): Seq[String] =
    partitions.toSeq.distinct.sorted.filterNot(has).map(prefix).distinct.flatMap(numbered(_, count))

  private def prefix(partition: String): String =
    if (isPartitioned) s"${MetadataPartition.RecordIndex.prefix}${escaped(partition)}-"
    else MetadataPartition.RecordIndex.prefix
}

object IndexGroups {

  private val NumberLength = "0000-0".length

  /** Groups of a global index. */
  def global(count: Int): IndexGroups =
    IndexGroups(numbered(MetadataPartition.RecordIndex.prefix, count).toIndexedSeq, isPartitioned = false)

  /** Groups of a partitioned index.
    *
    * @param counts
    *   number of groups by partition of the table
    */
  def partitioned(counts: Map[String, Int]): IndexGroups =
    counts.toSeq.sortBy(_._1).foldLeft(IndexGroups(Vector.empty, isPartitioned = true)) {
      case (groups, (partition, count)) => groups.and(Seq(partition), count)
    }

  private def numbered(prefix: String, count: Int): Seq[String] = (0 until count).map(n =>
    "%s%04d-0".formatLocal(Locale.ROOT, prefix, n))

  // Those of Hive's paths, and the two that separate the parts of an id.
  private val Escaped: Set[Char] = ((1 to 0x1f).map(_.toChar) ++ "\"#%'*/:=?\\{[]^-_").toSet + '\u007f'

  private[hudilite] def escaped(partition: String): String = partition.map(c =>
    if (Escaped(c)) "%" + "%02X".formatLocal(Locale.ROOT, c.toInt) else c.toString).mkString

  /** Number of groups of a new index, as Apache Hudi reckons it.
    *
    * @param keys
    *   number of keys that there are
    * @param growth
    *   of so many times the keys
    */
  def reckoned(keys: Long, least: Int, most: Int, growth: Double): Int =
    if (least == most) least
    else math.max(least.toLong, math.min(most.toLong, math.ceil(keys * growth).toLong / MostKeys)).toInt

  private val GroupBytes = 1L << 30
  private val KeyBytes = 48L
  private val MostKeys = GroupBytes / KeyBytes
}
