package io.hudilite.spark.plan.merge

import io.hudilite.record.{MetaFields, RowPlace}
import io.hudilite.spark.lookup.{KeyColumns, KeyShard, ProbeTarget}
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.stage.OfSnapshot
import io.hudilite.table.KeyShards

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.execution.hudilite.SharedShuffle
import org.apache.spark.sql.types.{LongType, StringType}

/** Keys of an index probe, looked up in the record index of the table: what it says stands in the place of the keys.
  *
  * @param keys
  *   columns of `child`
  * @param output
  *   record key, partition path and file id
  * @param shared
  *   counts the rows that the keys are of
  */
final case class IndexedKeys(keys: KeyColumns, output: Seq[Attribute], shards: KeyShards, shared: SharedShuffle,
    target: ProbeTarget, child: LogicalPlan) extends UnaryNode with OfSnapshot {

  override lazy val references: AttributeSet = child.outputSet
  override def producedAttributes: AttributeSet = AttributeSet(output)
  override def maxRows: Option[Long] = None

  /** Adaptive execution has counted them, and they are too few for tasks of their own. */
  def areFew: Boolean = conf.adaptiveExecutionEnabled &&
    shared.statistics.flatMap(_.rowCount).exists(_ <= IndexedKeys.FewKeys)

  /** Where adaptive execution has not counted the keys of each partition, nobody knows their partitions. */
  def counted: Option[() => Map[String, Long]] = keys.partition.map(_ => () => shared.countedByPartition)

  override protected def withNewChildInternal(newChild: LogicalPlan): IndexedKeys = copy(child = newChild)
}

private[plan] object IndexedKeys {

  /** The driver looks so many up. */
  val FewKeys = 1000

  /** @param rows
    *   to look up the keys of
    * @param found
    *   the columns that the probe is asked for
    */
  def apply(key: Expression, partition: Option[Expression], found: Seq[Attribute], shards: KeyShards,
      shared: SharedShuffle, target: ProbeTarget, rows: LogicalPlan): IndexedKeys = {
    val keyColumn = Alias(key, "key")()
    val partitionColumn = partition.map(Alias(_, "partition")())
    val goesTo = if (partition.isDefined) None else rows.output.find(_.name == WriteLayout.PartitionColumn)
    val shard = Alias(KeyShard(key +: partition.toSeq, shards), "shard")()
    val columns: Seq[NamedExpression] = Seq(keyColumn, shard) ++ partitionColumn ++ goesTo
    val places = Seq(MetaFields.RecordKey, MetaFields.PartitionPath, RowPlace.FileId).map(name =>
      found.find(_.name == name).getOrElse(AttributeReference(name, StringType)()))
    IndexedKeys(KeyColumns(keyColumn.toAttribute, shard.toAttribute, partitionColumn.map(_.toAttribute), goesTo),
      places,
      shards, shared, target, Project(columns, rows))
  }

  /** The columns of a probe as the index knows them. A row has no number there, for the writer of a log finds it. */
  def columns(probe: IndexProbe): Seq[NamedExpression] = probe.output.map {
    case a if a.name == RowPlace.Position => Alias(Literal.create(null, LongType), a.name)(a.exprId)
    case a if a.name == RowPlace.Gone => Alias(Literal.FalseLiteral, a.name)(a.exprId)
    case a => a
  }
}
