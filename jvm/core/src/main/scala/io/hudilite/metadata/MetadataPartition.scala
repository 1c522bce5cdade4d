package io.hudilite.metadata

/** A partition of a metadata table, by the name that the table's properties and folders have for it.
  *
  * @param prefix
  *   begin of the ids of its file groups
  */
final case class MetadataPartition(name: String, prefix: String) {

  /** It is a secondary index. */
  def isSecondary: Boolean = name.startsWith(MetadataPartition.SecondaryPrefix)
}

object MetadataPartition {

  val Files = MetadataPartition("files", "files-")
  val ColumnStats = MetadataPartition("column_stats", "col-stats-")
  val PartitionStats = MetadataPartition("partition_stats", "partition-stats-")
  val BloomFilters = MetadataPartition("bloom_filters", "bloom-filters-")
  val RecordIndex = MetadataPartition("record_index", "record-index-")

  private val Plain = Seq(Files, ColumnStats, PartitionStats, BloomFilters, RecordIndex)

  /** Prefixes of the names of secondary and expression indexes. */
  val SecondaryPrefix = "secondary_index_"
  val ExpressionPrefix = "expr_index_"

  /** The partition of this name; `None` for a kind that is not known. */
  def of(name: String): Option[MetadataPartition] = Plain.find(_.name == name).orElse(
    if (name.startsWith(SecondaryPrefix) || name.startsWith(ExpressionPrefix))
      Some(MetadataPartition(name, s"${name.replace('_', '-')}-"))
    else None)

  /** Keys that each file group may hold, by the place of the group among them.
    *
    * @param ids
    *   of all file groups, in their order
    */
  def groupsOf(partition: MetadataPartition, ids: Seq[String], keys: Set[String]): Map[Int, Set[String]] =
    // Groups of a partitioned record index are numbered by partition, and other indexes hash parts of their keys.
    if (Plain.contains(partition) && ids.forall(_.length == partition.prefix.length + NumberLength))
      keys.groupBy(MetadataKeys.groupOf(_, ids.size))
    else ids.indices.map(_ -> keys).toMap

  private val NumberLength = "0000-0".length

  private val Number = "(?s)(.*?)(\\d{4})-0".r

  /** Why these file groups are not those of the whole partition. A key is found by the number of groups, so none may be
    * missing.
    *
    * @param ids
    *   of its file groups
    */
  def incomplete(partition: MetadataPartition, ids: Seq[String]): Option[String] = {
    val numbered = ids.map {
      case Number(prefix, number) if prefix.startsWith(partition.prefix) => prefix -> Some(number.toInt)
      case other => other -> None
    }
    val strange = numbered.collectFirst { case (id, None) => s"the file group $id is none of ${partition.name}" }
    // A partitioned record index has its own numbers for each partition of the table.
    val gaps =
      numbered.collect { case (prefix, Some(n)) => prefix -> n }.groupBy(_._1).toSeq.sortBy(_._1).collectFirst {
        case (prefix, found) if found.map(_._2).sorted != found.indices =>
          s"of the file groups $prefix* only the numbers ${found.map(_._2).sorted.mkString(", ")} are there"
      }
    val none =
      if (ids.isEmpty && partition != RecordIndex) Some(s"${partition.name} has no file group") else None
    strange.orElse(gaps).orElse(none)
  }
}
