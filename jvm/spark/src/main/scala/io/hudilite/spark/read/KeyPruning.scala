package io.hudilite.spark.read

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.index.{Index, KeyIndex, KeyVerdict, Scope, SearchedSlices}
import io.hudilite.record.RecordKeys
import io.hudilite.stats.FileStatistics

/** Base files that key pruning left, and how many each step took. */
final case class KeyPruned(files: Seq[BaseFile], byRange: Int, byBloom: Int)

/** Prunes base files on the driver by where their index has the keys. */
object KeyPruning {

  /** Above this many files the footers are read where the files are read: inside tasks. */
  val MaxFilesOnDriver: Int = 1000

  /** The index of reads, whichever one writes use: each file tells of its own keys. */
  val ByFiles: KeyIndex = Index.Bloom(Scope.Partition)

  def prune(index: KeyIndex, statistics: FileStatistics, files: Seq[BaseFile], keys: RecordKeys): KeyPruned = {
    val found = index.locate(keys, SearchedSlices(files.map(FileSlice.ofBase), statistics))
    KeyPruned(found.slices.flatMap(_.base), found.ruledOut(KeyVerdict.OutOfRange),
      found.ruledOut(KeyVerdict.NotInBloom))
  }
}
