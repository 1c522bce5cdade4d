package io.hudilite.service.cluster

import io.hudilite.config.WriteOptions
import io.hudilite.config.service.{ClusteredPartitionsConf, ClusteringConf, ClusteringOptions}
import io.hudilite.error.InvalidInput
import io.hudilite.filegroup.FileSlice
import io.hudilite.index.BucketIndex
import io.hudilite.table.BucketMoves
import io.hudilite.timeline.plan.{ClusteringGroupFacts, ClusteringInput, ClusteringPlan}

/** File slices of one partition that are written again together.
  *
  * @param outputs
  *   estimated number of files that are made of them
  */
final case class ClusteringGroup(slices: Seq[FileSlice], outputs: Int) {

  def partition: String = slices.head.partition

  def bytes: Long = slices.map(_.totalLength).sum

  /** These figures by Hudi's names, as in a plan. */
  def metrics: Map[String, Double] = {
    val logs = slices.flatMap(_.logs)
    val read = bytes / ClusteringGroup.MiB
    val written = slices.flatMap(_.base).map(_.bytes).sum / ClusteringGroup.MiB
    Map("TOTAL_LOG_FILES" -> logs.size.toDouble, "TOTAL_LOG_FILES_SIZE" -> logs.map(_.length).sum.toDouble,
      "TOTAL_IO_READ_MB" -> read.toDouble, "TOTAL_IO_WRITE_MB" -> written.toDouble,
      "TOTAL_IO_MB" -> (read + written).toDouble)
  }
}

object ClusteringGroup {
  private val MiB = 1024L * 1024L
}

/** Groups of file slices that a clustering writes again together: pure (docs/format.md#clustering). */
object ClusteringPlanner {

  /** Class with which Hudi's own engine runs such a plan. */
  val Execution = "org.apache.hudi.client.clustering.run.strategy.SparkSortAndSizeExecutionStrategy"

  /** Groups in the order of their partitions.
    *
    * @param slices
    *   newest slices of file groups that nothing else is about to rewrite, in the partitions that are looked at
    * @param settled
    *   true for slices that are laid out already; a group of nothing else stays as it is
    */
  def groups(slices: Seq[FileSlice], asked: ClusteringRequest, settled: FileSlice => Boolean = _ => false)
      : Seq[ClusteringGroup] = asked.buckets match {
    case Some(by) => slices.groupBy(_.partition).toSeq.sortBy(_._1).map { case (_, found) =>
        ClusteringGroup(found.sortBy(_.fileId), by.in(found.head.partition).count)
      }
    case None => bySize(slices, asked, settled)
  }

  private def bySize(slices: Seq[FileSlice], asked: ClusteringRequest, settled: FileSlice => Boolean)
      : Seq[ClusteringGroup] = {
    val small = slices.filter(s => s.base.forall(_.bytes < asked.conf.smallFileBytes.value))
    small.groupBy(_.partition).toSeq.sortBy(_._1).iterator
      .flatMap { case (_, found) => inGroups(found, asked) }
      .filter(group => pays(group, asked) && !group.slices.forall(settled))
      .take(asked.conf.maxGroups.value).toList
  }

  // The largest slices come first, as in Hudi, so that files of one group have similar sizes, and the last group takes
  // the small ones.
  private def inGroups(slices: Seq[FileSlice], asked: ClusteringRequest): Seq[ClusteringGroup] = {
    val sorted = slices.sortBy(s => (-s.totalLength, s.fileId))
    val filled = sorted.foldLeft(List.empty[(List[FileSlice], Long)]) {
      case ((group, bytes) :: done, slice) if bytes + slice.totalLength <= asked.conf.groupBytes.value =>
        (slice :: group, bytes + slice.totalLength) :: done
      case (done, slice) => (List(slice), slice.totalLength) :: done
    }
    filled.reverse.map { case (group, bytes) => ClusteringGroup(group.reverse, outputs(bytes, asked.conf.targetBytes)) }
  }

  /** Number of files of the target size that hold so many bytes. */
  def outputs(bytes: Long, targetBytes: Long): Int =
    (bytes / targetBytes + (if (bytes % targetBytes == 0) 0 else 1)).max(1L).min(Int.MaxValue.toLong).toInt

  // A group without an order is only worth it for fewer files.
  private def pays(group: ClusteringGroup, asked: ClusteringRequest): Boolean =
    asked.sorts || group.outputs < group.slices.size

  def plan(groups: Seq[ClusteringGroup], asked: ClusteringRequest): ClusteringPlan = ClusteringPlan(
    groups.map(_.slices.map(s =>
        ClusteringInput(s.partition, s.fileId, s.base.map(_.name), s.logs.map(_.name)))),
    if (asked.buckets.isDefined) BucketMoves.Execution else Execution, asked.params,
    groups.map(g => ClusteringGroupFacts(g.outputs, g.metrics)))
}

/** Partitions of a table that a clustering looks at, as Hudi's plan strategies choose them: pure. */
object PartitionChoice {

  /** Partitions among these that are looked at, sorted. */
  def of(conf: ClusteredPartitionsConf, partitions: Seq[String]): Seq[String] = {
    val candidates = conf.selected match {
      case Some(only) => partitions.filter(only.toSet)
      case None => partitions.filter(p => conf.pattern.forall(p.matches))
    }
    filtered(conf, candidates.sorted)
  }

  private def filtered(conf: ClusteredPartitionsConf, sorted: Seq[String]): Seq[String] = conf.filter match {
    case ClusteringOptions.RecentDays =>
      sorted.reverse.slice(conf.skipLatest, conf.skipLatest + conf.lookback).reverse
    case ClusteringOptions.SelectedPartitions =>
      sorted.filter(p => conf.begin.forall(_ <= p) && conf.end.forall(p <= _))
    case _ => sorted
  }
}

/** A clustering to plan.
  *
  * @param conf
  *   its options, overridden by those of a call
  * @param buckets
  *   bucket index to which the whole table is moved, or, where it has a rule, the partitions that are looked at
  */
final case class ClusteringRequest(conf: ClusteringConf, buckets: Option[BucketIndex] = None) {

  def sorts: Boolean = conf.sortColumns.nonEmpty

  /** Parameters in the plan, by names of options. */
  def params: Map[String, String] = {
    import ClusteringOptions._
    val index = buckets.toSeq.flatMap(by =>
      Seq(WriteOptions.Buckets.name -> by.count.toString,
        WriteOptions.BucketHashFields.name -> by.hashFields.mkString(",")) ++
        (if (by.rule.isEmpty) Nil else Seq(WriteOptions.BucketsInPartitions.name -> by.rule.text)))
    val order =
      if (sorts) Seq(SortColumns.name -> conf.sortColumns.mkString(","), Layout.name -> conf.layout) else Nil
    (if (buckets.isDefined) index else order :+ TargetBytes.name -> conf.targetBytes.toString).toMap
  }
}

/** Arguments of a call. Options hold for those that are absent.
  *
  * @param buckets
  *   for a table with a bucket index: the number of buckets to deal its rows to, or those of the partitions
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
    layout.filter(_ => columns.isEmpty).foreach(shape =>
      throw InvalidInput.option(ClusteringOptions.Layout.name, shape,
        "rows are laid out by columns, and none is named to sort by"))
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
