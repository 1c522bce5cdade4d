package io.hudilite.spark.plan.merge

import io.hudilite.record.RowPlace
import io.hudilite.spark.lookup.{
  FullKeyScanExec,
  IndexProbeExec,
  KeyPlaces,
  KeyPlacesExec,
  MoveResolution,
  MoveResolutionExec,
  RowsAtPlacesExec,
  ShardLookupExec
}
import io.hudilite.spark.plan.table.PlannedTable
import io.hudilite.spark.stage._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.{ProjectExec, SparkPlan, SparkStrategy}
import org.apache.spark.sql.execution.hudilite.{SharedColumnsExec, SharedRowsAgainExec, SharedRowsExec}

/** Plans hudilite's own operators. */
final case class IndexProbeStrategy(session: SparkSession) extends SparkStrategy {

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case LatestByKey(keys, ordering, child, place, values, inOrder, merging, deletes, together) =>
      val by = if (together) Nil else if (place.isEmpty) keys else place
      LatestByKeyExec(keys, ordering, by, planLater(child), values, inOrder, merging, deletes) :: Nil
    case KeyPlaces(key, partition, places, later, child) =>
      KeyPlacesExec(key, partition, Seq(places, later), planLater(child)) :: Nil
    case MoveResolution(changes, found, columns, child) =>
      MoveResolutionExec(changes, found, columns, planLater(child)) :: Nil
    case SharedRows(keys, child, shared, _, countedBy) =>
      val lost = if (Repeatable(child, PlannedTable.isSnapshot)) None else Some(SourceRowsLost)
      SharedRowsExec(keys, shared, lost, countedBy, planLater(child)) :: Nil
    case SharedRowsAgain(shared, columns, _) => SharedRowsAgainExec(shared, SharedColumnsExec(columns)) :: Nil
    case IndexedKeys(keys, output, shards, _, target, child) =>
      val indexed = plan.asInstanceOf[IndexedKeys]
      ShardLookupExec(keys, output, shards, indexed.areFew, target.looked, indexed.counted, planLater(child)) :: Nil
    case probe: IndexProbe if probe.indexed.isDefined && KeyLookup.is(probe) =>
      atPlaces(probe, probe.indexed.get) :: Nil
    case probe: IndexProbe if KeyLookup.is(probe) =>
      val columns = Alias(probe.key, "key")() +: probe.partition.map(Alias(_, "partition")()).toSeq
      // The keys need not be sorted: the probe puts them in order and leaves duplicates out.
      val keys = planLater(Project(columns, probe.child))
      IndexProbeExec(probe.output, probe.target, probe.partition.isEmpty, keys) :: Nil
    case probe: IndexProbe =>
      val columns = probe.output.filterNot(_.name == RowPlace.Gone)
      FullKeyScanExec(planLater(probe.target.scan(columns)), probe.output, probe.target, probe.partition.isEmpty) :: Nil
    case _ => Nil
  }

  /** Files are opened for what the index does not know. */
  private def atPlaces(probe: IndexProbe, keys: IndexedKeys): SparkPlan =
    if (probe.output.forall(probe.target.isPlace)) ProjectExec(IndexedKeys.columns(probe), planLater(probe.child))
    else RowsAtPlacesExec(probe.output, keys.output, keys.areFew, probe.target, planLater(probe.child))
}
