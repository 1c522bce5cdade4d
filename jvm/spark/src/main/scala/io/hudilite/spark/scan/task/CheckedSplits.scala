package io.hudilite.spark.scan.task

import io.hudilite.filegroup.FooterCache
import io.hudilite.spark.basefile.read.{FilePaths, FileRange, FileRead, KeyVerdict, RecordKeys}
import io.hudilite.storage.Parallel

import org.apache.hadoop.conf.Configuration

/** The splits of one task that can hold rows: where the driver has left that to the tasks, the footers of some files at a
  * time are asked for the keys, beside each other, before one of them is read.
  */
private[scan] final class CheckedSplits(files: FileRead, conf: Configuration, splits: Seq[ScanSplit])
    extends Iterator[ScanSplit] {

  private val keys: Option[RecordKeys] = files.keys.filter(_ => files.keysToCheck)

  private val checked: Iterator[ScanSplit] = keys match {
    case Some(wanted) => splits.grouped(CheckedSplits.AtOnce).flatMap(check(_, wanted))
    case None => splits.iterator
  }

  /** Files that do not hold the keys, by what said so. */
  var outOfRange = 0L
  var notInBloom = 0L

  private def check(some: Seq[ScanSplit], wanted: RecordKeys): Seq[ScanSplit] =
    some.zip(Parallel.map(some) {
      case FileSplit(range) => verdict(range, wanted)
      case _ => KeyVerdict.MayHold
    }).flatMap {
      case (split, KeyVerdict.MayHold) => Some(split)
      case (split, reason) =>
        count(split, reason)
        None
    }

  private def verdict(range: FileRange, wanted: RecordKeys): KeyVerdict = {
    val path = FilePaths.absolute(files.basePath, range.relativePath)
    KeyVerdict.of(FooterCache.read(conf, path, range.fileLength, withBloom = true), wanted)
  }

  private def count(split: ScanSplit, reason: KeyVerdict): Unit = split match {
    case FileSplit(range) if range.start == 0 =>
      if (reason == KeyVerdict.OutOfRange) outOfRange += 1 else notInBloom += 1
    case _ =>
  }

  override def hasNext: Boolean = checked.hasNext

  override def next(): ScanSplit = checked.next()
}

private object CheckedSplits {
  val AtOnce = 64
}
