package io.hudilite.spark.plan.layout

import io.hudilite.config.TableType
import io.hudilite.filegroup.{FileGroupId, FileSlice}
import io.hudilite.spark.write.table.WriteTarget

/** Which file groups of a table may take inserts into their base files.
  *
  * @param most
  *   groups of one partition that one write packs inserts into
  * @param tasksPerCore
  *   tasks of a write for each core, at most: enough to even out what the groups cost, few enough that their start costs
  *   little beside it
  */
sealed abstract class InsertTakers(val most: Int, tasksPerCore: Int) {

  /** Tasks of a write, at most, in a cluster that runs so many at once. */
  def mostTasks(cores: Int): Int = cores * tasksPerCore

  def takes(slice: FileSlice): Boolean
}

object InsertTakers {

  /** Any group, since its base file is rewritten anyway, but for those that a pending clustering is about to replace. */
  final case class Rewritten(clustering: Set[FileGroupId] = Set.empty)
      extends InsertTakers(Int.MaxValue, tasksPerCore = 8) {
    override def takes(slice: FileSlice): Boolean = !clustering(slice.groupId)
  }

  /** Groups without log files, which a rewrite would hide, and without a pending compaction or clustering, which rewrites
    * them itself; few of them, because an append is cheaper than a rewrite.
    */
  final case class WithoutLogs(limit: Int, taken: Set[FileGroupId]) extends InsertTakers(limit, tasksPerCore = 2) {
    override def takes(slice: FileSlice): Boolean = slice.logs.isEmpty && !taken(slice.groupId)
  }

  def of(target: WriteTarget): InsertTakers = {
    val clustering = target.existing.map(_.pendingClusterings.keySet.toSet).getOrElse(Set.empty[FileGroupId])
    if (target.config.tableType == TableType.CopyOnWrite) Rewritten(clustering)
    else WithoutLogs(target.conf.packing.smallGroups,
      clustering ++ target.existing.map(_.pendingCompactions.keySet.toSet).getOrElse(Set.empty[FileGroupId]))
  }
}
