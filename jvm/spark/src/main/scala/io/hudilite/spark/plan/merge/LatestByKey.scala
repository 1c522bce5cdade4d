package io.hudilite.spark.plan.merge

import io.hudilite.spark.row.KeyValues
import io.hudilite.spark.shim.PlanNodes
import io.hudilite.spark.stage.RowNumber

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  Descending,
  Expression,
  NullsLast,
  SortOrder,
  UnsafeProjection,
  UnsafeRow
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution, Partitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.hudilite.Rdds
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
  */
final case class LatestByKey(keys: Seq[Expression], ordering: Seq[Expression], child: LogicalPlan,
    place: Seq[Expression] = Nil, values: Option[KeyValues] = None, inOrder: Option[Expression] = None)
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

/** Asks Spark for rows clustered by `place` and sorted by (key, ordering descending) and passes on the first of each key. */
final case class LatestByKeyExec(keys: Seq[Expression], ordering: Seq[Expression], place: Seq[Expression],
    child: SparkPlan, values: Option[KeyValues] = None, inOrder: Option[Expression] = None)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = keyOrder
  override def requiredChildDistribution: Seq[Distribution] =
    Seq(LatestByKeyExec.clustered(place))
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(keyOrder ++ (inOrder.toSeq ++ ordering).map(SortOrder(_, Descending, NullsLast, Nil)))

  private def keyOrder: Seq[SortOrder] = keys.map(SortOrder(_, Ascending))

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(sparkContext, "number of output rows"),
    "duplicates" -> SQLMetrics.createMetric(sparkContext, "number of duplicate input rows"))

  override protected def doExecute(): RDD[InternalRow] = {
    val kept = longMetric("numOutputRows")
    val duplicates = longMetric("duplicates")
    val (keyExpressions, valuesOf, input) = (keys, values, child.output)
    val numbers = inOrder.map(Seq(_, ordering.last))
    Rdds.mapPartitions(child.execute()) { rows =>
      val groups = new KeyGroups(keyExpressions, valuesOf, input, kept, duplicates)
      numbers.fold(rows.filter(groups.begin))(of =>
        new WinnersByNumber(rows, groups, UnsafeProjection.create(of, input)))
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
