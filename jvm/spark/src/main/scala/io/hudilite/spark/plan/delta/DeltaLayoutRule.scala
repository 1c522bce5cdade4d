package io.hudilite.spark.plan.delta

import io.hudilite.filegroup.{FileSlice, PathSelection}
import io.hudilite.spark.lookup.ProbeTarget
import io.hudilite.spark.plan.layout.{CountedRows, IncomingSize, InsertTakers, LaidOutRows, RecordSize, WriteLayout}
import io.hudilite.spark.plan.merge.{IndexProbe, PutBackRows}
import io.hudilite.spark.plan.table.{AwaitedClusterings, PartitionFilters}
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.stage.{EstimatedAtMost, SharedRows}
import io.hudilite.spark.write.RowLevelWrite
import io.hudilite.spark.write.attempt.LateGroups
import io.hudilite.spark.write.table.WriteTarget
import io.hudilite.table.Table

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, WriteDelta}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.hudilite.RowLevelTables

/** Lays the row changes of a MERGE, UPDATE or DELETE out by file group, once, before Spark builds the write. */
final case class DeltaLayoutRule(session: SparkSession) extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown {
    case write: WriteDelta if RowLevelWrite.operationOf(write).exists(_.groups.isEmpty) =>
      val operation = RowLevelWrite.operationOf(write).get
      AwaitedClusterings.check(write.query, operation.target)
      val moved = MovedRows.split(write.query, operation, RowLevelWrite.relationOf(write.table).get)
      val split = moved.copy(query = PutBackRows.asUpdates(moved.query, write.query))
      val laidOut =
        if (operation.target.buckets.isDefined) inBuckets(split.query, operation)
        else {
          val groups = groupsOf(operation, write.query, split.arriving)
          LaidOutRows(WriteLayout.changes(split.query, operation.target, groups, operation.keepsNewest), groups)
        }
      write.withNewTable(withGroups(write, operation, laidOut.groups)).withNewQuery(laidOut.rows)
  }

  private def inBuckets(changes: LogicalPlan, operation: RowLevelWrite): LaidOutRows = {
    val index = operation.target.buckets.get // looked at by the caller
    val (key, partition) = WriteLayout.placesOf(changes, operation.target)
    val keyed = Project(changes.output ++ Seq(key, partition), changes)
    val grouped = CountedRows.inBuckets(keyed, Some(tableOf(operation)), index, operation.target, operation.operation,
      session)
    val laidOut =
      if (grouped.rows eq keyed)
        WriteLayout.changes(changes, operation.target, grouped.groups, operation.keepsNewest)
      else WriteLayout.changes(grouped.rows, partition.toAttribute, key.toAttribute, grouped.groups,
        if (operation.keepsNewest) WriteLayout.ofOrdering(grouped.rows, operation.target) else Nil)
    grouped.copy(rows = laidOut)
  }

  private def groupsOf(operation: RowLevelWrite, query: LogicalPlan, arriving: Option[ProbeTarget]): LateGroups = {
    val target = operation.target
    val table = tableOf(operation)
    val probe = query.collectFirst { case p: IndexProbe => p }
    val rows = probe.filter(fromAbove(query, _)).map(_.rows.stats)
    val estimated = rows.flatMap(RecordSize.estimate(_, target))
    val within = probe.fold(PartitionFilters.of(query, target).selection)(_.target.within)
    // Few rows change few files, whichever these are.
    def files(most: Int): Int = rows.flatMap(IncomingSize.atMost).filter(_ < most)
      .fold(table.files.count(CountedRows.MostPlanned, most, within))(_.toInt)
    WriteLayout.lateGroups(files,
      () => changing(query, arriving, table, within).getOrElse(all(table)), target.conf, estimated,
      () => probe.fold(IncomingSize(None))(counted(_, estimated, target, arriving.isDefined)),
      operation.operation.tasks(target.conf.parallelism), session.sparkContext.defaultParallelism,
      InsertTakers.of(target))
  }

  private def tableOf(operation: RowLevelWrite): Table = operation.target.existing.getOrElse(
    throw new IllegalStateException(s"${operation.target.basePath} is no table"))

  /** Tasks are planned before the rows are counted: too many of them cost little, too few much. */
  private def fromAbove(query: LogicalPlan, probe: IndexProbe): Boolean =
    query.collectFirst { case s: SharedRows if s.shared eq probe.shared => s.child }.exists(EstimatedAtMost(_))

  /** The rows that are looked up, which are counted by then; no other ones can be new. To which partitions rows move
    * nobody has counted.
    */
  private def counted(probe: IndexProbe, estimated: Option[BigInt], target: WriteTarget, move: Boolean): IncomingSize =
    probe.shared.counted.fold(IncomingSize(estimated))(
      IncomingSize.counted(_, target, if (move) Map.empty else probe.target.looked.keysIn))

  private def all(table: Table): Seq[FileSlice] = table.allSlices().values.flatten.toSeq

  /** The slices of the partitions that lookups have looked in, or that the filters above the table leave: no other row
    * changes, and what is not found there is new. `None` where it is not known which these are.
    */
  private def changing(query: LogicalPlan, arriving: Option[ProbeTarget], table: Table, within: PathSelection)
      : Option[Seq[FileSlice]] = {
    val found = query.collect { case p: IndexProbe => p.target } match {
      case Seq(lookup) => lookup.lookedIn
      case Nil if within ne PathSelection.All => Some(table.files.find(within).values.flatten.toSeq)
      case _ => None
    }
    val asked = found +: arriving.toSeq.map(_.lookedIn)
    if (asked.forall(_.isDefined)) Some(asked.flatten.flatten.distinct) else None
  }

  private def withGroups(write: WriteDelta, operation: RowLevelWrite, groups: LateGroups): DataSourceV2Relation = {
    val relation = RowLevelWrite.relationOf(write.table).get
    PlanNodes.withTable(relation,
      RowLevelTables.withOperation(relation.table,
        operation.copy(groups = Some(groups),
          updated = UpdatedColumns.of(write.query, operation))))
  }
}
