package io.hudilite.spark.lookup

import io.hudilite.filegroup.{FileGroupId, FileSlice}

/** File slices in which a lookup may find a key that another one of them has, too, and that a log file of either has
  * deleted: pure. Keys that lookups find in all others need no second look.
  */
private[lookup] object ContestedSlices {

  /** @param deleted
    *   file groups whose log files may delete keys
    * @param global
    *   a key is looked for in all partitions
    */
  def among(slices: Seq[FileSlice], deleted: Set[FileGroupId], global: Boolean): Set[FileGroupId] =
    if (deleted.isEmpty) Set.empty
    else {
      val together = if (global) Seq(slices) else slices.groupBy(_.partition).values
      together.filter(of => of.size > 1 && of.exists(s => deleted(s.groupId))).flatten.map(_.groupId).toSet
    }
}
