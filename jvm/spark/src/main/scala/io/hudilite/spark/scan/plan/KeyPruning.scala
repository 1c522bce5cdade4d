package io.hudilite.spark.scan.plan

import io.hudilite.filegroup.{BaseFile, FileSlice}
import io.hudilite.index.{AskedFirst, KeyIndex, KeyVerdict, SearchedSlices}
import io.hudilite.record.RecordKeys
import io.hudilite.stats.{FactsAsked, FileStatistics}

/** Base files that key pruning left, and how many each step took.
  *
  * @param asked
  *   of whom facts were asked, where the metadata table was
  */
final case class KeyPruned(files: Seq[BaseFile], byRange: Int, byBloom: Int, asked: Option[FactsAsked] = None)

/** Prunes base files on the driver by where their index has the keys. */
object KeyPruning {

  /** Above this many files the footers are read where the files are read: inside tasks. */
  val MaxFilesOnDriver: Int = 1000

  def prune(index: KeyIndex, statistics: FileStatistics, files: Seq[BaseFile], keys: RecordKeys,
      known: Option[AskedFirst] = None): KeyPruned = {
    val found = index.locate(keys, SearchedSlices(files.map(FileSlice.ofBase), statistics, known))
    KeyPruned(found.slices.flatMap(_.base), found.ruledOut(KeyVerdict.OutOfRange),
      found.ruledOut(KeyVerdict.NotInBloom), known.map(_.facts.asked))
  }
}
