package io.hudilite.spark.write

import io.hudilite.config.{TableType, WriteOptions}
import io.hudilite.filegroup.{FileGroupId, FileSlice}

/** Which file groups of a table may take inserts into their base files.
  *
  * @param most
  *   groups of one partition that one write packs inserts into
  */
sealed abstract class InsertTakers(val most: Int) {
  def takes(slice: FileSlice): Boolean
}

object InsertTakers {

  /** Any group, since its base file is rewritten anyway. */
  case object Rewritten extends InsertTakers(Int.MaxValue) {
    override def takes(slice: FileSlice): Boolean = true
  }

  /** Groups whose rewrite hides no log files, those that a pending compaction is going to merge included; few of them,
    * because an append would be cheaper than the rewrite.
    */
  final case class WithoutLogs(limit: Int, compacting: Set[FileGroupId]) extends InsertTakers(limit) {
    override def takes(slice: FileSlice): Boolean = slice.logs.isEmpty && !compacting(slice.groupId)
  }

  def of(target: WriteTarget): InsertTakers =
    if (target.config.tableType == TableType.CopyOnWrite) Rewritten
    else WithoutLogs(WriteOptions.SmallGroups(target.options),
      target.existing.map(_.pendingCompactions.keySet.toSet).getOrElse(Set.empty))
}
