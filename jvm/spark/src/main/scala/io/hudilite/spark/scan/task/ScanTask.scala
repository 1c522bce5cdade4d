package io.hudilite.spark.scan.task

import io.hudilite.filegroup.{BaseFile, FileSlice, Lots}
import io.hudilite.record.RecordKeys
import io.hudilite.spark.basefile.read.{FileRange, FileRead, ScanFilter}
import io.hudilite.spark.slice.deliver.SliceMerge

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{HasPartitionKey, InputPartition}
import org.apache.spark.sql.types.StructType

/** Everything that tasks need to know about a scan besides their files.
  *
  * @param limit
  *   rows after which a task may stop
  * @param merge
  *   how slices with log files are read; none when there are no such slices
  * @param facts
  *   wanted fields of [[io.hudilite.record.RowPlace.FileFacts]], which then is one of the columns; `None` when there
  *   are none, or when the table has a column of that name
  */
final case class ScanTask(files: FileRead, limit: Option[Int], merge: Option[SliceMerge] = None,
    facts: Option[StructType] = None)

/** Part of a table that one reader of a task reads. */
sealed trait ScanSplit extends Serializable {

  /** Bytes to read. */
  def length: Long

  def partition: String
}

/** A slice with log files, which is read as a whole.
  *
  * @param beforeRange
  *   of an incremental query: the slice with what was there before the range
  */
final case class SliceSplit(slice: FileSlice, beforeRange: Option[FileSlice] = None) extends ScanSplit {
  override def length: Long = slice.totalLength
  override def partition: String = slice.partition
}

/** A part of a base file. */
final case class FileSplit(range: FileRange) extends ScanSplit {
  override def length: Long = range.length + range.source.fold(0L)(_.length)
  override def partition: String = range.partition
}

/** Filters known only when the query runs; they stand in for those of the job. */
final case class Narrowing(filters: Seq[ScanFilter], keys: Option[RecordKeys], keysToCheck: Boolean)

/** Parts that one task reads, one after the other.
  *
  * @param folders
  *   values of columns by partition, as the folders say them
  */
final case class ScanPartition(splits: Seq[ScanSplit], narrowing: Option[Narrowing] = None,
    folders: Map[String, Map[String, Any]] = Map.empty)
    extends InputPartition

/** Parts of one bucket, beside which Spark puts other parts of that key.
  *
  * @param partitionKey
  *   values of what the scan says that it is grouped by
  */
final case class BucketPartition(parts: ScanPartition, partitionKey: InternalRow) extends HasPartitionKey

/** How much a task is given.
  *
  * @param mostBytes
  *   to read, on average; larger files are cut
  * @param openCostBytes
  *   cost of opening a file, in bytes that could be read instead
  * @param parallelism
  *   tasks that run at once, and that a read of many bytes is dealt out to at least
  */
final case class TaskSizes(mostBytes: Long, openCostBytes: Long, parallelism: Int)

/** Packs files into tasks: pure. */
object ScanPartition {

  /** As many tasks as Spark makes for files of its own sources, rounded up to whole rounds of all cores, and the files
    * evenly among them: a last round with one task takes as long as one with a task for each core.
    *
    * @param files
    *   base files without log files on top
    * @param slices
    *   slices with log files
    * @param maxSplitBytes
    *   larger files are cut, and a task gets no more than this on average
    * @param openCostBytes
    *   cost of opening a file, in bytes that could be read instead
    * @param cores
    *   tasks that run at once
    */
  def pack(files: Seq[BaseFile], maxSplitBytes: Long, openCostBytes: Long, slices: Seq[SliceSplit] = Nil,
      cores: Int = 1): Seq[ScanPartition] =
    dealt(files.flatMap(cut(_, maxSplitBytes)) ++ slices, maxSplitBytes, openCostBytes, cores)(_.length)

  /** Packs files whose footers have to be asked first whether the file holds the keys that are looked for: few do. */
  def packToCheck(files: Seq[BaseFile], maxSplitBytes: Long, openCostBytes: Long, slices: Seq[SliceSplit] = Nil,
      cores: Int = 1): Seq[ScanPartition] =
    dealt(files.map(whole) ++ slices, maxSplitBytes, 0L, cores) {
      case FileSplit(range) => math.min(range.length, FooterBytes)
      case slice => slice.length + openCostBytes
    }

  private def dealt(unsorted: Seq[ScanSplit], maxSplitBytes: Long, openCostBytes: Long, cores: Int)(
      bytes: ScanSplit => Long): Seq[ScanPartition] = {
    val splits = unsorted.sortBy(-bytes(_))
    val tasks = filled(splits.map(bytes), maxSplitBytes, openCostBytes)
    val rounds = (tasks + cores - 1) / cores
    Lots.deal(splits, if (tasks < cores) tasks else rounds * cores)(bytes(_) + openCostBytes).map(ScanPartition(_))
  }

  /** Tasks that are full when each takes what comes next until the following file would be too much. */
  private def filled(lengths: Seq[Long], maxSplitBytes: Long, openCostBytes: Long): Int =
    lengths.foldLeft((0, 0L)) { case ((tasks, size), length) =>
      if (tasks == 0 || size + length > maxSplitBytes) (tasks + 1, length + openCostBytes)
      else (tasks, size + length + openCostBytes)
    }._1

  /** Read to look at the footer of a file, which has some 60 KiB with a bloom filter in it. */
  private val FooterBytes = 64L * 1024

  private def whole(file: BaseFile): FileSplit =
    FileSplit(FileRange.of(file))

  /** Parts of a file, none of them larger than this; a skeleton is no longer than its rows are many, and is not cut. */
  def cut(file: BaseFile, maxSplitBytes: Long): Seq[FileSplit] =
    if (file.source.isDefined) Seq(whole(file))
    else (0L until math.max(file.length, 1L) by maxSplitBytes).map(start =>
      FileSplit(FileRange(file.relativePath, file.fileId, file.length, start,
          math.min(maxSplitBytes, file.length - start))))

  /** Size of a task's share, which keeps all cores busy, within these bounds. */
  def maxSplitBytes(totalBytes: Long, maxPartitionBytes: Long, openCostBytes: Long, parallelism: Int): Long =
    math.min(maxPartitionBytes, math.max(openCostBytes, totalBytes / math.max(parallelism, 1)))
}
