package io.hudilite.service.cluster

import io.hudilite.config.WriteOptions
import io.hudilite.config.service.{ClusteringConf, ClusteringOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.index.BucketIndex

/** A clustering to plan.
  *
  * @param conf
  *   its options, overridden by those of a call
  * @param buckets
  *   bucket index to which the whole table is moved
  */
final case class ClusteringRequest(conf: ClusteringConf, buckets: Option[BucketIndex] = None) {

  def sorts: Boolean = conf.sortColumns.nonEmpty

  /** Parameters in the plan, by names of options. */
  def params: Map[String, String] = {
    import ClusteringOptions._
    val index = buckets.toSeq.flatMap(by =>
      Seq(WriteOptions.Buckets.name -> by.count.toString,
        WriteOptions.BucketHashFields.name -> by.hashFields.mkString(",")))
    val order =
      if (sorts) Seq(SortColumns.name -> conf.sortColumns.mkString(","), Layout.name -> conf.layout) else Nil
    (if (buckets.isDefined) index else order :+ TargetBytes.name -> conf.targetBytes.toString).toMap
  }
}

/** Arguments of a call. Options hold for those that are absent.
  *
  * @param buckets
  *   new number of buckets for a table with a bucket index; options name the present one
  */
final case class ClusteringCall(sortColumns: Option[Seq[String]] = None, layout: Option[String] = None,
    partitions: Option[Seq[String]] = None, targetBytes: Option[Long] = None, buckets: Option[Int] = None) {

  /** The options overridden by the arguments. A call takes all files of any size into account, unless the options say
    * otherwise. Without sort columns only files smaller than those to be written are worth it.
    */
  def over(conf: ClusteringConf): ClusteringConf = {
    val columns = sortColumns.getOrElse(conf.sortColumns)
    val bytes = targetBytes.getOrElse(conf.targetBytes)
    columns.find(_.contains(',')).foreach(column =>
      throw InvalidInput.option(ClusteringOptions.SortColumns.name, column,
        "a plan separates names of columns by commas, so that none may have one"))
    conf.copy(
      targetBytes = bytes,
      smallFileBytes =
        conf.smallFileBytes.default(small => if (columns.nonEmpty) Long.MaxValue else small.min(bytes)),
      maxGroups = conf.maxGroups.default(_ => Int.MaxValue),
      groupBytes = conf.groupBytes.default(_.max(bytes)),
      sortColumns = columns,
      layout = layout.getOrElse(conf.layout),
      partitions = conf.partitions.copy(selected = partitions.orElse(conf.partitions.selected)))
  }
}
