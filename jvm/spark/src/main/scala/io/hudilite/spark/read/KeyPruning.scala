package io.hudilite.spark.read

import io.hudilite.filegroup.BaseFile
import io.hudilite.record.RecordKeys
import io.hudilite.stats.{BoundsWanted, FileStatistics, KeyVerdict}

/** Base files that key pruning left, and how many each step took. */
final case class KeyPruned(files: Seq[BaseFile], byRange: Int, byBloom: Int)

/** Prunes base files on the driver by what is known of their keys. */
object KeyPruning {

  /** Above this many files the footers are read where the files are read: inside tasks. */
  val MaxFilesOnDriver: Int = 1000

  def prune(statistics: FileStatistics, files: Seq[BaseFile], keys: RecordKeys): KeyPruned = {
    val verdicts = statistics.each(files, BoundsWanted.WithBlooms)(known => KeyVerdict.of(known.keys, keys))
    def count(verdict: KeyVerdict): Int = files.count(verdicts(_) == verdict)
    KeyPruned(files.filter(verdicts(_) == KeyVerdict.MayHold), count(KeyVerdict.OutOfRange),
      count(KeyVerdict.NotInBloom))
  }
}
