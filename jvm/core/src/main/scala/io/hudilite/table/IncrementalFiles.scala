package io.hudilite.table

import io.hudilite.filegroup.FileSlice

/** What an incremental read looks at: rows of `slices` whose commit time is one of `commitTimes`.
  *
  * @param instants
  *   requested times of the selected writes
  * @param fullScan
  *   not the files as of the range's end are read, which are not known or no longer there, but all present files; row
  *   versions that were overwritten after the range are then missing
  * @param folds
  *   log compactions that may have folded what these writes logged. Apache Hudi's give the rows their own instant, which
  *   they keep when they are compacted
  */
final case class IncrementalFiles(instants: Set[String], slices: Map[String, Seq[FileSlice]], fullScan: Boolean,
    folds: Set[String] = Set.empty) {

  /** What rows of the writes have as their commit time. */
  def commitTimes: Set[String] = instants ++ folds
}
