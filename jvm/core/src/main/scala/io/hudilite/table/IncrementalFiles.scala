package io.hudilite.table

import io.hudilite.filegroup.FileSlice

/** Files and commit times of an incremental read: rows of `slices` whose commit time is one of `commitTimes`.
  *
  * @param instants
  *   requested times of the selected writes
  * @param fullScan
  *   true when all present files are read, because those as of the range's end are unknown or gone. Row versions that
  *   were overwritten after the range are missing then
  * @param folds
  *   log compactions that may have folded log blocks of these writes. Those of Apache Hudi give the rows their own
  *   instant, which they keep when they are compacted
  */
final case class IncrementalFiles(instants: Set[String], slices: Map[String, Seq[FileSlice]], fullScan: Boolean,
    folds: Set[String] = Set.empty) {

  /** Commit times that rows of the writes can have. */
  def commitTimes: Set[String] = instants ++ folds
}
