package io.hudilite.service.cluster

import io.hudilite.config.WriteOptions
import io.hudilite.config.service.{ClusteringConf, ClusteringOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.index.BucketIndex

/** What a clustering goes by.
  *
  * @param targetBytes
  *   size of the files to write
  * @param smallFileBytes
  *   slices are taken whose base file is smaller than this, and those without one
  * @param groupBytes
  *   bytes of the slices of one group, at most, unless a single slice is larger
  * @param layout
  *   how the sort columns lay rows out, one of the layouts of `ClusteringOptions`
  * @param buckets
  *   the bucket index that the whole table is moved to
  */
final case class ClusteringSettings(
    targetBytes: Long, smallFileBytes: Long, groupBytes: Long, maxGroups: Int, sortColumns: Seq[String] = Nil,
    layout: String = ClusteringOptions.Linear, partitions: PartitionChoice = PartitionChoice(),
    buckets: Option[BucketIndex] = None) {

  def sorts: Boolean = sortColumns.nonEmpty

  /** As the plan tells whoever runs it, by names of options. */
  def params: Map[String, String] = {
    import ClusteringOptions._
    val index = buckets.toSeq.flatMap(by =>
      Seq(WriteOptions.Buckets.name -> by.count.toString,
        WriteOptions.BucketHashFields.name -> by.hashFields.mkString(",")))
    val order = if (sorts) Seq(SortColumns.name -> sortColumns.mkString(","), Layout.name -> layout) else Nil
    (if (buckets.isDefined) index else order :+ TargetBytes.name -> targetBytes.toString).toMap
  }
}

object ClusteringSettings {

  def of(conf: ClusteringConf): ClusteringSettings = ClusteringSettings(conf.targetBytes, conf.smallFileBytes.value,
    conf.groupBytes.value, conf.maxGroups.value, conf.sortColumns, conf.layout, PartitionChoice.of(conf.partitions))

  /** Those of a call that names what it wants done: it takes files of any size into account, and all there are, unless
    * the options say otherwise. Without sort columns only files smaller than those to be written are worth it.
    */
  def ofCall(conf: ClusteringConf, call: ClusteringCall): ClusteringSettings = {
    val asked = of(conf)
    val sortColumns = call.sortColumns.getOrElse(asked.sortColumns)
    val targetBytes = call.targetBytes.getOrElse(asked.targetBytes)
    sortColumns.find(_.contains(',')).foreach(column =>
      throw InvalidInput("INVALID_OPTION_VALUE", "option" -> ClusteringOptions.SortColumns.name, "value" -> column,
        "reason" -> "a plan separates the names of columns by commas"))
    asked.copy(
      targetBytes = targetBytes,
      smallFileBytes = conf.smallFileBytes.orElse(
        if (sortColumns.nonEmpty) Long.MaxValue else asked.smallFileBytes.min(targetBytes)),
      maxGroups = conf.maxGroups.orElse(Int.MaxValue),
      groupBytes = conf.groupBytes.orElse(asked.groupBytes.max(targetBytes)),
      sortColumns = sortColumns,
      layout = call.layout.getOrElse(asked.layout),
      partitions = call.partitions.fold(asked.partitions)(named => asked.partitions.copy(named = Some(named))))
  }
}

/** What a call asks for beyond the options; what is absent is as the options say.
  *
  * @param buckets
  *   for a table with a bucket index, which the options name as it is: the number of buckets to deal its rows to
  */
final case class ClusteringCall(sortColumns: Option[Seq[String]] = None, layout: Option[String] = None,
    partitions: Option[Seq[String]] = None, targetBytes: Option[Long] = None, buckets: Option[Int] = None)
