package io.hudilite.spark.scan.task

import io.hudilite.filegroup.FileSlice
import io.hudilite.index.{Index, KeyIndex, KeyVerdict, Scope, SearchedSlices}
import io.hudilite.record.RecordKeys
import io.hudilite.spark.basefile.read.FileRead
import io.hudilite.stats.FileStatistics

/** The splits of one task that can hold rows: where the driver has left that to the tasks, the index is asked about some
  * files at a time before one of them is read.
  */
private[scan] final class CheckedSplits(files: FileRead, statistics: FileStatistics, splits: Seq[ScanSplit])
    extends Iterator[ScanSplit] {

  private val keys: Option[RecordKeys] = files.keys.filter(_ => files.keysToCheck)

  private val checked: Iterator[ScanSplit] = keys match {
    case Some(wanted) => splits.grouped(CheckedSplits.AtOnce).flatMap(check(_, wanted))
    case None => splits.iterator
  }

  /** Files that do not hold the keys, by what said so. */
  var outOfRange = 0L
  var notInBloom = 0L

  private def check(some: Seq[ScanSplit], wanted: RecordKeys): Seq[ScanSplit] = {
    val asked = some.collect { case FileSplit(range) => FileSlice.ofBase(range.file) }.distinct
    val found = CheckedSplits.ByFiles.locate(wanted, SearchedSlices(asked, statistics)).verdicts
      .map { case (slice, verdict) => slice.base -> verdict }.toMap
    some.filter {
      case FileSplit(range) => holds(found(Some(range.file)), isFirst = range.start == 0)
      case _ => true
    }
  }

  /** @param isFirst
    *   the split is the first of its file, with which the file is counted
    */
  private def holds(verdict: KeyVerdict, isFirst: Boolean): Boolean = verdict match {
    case KeyVerdict.MayHold(_) => true
    case reason =>
      if (isFirst) { if (reason == KeyVerdict.OutOfRange) outOfRange += 1 else notInBloom += 1 }
      false
  }

  override def hasNext: Boolean = checked.hasNext

  override def next(): ScanSplit = checked.next()
}

private[spark] object CheckedSplits {

  /** The index of reads, whichever one writes use: each file tells of its own keys. */
  val ByFiles: KeyIndex = Index.Bloom(Scope.Partition)

  val AtOnce = 64
}
