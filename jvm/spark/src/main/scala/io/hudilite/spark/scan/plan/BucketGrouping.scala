package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.Lots
import io.hudilite.index.BucketIndex
import io.hudilite.spark.scan.task._

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.connector.expressions.{Expression, Expressions}

/** How the rows of a scan are dealt to its tasks, in the words in which Spark compares it with other scans: by partition
  * columns, if by any, and by the bucket of one column. Joins and aggregations by these columns then need no exchange.
  */
private[scan] final case class BucketGrouping(index: BucketIndex, column: BucketColumn, partitionColumns: Seq[String]) {

  /** Functions of `BucketFunctions`. Tables whose keys can hash a value otherwise have other functions. */
  def keys: Array[Expression] = (partitionColumns.map(Expressions.identity(_): Expression) :+ bucket).toArray

  private def bucket: Expression = column.layout match {
    case None => Expressions.bucket(index.count, quoteIdentifier(column.name))
    case Some(layout) =>
      Expressions.apply(s"bucket_${index.count}($layout)", Expressions.column(quoteIdentifier(column.name)))
  }

  /** @param folder
    *   values of the partition columns
    */
  def key(folder: Map[String, Any], bucket: Int): InternalRow =
    InternalRow.fromSeq(partitionColumns.map(folder) :+ bucket)
}

/** How many tasks a scan has whose rows go to buckets as they lie in buckets, each bucket in one task. Spark is not told.
  *
  * @param tasks
  *   at most
  * @param partitions
  *   the partition path to which the rows of each folder go, where that is known: then only what goes to one partition has to
  *   be in one task
  */
private[scan] final case class BucketLots(tasks: Int, partitions: Option[Map[String, String]]) {

  def groupOf(partition: String, bucket: Int): (String, Int) = (partitions.fold("")(_(partition)), bucket)
}

/** The parts of the files of a scan, those of a bucket together.
  *
  * @param shown
  *   values of columns by partition, as the folders say them
  */
private[plan] final class GroupedTasks(found: PrunedFiles, state: TableState, narrowing: Option[Narrowing],
    shown: Map[String, Map[String, Any]]) {

  /** @param mostBytes
    *   larger files are cut
    * @param folders
    *   values of the partition columns by partition
    * @param withEmpty
    *   buckets without rows have a part, too, unless most have none: without it two scans go together only if both have rows
    *   in the same buckets
    */
  def of(by: BucketGrouping, mostBytes: Long, folders: String => Map[String, Any], withEmpty: Boolean)
      : Seq[BucketPartition] = {
    val told = partitions.map(partition => partition -> folders(partition)).toMap
    val parts = all(mostBytes).map(part =>
      BucketPartition(task(Seq(part)), by.key(told(part.split.partition), part.bucket)))
    val missing =
      if (withEmpty && by.partitionColumns.isEmpty && found.byBucket.isEmpty) emptyBuckets(parts, by) else Nil
    parts ++ missing
  }

  /** Whole buckets, dealt evenly to tasks. */
  def in(lots: BucketLots, openCostBytes: Long): Seq[ScanPartition] = {
    val groups = all(Long.MaxValue).groupBy(part => lots.groupOf(part.split.partition, part.bucket)).toSeq.sortBy(_._1)
    Lots.deal(groups.map(_._2), lots.tasks)(_.map(_.split.length + openCostBytes).sum).map(lot => task(lot.flatten))
  }

  /** Buckets with files. */
  def filled(lots: BucketLots): Int =
    all(Long.MaxValue).map(part => lots.groupOf(part.split.partition, part.bucket)).distinct.size

  private def partitions: Seq[String] = (found.files.map(_.partition) ++ found.merged.map(_.partition)).distinct

  private def all(mostBytes: Long): Seq[BucketPart] =
    found.files.flatMap(file => ScanPartition.cut(file, mostBytes).map(part(file.fileId, _))) ++
      found.merged.map(slice => part(slice.fileId, SliceSplit(slice, state.beforeRange.get(slice.groupId))))

  private def part(fileId: String, split: ScanSplit): BucketPart =
    BucketPart(BucketIndex.bucketOfFile(fileId).get, split)

  private def task(parts: Seq[BucketPart]): ScanPartition = {
    val folders = parts.map(_.split.partition).distinct.flatMap(p => shown.get(p).map(p -> _)).toMap
    ScanPartition(parts.map(_.split), narrowing, folders)
  }

  private def emptyBuckets(parts: Seq[BucketPartition], by: BucketGrouping): Seq[BucketPartition] = {
    val filled = parts.map(_.partitionKey.getInt(0)).toSet
    if (by.index.count > GroupedTasks.MostEmpty.max(GroupedTasks.EmptyPerFilled * filled.size)) Nil
    else (0 until by.index.count).filterNot(filled).map(b => BucketPartition(ScanPartition(Nil), by.key(Map.empty, b)))
  }
}

private object GroupedTasks {

  // A task without rows costs some milliseconds, an exchange of all rows more.
  private val MostEmpty = 64
  private val EmptyPerFilled = 4
}

private final case class BucketPart(bucket: Int, split: ScanSplit)
