package io.hudilite.spark.plan.merge

import io.hudilite.merge.{MergeRule, Outcome, Version}
import io.hudilite.spark.row.{ColumnGaps, KeyValues}
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.stage.RowNumber

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  Descending,
  Expression,
  GenericInternalRow,
  IsNotNull,
  Literal,
  NullsLast,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.{
  ClusteredDistribution,
  Distribution,
  Partitioning,
  UnspecifiedDistribution
}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.hudilite.Rdds
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.types.UTF8String

/** Keeps, of the rows with equal `keys`, the one that is largest by `ordering` (any of them when that is empty).
  *
  * @param place
  *   values that rows with equal keys share, by which these are brought together; empty for the keys themselves
  * @param values
  *   values behind a key, null where its spelling tells them apart; rows with equal keys and other values raise
  *   `KEYS_SPELLED_ALIKE`
  * @param inOrder
  *   number, the last of `ordering`, by which a row wins over all of a lower number and loses to all of a higher one,
  *   whatever else is larger; null for other rows
  * @param merging
  *   the rows of a key become one, merged one after the other in the order of the last of `ordering`
  * @param deletes
  *   rows that delete their keys, where rows are merged
  * @param together
  *   rows with equal keys are in one task as they come
  */
final case class LatestByKey(keys: Seq[Expression], ordering: Seq[Expression], child: LogicalPlan,
    place: Seq[Expression] = Nil, values: Option[KeyValues] = None, inOrder: Option[Expression] = None,
    merging: Option[RowMerge] = None, deletes: Option[Expression] = None, together: Boolean = false)
    extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override def maxRows: Option[Long] = child.maxRows

  /** Numbers of rows decide between equal ones only. */
  override lazy val deterministic: Boolean = expressions.forall(_.deterministic) &&
    (child match {
      case Project(columns, rows) => columns.forall(c => c.deterministic || RowNumber.is(c)) && rows.deterministic
      case rows => rows.deterministic
    })

  override protected def withNewChildInternal(newChild: LogicalPlan): LatestByKey = copy(child = newChild)
}

/** How rows of one key are merged before they are written.
  *
  * @param columns
  *   columns that one row may take from another
  */
final case class RowMerge(rule: MergeRule, columns: Set[String])

/** Asks Spark for rows clustered by `place`, where there is one, and sorted by (key, ordering descending) and passes on the
  * first of each key.
  */
final case class LatestByKeyExec(keys: Seq[Expression], ordering: Seq[Expression], place: Seq[Expression],
    child: SparkPlan, values: Option[KeyValues] = None, inOrder: Option[Expression] = None,
    merging: Option[RowMerge] = None, deletes: Option[Expression] = None)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = keyOrder
  override def requiredChildDistribution: Seq[Distribution] =
    Seq(if (place.isEmpty) UnspecifiedDistribution else LatestByKeyExec.clustered(place))
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(keyOrder ++
      (if (merging.isDefined) Seq(SortOrder(ordering.last, Ascending))
       else (inOrder.toSeq ++ ordering).map(SortOrder(_, Descending, NullsLast, Nil))))

  private def keyOrder: Seq[SortOrder] = keys.map(SortOrder(_, Ascending))

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "duplicates" -> SQLMetrics.createMetric(sparkContext, "number of duplicate input rows"))

  override protected def doExecute(): RDD[InternalRow] = {
    val kept = longMetric("numOutputRows")
    val duplicates = longMetric("duplicates")
    val (keyExpressions, valuesOf, input) = (keys, values, child.output)
    val numbers = inOrder.map(Seq(_, ordering.last))
    val merge = merging.map(KeyedMerge(_, ordering.init, inOrder, deletes, input))
    Rdds.mapPartitions(child.execute()) { rows =>
      val groups = new KeyGroups(keyExpressions, valuesOf, input, kept, duplicates)
      merge.map(new MergedRows(rows, groups.begin, _): Iterator[InternalRow]).getOrElse(
        numbers.fold(rows.filter(groups.begin))(of =>
          new WinnersByNumber(rows, groups, UnsafeProjection.create(of, input))))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): LatestByKeyExec = copy(child = newChild)
}

/** Tells which rows begin another key. */
private final class KeyGroups(keys: Seq[Expression], values: Option[KeyValues], input: Seq[Attribute], kept: SQLMetric,
    duplicates: SQLMetric) {

  // Each has a row of its own, one of which is the key of the row before.
  private var (keyOf, other) = (UnsafeProjection.create(keys, input), UnsafeProjection.create(keys, input))
  private var last: UnsafeRow = _
  private val alike = values.map(new SpelledAlike(_, input)).orNull

  // hot path
  def begin(row: InternalRow): Boolean = {
    val key = keyOf(row)
    val first = last == null || last != key
    if (alike != null) alike.look(row, first)
    if (first) {
      last = key
      val next = other
      other = keyOf
      keyOf = next
      kept += 1
    } else duplicates += 1
    first
  }
}

/** The first row of each key, but where that is one that wins by its number: then the first of those with a higher one, if
  * there is any.
  *
  * @param numbersOf
  *   the number of a row that wins by it, null for others, and the number of any row
  */
private final class WinnersByNumber(rows: Iterator[InternalRow], groups: KeyGroups, numbersOf: UnsafeProjection)
    extends Iterator[InternalRow] {

  // hot path: null stands for none
  private var ready: InternalRow = _
  private var winner: InternalRow = _ // by its number, so far
  private var number = 0L
  private var begun: InternalRow = _ // of the next key, as the winner before has to go first

  override def hasNext: Boolean = {
    while (ready == null && (begun != null || rows.hasNext)) step()
    if (ready == null && winner != null) settle()
    ready != null
  }

  private def step(): Unit =
    if (begun != null) {
      val row = begun
      begun = null
      begin(row)
    } else {
      val row = rows.next()
      if (!groups.begin(row)) follow(row)
      else if (winner == null) begin(row)
      else {
        settle()
        begun = row
      }
    }

  private def settle(): Unit = {
    ready = winner
    winner = null
  }

  private def begin(row: InternalRow): Unit = {
    val numbers = numbersOf(row)
    if (numbers.isNullAt(0)) ready = row
    else {
      winner = row.copy()
      number = numbers.getLong(0)
    }
  }

  private def follow(row: InternalRow): Unit = if (winner != null && numbersOf(row).getLong(1) > number) {
    ready = row
    winner = null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    val result = ready
    ready = null
    result
  }
}

/** The merge of the rows of each key into one.
  *
  * @param unordered
  *   null for rows that do not delete their keys in the order of commits
  */
private final case class KeyedMerge(merge: RowMerge, ordering: Seq[Expression], unordered: Option[Expression],
    deletes: Option[Expression], input: Seq[Attribute]) {

  def orderingTypes: Array[DataType] = ordering.map(_.dataType).toArray

  def columnTypes: Array[DataType] = input.map(_.dataType).toArray

  /** Facts on a row, as `ToldVersion` has them. */
  def told: UnsafeProjection = {
    val no: Expression = Literal.FalseLiteral
    UnsafeProjection.create(Seq(deletes.getOrElse(no), unordered.fold(no)(IsNotNull(_))) ++ ordering, input)
  }

  def gaps: ColumnGaps = new ColumnGaps(columnTypes, merge.rule.partial.get,
    fixed = input.indices.filterNot(i => merge.columns(input(i).name)).toSet)
}

/** The rows of each key merged into one, by the rule that every merge goes by.
  *
  * @param rows
  *   those of a key one behind the other, in their order
  * @param begins
  *   a row is the first of its key
  */
private final class MergedRows(rows: Iterator[InternalRow], begins: InternalRow => Boolean, of: KeyedMerge)
    extends Iterator[InternalRow] {

  private val told = of.told
  private val columns = of.columnTypes
  private val toUnsafe = UnsafeProjection.create(columns)
  private val gaps = of.gaps
  private val (newer, older) = (new ToldVersion(of.orderingTypes), new ToldVersion(of.orderingTypes))
  private var held: InternalRow = _ // hot path: null for none

  override def hasNext: Boolean = held != null || rows.hasNext

  override def next(): InternalRow = {
    if (held == null) {
      val first = rows.next()
      begins(first)
      keep(first)
    }
    var done: InternalRow = null
    while (done == null && rows.hasNext) { // hot path
      val row = rows.next()
      if (begins(row)) {
        done = held
        keep(row)
      } else meet(row)
    }
    if (done == null) {
      done = held
      held = null
    }
    done
  }

  private def keep(row: InternalRow): Unit = {
    held = row.copy()
    older.told = told(row).copy()
  }

  private def meet(row: InternalRow): Unit = {
    newer.told = told(row)
    of.merge.rule.decide(newer, older) match {
      case Outcome.Kept =>
      case Outcome.Replaced | Outcome.Deleted => keep(row)
      case Outcome.Underlaid => complete(row)
      case Outcome.Overlaid =>
        val before = held
        keep(row)
        complete(before)
    }
  }

  private def complete(below: InternalRow): Unit = {
    val top = held
    val filled = gaps.filled(value(top, _), value(below, _))
    if (filled != null) held = toUnsafe(new GenericInternalRow(filled)).copy()
  }

  private def value(row: InternalRow, column: Int): Any =
    if (row.isNullAt(column)) null else row.get(column, columns(column))
}

/** A row as a merge sees it: facts by which it decides. */
private final class ToldVersion(types: Array[DataType]) extends Version {
  var told: InternalRow = _
  override def isDelete: Boolean = told.getBoolean(0)
  override def isUnordered: Boolean = told.getBoolean(1)
  override def ordering(field: Int): Any = if (told.isNullAt(field + 2)) null else told.get(field + 2, types(field))
}

/** Compares the values behind the keys of rows that have one key. */
private final class SpelledAlike(values: KeyValues, input: Seq[Attribute]) {

  private val valuesOf = UnsafeProjection.create(Seq(values), input)
  private var last: UTF8String = _

  // hot path
  def look(row: InternalRow, isFirst: Boolean): Unit = {
    val projected = valuesOf(row)
    val found = if (projected.isNullAt(0)) null else projected.getUTF8String(0)
    if (isFirst) last = if (found == null) null else found.copy()
    else if (found != last) throw KeyValues.alike(values.settings.recordKeyFields, last, found)
  }
}

private[plan] object LatestByKeyExec {
  def clustered(keys: Seq[Expression]): Distribution = PlanNodes.build(classOf[ClusteredDistribution], Seq(keys))
}
