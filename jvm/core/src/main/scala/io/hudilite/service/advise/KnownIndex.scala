package io.hudilite.service.advise

/** An index of a table: a partition of its metadata table, the bloom filters in the footers, or its buckets.
  *
  * @param place
  *   where it lies
  * @param columns
  *   that it is of; none of those that have no definition
  * @param files
  *   file groups, or base files with a filter, or file groups that are buckets
  * @param filesRead
  *   those of them that were looked into; the other numbers follow from these
  * @param entries
  *   records, keys in filters, or buckets of a partition; `None` where that is not known
  * @param maintained
  *   newest write that it knows of
  * @param commits
  *   bytes that the newest writes of the metadata table wrote into it, the newest first
  * @param problem
  *   why it cannot be used; empty where it can
  */
final case class KnownIndex(name: String, kind: String, place: String, columns: Seq[String], files: Int,
    filesRead: Int, bytes: Long, entries: Option[Long], maintained: Option[String], commits: Seq[IndexCost],
    problem: String)

/** Bytes that a write of the metadata table wrote into one of its partitions. */
final case class IndexCost(instant: String, bytes: Long)

object KnownIndex {

  private val Footers = "footers"
  private val FileIds = "file ids"

  /** The bloom filters in the footers of base files, as those of a sample let expect; `None` where none has any.
    *
    * @param files
    *   base files of the table
    */
  def ofFooters(columns: Seq[String], sample: Seq[SampledFile], files: Int, newest: Option[String])
      : Option[KnownIndex] = {
    val filtered = sample.filter(_.filterBytes > 0)
    def ofAll(n: Long): Long = math.round(n.toDouble / sample.size * files)
    if (filtered.isEmpty) None
    else Some(KnownIndex("bloom_filters_of_footers", "bloom_filters", Footers, columns,
        ofAll(filtered.size.toLong).toInt, sample.size, ofAll(filtered.map(_.filterBytes).sum),
        Some(ofAll(filtered.map(_.rows).sum)), newest, Nil, ""))
  }

  /** The buckets of a table.
    *
    * @param count
    *   of each partition, or why it is not known
    */
  def ofBuckets(columns: Seq[String], count: Either[String, Int], groups: Int, newest: Option[String]): KnownIndex =
    KnownIndex("buckets", "bucket", FileIds, columns, groups, groups, 0L, count.toOption.map(_.toLong), newest, Nil,
      count.left.getOrElse(""))
}
