package io.hudilite.spark.plan.delta

import io.hudilite.record.{MetaFields, ReservedNames}
import io.hudilite.spark.lookup.{ArrivalColumns, KeyPlaces, MoveResolution, ProbeTarget}
import io.hudilite.spark.plan.layout.WriteLayout
import io.hudilite.spark.plan.merge.{IndexProbe, IndexProbeRule, NewestOfKey, PutBackRows}
import io.hudilite.spark.plan.table.PartitionFilters
import io.hudilite.spark.stage.{RowNumber, SharedRows, SharedRowsAgain}
import io.hudilite.spark.write.RowLevelWrite
import io.hudilite.spark.write.table.WriteTarget

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Literal.{FalseLiteral, TrueLiteral}
import org.apache.spark.sql.catalyst.plans.RightOuter
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Filter, Join, JoinHint, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.types.{BooleanType, DataType}

/** The changes of a statement or upsert, with each that takes a row to another partition made two.
  *
  * @param arriving
  *   look-up of the keys of rows that arrive; `None` where nothing moves or the plan has looked already
  */
private[plan] final case class MovedRows(query: LogicalPlan, arriving: Option[ProbeTarget])

/** Changes that take a row to another partition, before they are dealt to tasks: a delete where the row was, and an
  * insert where it goes, which is dealt like any other new row of that partition. Where its key is there already, the row
  * that has it is updated.
  */
private[plan] object MovedRows {

  private val MovesColumn = ReservedNames.InternalPrefix + "moves"
  private val ArrivesColumn = ReservedNames.InternalPrefix + "arrives"

  /** The row changes as they are where no change can move a row, but for new rows of which newer ones of their keys are
    * written. [[LateMoves]] has left out those that come too late.
    */
  def split(query: LogicalPlan, operation: RowLevelWrite, relation: DataSourceV2Relation): MovedRows = {
    val target = operation.target
    val mayMove = !operation.byKey && target.mayMoveRows
    val changes = NewestOfKey.of(query, operation)
    if (!mayMove || !RowUpdates.of(query).exists(_.updates.exists(moves(_, target)))) MovedRows(changes, None)
    else if (target.generatesKeys || query.exists(isLookedUp)) {
      // A row that arrives gets a key that is nowhere yet.
      val both = inTwo(changes, operation)
      MovedRows(Project(both.changes, both.plan), None)
    } else lookedUp(inTwo(changes, operation), operation, relation)
  }

  /** The keys of rows that may arrive have been looked for in the whole table. */
  private def isLookedUp(plan: LogicalPlan): Boolean = plan match {
    case _: KeyPlaces => true
    case probe: IndexProbe => probe.indexed.exists(_.keys.goesTo.isDefined)
    case _ => false
  }

  /** An update may take rows to other partitions. */
  def moves(update: RowUpdate, target: WriteTarget): Boolean =
    target.keys.partitionFields.exists(f => update.changes(root(f)))

  def root(field: String): String = field.takeWhile(_ != '.')

  private def placeColumns(operation: RowLevelWrite): Set[String] =
    (operation.rowId() ++ operation.requiredMetadataAttributes()).map(_.fieldNames().last).toSet

  /** Changes, and of each whether it is a row that arrives, and its number. */
  private final case class Split(plan: LogicalPlan, changes: Seq[Attribute], arrives: Attribute, number: Attribute)

  private def inTwo(query: LogicalPlan, operation: RowLevelWrite): Split = {
    val (isMoved, numbered) = (Alias(isMove(query, operation.target), MovesColumn)(), RowNumber())
    val told = Project(query.output ++ Seq(isMoved, numbered), query)
    val (moved, number) = (isMoved.toAttribute, numbered.toAttribute)
    val kept = placeColumns(operation)
    // A row that leaves stays behind as a delete, which needs no values.
    val leaving = query.output.map {
      case a if a.name == RowDeltaUtils.OPERATION_COLUMN => If(moved, Literal(RowDeltaUtils.DELETE_OPERATION), a)
      case a if kept(a.name) => a
      case a => If(moved, nothing(a.dataType), a)
    }
    val arriving = query.output.map {
      case a if a.name == RowDeltaUtils.OPERATION_COLUMN => Literal(RowDeltaUtils.INSERT_OPERATION)
      case a if kept(a.name) => nothing(a.dataType)
      case a => a
    }
    val changes = query.output.map { a =>
      val nullable = a.nullable || a.name != RowDeltaUtils.OPERATION_COLUMN // which Spark wants never to be null
      AttributeReference(a.name, a.dataType, nullable, a.metadata)()
    }
    def flag(name: String): Attribute = AttributeReference(name, BooleanType, nullable = false)()
    val (arrives, moves) = (flag(ArrivesColumn), flag(MovesColumn))
    val numbers = AttributeReference(RowNumber.Column, number.dataType, nullable = false)()
    val both = Expand(Seq(leaving ++ Seq(FalseLiteral, number, moved), arriving ++ Seq(TrueLiteral, number, moved)),
      changes ++ Seq(arrives, numbers, moves), told)
    val split = Project(changes ++ Seq(arrives, numbers), Filter(Or(Not(arrives), moves), both))
    Split(split, changes, arrives, numbers)
  }

  private def nothing(dataType: DataType): Expression = Literal.create(null, dataType)

  /** A change of the record key is none of these: the writer refuses it. A row keeps a generated key. */
  private def isMove(query: LogicalPlan, target: WriteTarget): Expression = {
    def missing: Nothing = throw new IllegalStateException(s"no key columns in ${query.output}")
    val columns = WriteLayout.named(query)
    val partition = target.keys.partitionPath(columns, toWrite = true).getOrElse(missing)
    val leaves = Not(EqualNullSafe(partition, WriteLayout.column(query, MetaFields.PartitionPath)))
    val elsewhere =
      if (target.generatesKeys) leaves
      else {
        val key = target.keys.recordKey(columns).getOrElse(missing)
        And(EqualNullSafe(key, WriteLayout.column(query, MetaFields.RecordKey)), leaves)
      }
    If(EqualTo(WriteLayout.column(query, RowDeltaUtils.OPERATION_COLUMN), Literal(RowDeltaUtils.UPDATE_OPERATION)),
      elsewhere, FalseLiteral)
  }

  /** The changes with those of rows that arrive made updates where the table has their keys. The lookup asks for these
    * alone.
    */
  private def lookedUp(split: Split, operation: RowLevelWrite, relation: DataSourceV2Relation): MovedRows = {
    import split.{arrives, changes}
    val (keyOf, partitionOf) = WriteLayout.placesOf(split.plan, operation.target)
    val keyed = Project(split.plan.output ++ Seq(keyOf, partitionOf), split.plan)
    val (key, partition) = (keyOf.toAttribute, partitionOf.toAttribute)
    val shared = SharedRows(Seq(key, partition), keyed, again = true)
    val kept = placeColumns(operation)
    val found = changes.filter(a => kept(a.name)).map(_.newInstance().withNullability(true))
    val probed = IndexProbeRule.probeTarget(
      operation.target.existing.getOrElse(throw new IllegalStateException(s"${operation.target.basePath} is no table")),
      relation, operation, PartitionFilters.Everywhere)
    // Rows that arrive are new where the table lacks their keys: an index that hides gone ones is not asked.
    val shards = operation.target.keyShards(inserts = true)
    val back = if (shards.isDefined) None else PutBackRows.ofMoved(changes, relation, operation)
    val probe = IndexProbeRule.indexed(IndexProbe(key, Some(partition), shared.shared,
        found ++ back.toSeq.flatMap(_.columns), probed, Filter(arrives, SharedRowsAgain.of(shared)),
        asksForSome = true),
      shards)
    def stored(name: String): Attribute = found.find(_.name == name).get
    val same = And(EqualTo(stored(MetaFields.RecordKey), key), EqualTo(stored(MetaFields.PartitionPath), partition))
    val joined = Join(probe, shared, RightOuter, Some(And(same, arrives)), JoinHint.NONE)
    val places = back.fold[Seq[NamedExpression]](found)(_.placed(found))
    val placed = if (back.isEmpty) joined else Project(shared.output ++ places, joined)
    MovedRows(MoveResolution(changes, places.map(_.toAttribute),
        ArrivalColumns(key, partition, arrives, split.number), placed), Some(probed))
  }
}
