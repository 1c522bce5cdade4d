package io.hudilite.spark.read

import io.hudilite.record.RecordKeys
import io.hudilite.spark.basefile.read.FileRead
import io.hudilite.stats.{BoundsWanted, FileStatistics, KeyVerdict}

/** The splits of one task that can hold rows: where the driver has left that to the tasks, the statistics of some files at
  * a time are asked for the keys, before one of the files is read.
  */
private[read] final class CheckedSplits(files: FileRead, statistics: FileStatistics, splits: Seq[ScanSplit])
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
    val asked = some.collect { case FileSplit(range) => range.file }.distinct
    val verdicts = statistics.each(asked, BoundsWanted.WithBlooms)(known => KeyVerdict.of(known.keys, wanted))
    some.filter {
      case FileSplit(range) =>
        val verdict = verdicts(range.file)
        if (verdict != KeyVerdict.MayHold && range.start == 0) count(verdict)
        verdict == KeyVerdict.MayHold
      case _ => true
    }
  }

  private def count(reason: KeyVerdict): Unit =
    if (reason == KeyVerdict.OutOfRange) outOfRange += 1 else notInBloom += 1

  override def hasNext: Boolean = checked.hasNext

  override def next(): ScanSplit = checked.next()
}

private object CheckedSplits {
  val AtOnce = 64
}
