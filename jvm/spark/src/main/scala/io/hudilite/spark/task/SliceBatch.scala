package io.hudilite.spark.task

import io.hudilite.filegroup.{FileSlice, Lots}

/** File slices of one task. */
private[spark] final case class SliceBatch(slices: Seq[FileSlice])

private[spark] object SliceBatch {

  /** Least work for a task of its own. */
  private val BatchBytes = 32L << 20

  // Cost of opening a slice, in bytes of a read.
  private val OpenBytes = 1L << 20

  /** A batch for each large slice, and batches of several small ones, as long as there is work for all cores. */
  def deal(slices: Seq[FileSlice], cores: Int): Seq[SliceBatch] =
    Lots.ofTasks(slices, cores, BatchBytes)(_.totalLength + OpenBytes).map(SliceBatch(_))

  /** A batch for each `size` slices, in their order. */
  def grouped(slices: Iterator[FileSlice], size: Int): Seq[SliceBatch] =
    slices.grouped(size).map(batch => SliceBatch(batch.toList)).toList
}
