package io.hudilite.service.advise

import io.hudilite.filegroup.{BaseFile, FileSlice}

import scala.collection.mutable
import scala.util.hashing.MurmurHash3

/** Counts the files of a table partition by partition, and keeps some base files whose footers are to be read: those of
  * whole partitions, as far as there is room, so that the ranges of neighbours can be compared. One table has one choice.
  *
  * @param most
  *   base files that are kept
  * @param first
  *   partitions to begin with
  */
final class CountedFiles(most: Int, first: String => Boolean) {

  private val counts = mutable.HashMap.empty[String, PartitionFiles]
  private val kept = mutable.TreeMap.empty[(Boolean, Int, String), Seq[BaseFile]]
  private var room = 0

  def add(partition: String, slices: Seq[FileSlice]): Unit = if (slices.nonEmpty) {
    val bases = slices.flatMap(_.base)
    counts.put(partition,
      PartitionFiles(bases.size, slices.count(_.base.isEmpty), slices.map(_.totalLength).sum,
        slices.flatMap(_.logs).map(_.length).sum))
    val own = some(bases, most)
    kept.put((!first(partition), MurmurHash3.stringHash(partition), partition), own)
    room += own.size
    while (room - kept.last._2.size >= most) room -= kept.remove(kept.lastKey).fold(0)(_.size)
  }

  def byPartition: Map[String, PartitionFiles] = counts.toMap

  /** `most` of the base files, or all if there are no more. */
  def sample: Seq[BaseFile] =
    if (kept.isEmpty) Nil
    else {
      val whole = kept.init.values.flatten.toSeq
      whole ++ some(kept.last._2, most - whole.size)
    }

  private def some(files: Seq[BaseFile], count: Int): Seq[BaseFile] =
    if (files.size <= count) files else files.sortBy(f => (MurmurHash3.stringHash(f.fileId), f.fileId)).take(count)
}

/** Files of the newest slices of a partition.
  *
  * @param logGroups
  *   file groups without a base file
  * @param bytes
  *   of base and log files
  */
final case class PartitionFiles(bases: Int, logGroups: Int, bytes: Long, logBytes: Long) {

  /** Files that a key is looked for in. */
  def groups: Int = bases + logGroups
}
