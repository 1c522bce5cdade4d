package io.hudilite.spark.lookup

import io.hudilite.error.InvalidInput
import io.hudilite.record.RowPlace
import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution}
import org.apache.spark.sql.catalyst.util.RowDeltaUtils
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.hudilite.{LastAttempts, Rdds}
import org.apache.spark.unsafe.types.UTF8String

import scala.collection.mutable

/** The changes of a statement that moves rows, when it has been looked up whether their keys are where they go: a row
  * that arrives replaces each row of its key that is there and that the statement does not take away, and is new where
  * there is none. A key to which the statement brings two rows fails it.
  *
  * @param changes
  *   row changes as Spark's row-level rewrite makes them
  * @param found
  *   the columns of `changes` that say where a row is, as the lookup has found them; null where it has found nothing
  */
final case class MoveResolution(changes: Seq[Attribute], found: Seq[Attribute], columns: ArrivalColumns,
    child: LogicalPlan)
    extends UnaryNode {
  override def output: Seq[Attribute] = changes
  override lazy val references: AttributeSet = child.outputSet
  override protected def withNewChildInternal(newChild: LogicalPlan): MoveResolution = copy(child = newChild)
}

/** Columns that say of a change where it is made.
  *
  * @param key
  *   its record key
  * @param partition
  *   where it is made
  * @param arrives
  *   true for a row that comes from another partition
  * @param number
  *   tells rows that arrive apart
  */
final case class ArrivalColumns(key: Attribute, partition: Attribute, arrives: Attribute, number: Attribute)

/** Asks Spark for the changes of a key together, those of rows that arrive last. */
final case class MoveResolutionExec(changes: Seq[Attribute], found: Seq[Attribute], columns: ArrivalColumns,
    child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = changes
  override def requiredChildDistribution: Seq[Distribution] =
    Seq(PlanNodes.build(classOf[ClusteredDistribution], Seq(Seq(columns.key, columns.partition))))
  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(Seq(columns.key, columns.partition, columns.arrives, columns.number).map(SortOrder(_, Ascending)))

  /** The change as one of the row that was found. */
  private def ofFound: Seq[Expression] = {
    val places = found.map(a => a.name -> a).toMap
    changes.map {
      case a if a.name == RowDeltaUtils.OPERATION_COLUMN => Literal(RowDeltaUtils.UPDATE_OPERATION)
      case a => places.getOrElse(a.name, a)
    }
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val (input, asTheyAre, atFound) = (child.output, changes, ofFound)
    def ordinal(a: Attribute): Int = input.indexWhere(_.exprId == a.exprId)
    def named(in: Seq[Attribute], name: String): Int = ordinal(in.find(_.name == name).get)
    val at = ArrivalOrdinals(ordinal(columns.key), ordinal(columns.partition), ordinal(columns.arrives),
      ordinal(columns.number), named(changes, RowDeltaUtils.OPERATION_COLUMN),
      named(changes, RowPlace.FileId), named(changes, RowPlace.Position),
      named(found, RowPlace.FileId), named(found, RowPlace.Position))
    Rdds.mapPartitions(child.execute())(rows =>
      new Arrivals(rows, at, UnsafeProjection.create(asTheyAre, input), UnsafeProjection.create(atFound, input)))
  }

  override protected def withNewChildInternal(newChild: SparkPlan): MoveResolutionExec = copy(child = newChild)
}

private final case class ArrivalOrdinals(key: Int, partition: Int, arrives: Int, number: Int, operation: Int,
    file: Int, position: Int, foundFile: Int, foundPosition: Int)

/** Hands changes on that come by key and partition, those of rows that arrive last and once for each row that was found
  * at the new place.
  */
private final class Arrivals(rows: Iterator[InternalRow], at: ArrivalOrdinals, asItIs: UnsafeProjection,
    atFound: UnsafeProjection) extends Iterator[InternalRow] {

  // hot path: all of these are of one key in one partition
  private var key: UTF8String = _
  private var partition: UTF8String = _
  private val taken = mutable.ArrayBuffer.empty[(UTF8String, Option[Long])] // rows that the statement takes away
  private var written = false
  private var arrival: Option[Long] = None
  private var held: InternalRow = _ // a row that arrives and has found no other one so far
  private var replaced = false

  private var current: InternalRow = _ // the last of `rows`, until it was looked at
  private var ready: InternalRow = _

  override def hasNext: Boolean = {
    while (ready == null && step()) {}
    ready != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no more rows")
    val row = ready
    ready = null
    row
  }

  private def step(): Boolean = {
    if (current == null && rows.hasNext) current = rows.next()
    if (current == null || !isOfGroup(current)) finish()
    if (ready == null && current != null) {
      if (key == null) begin(current)
      if (current.getBoolean(at.arrives)) arrive(current) else pass(current)
      current = null
      true
    } else ready != null
  }

  private def isOfGroup(row: InternalRow): Boolean =
    key != null && row.getUTF8String(at.key) == key && row.getUTF8String(at.partition) == partition

  private def finish(): Unit = {
    if (held != null && !replaced) ready = asItIs(held)
    held = null
    key = null
  }

  private def begin(row: InternalRow): Unit = {
    key = row.getUTF8String(at.key).copy()
    partition = row.getUTF8String(at.partition).copy()
    taken.clear()
    written = false
    arrival = None
    replaced = false
  }

  private def pass(row: InternalRow): Unit = {
    if (row.getInt(at.operation) != RowDeltaUtils.DELETE_OPERATION) written = true
    else taken += place(row, at.file, at.position)
    ready = asItIs(row)
  }

  private def arrive(row: InternalRow): Unit = {
    val number = row.getLong(at.number)
    if (written || arrival.exists(_ != number)) throw Arrivals.twice(key, partition)
    arrival = Some(number)
    if (row.isNullAt(at.foundFile) || isTaken(place(row, at.foundFile, at.foundPosition))) {
      if (held == null) held = row.copy()
    } else {
      replaced = true
      ready = atFound(row)
    }
  }

  /** A scan knows no positions in a slice with log files, in which a key that changes is but once. */
  private def isTaken(found: (UTF8String, Option[Long])): Boolean = taken.exists { case (file, position) =>
    file == found._1 && (position.isEmpty || found._2.isEmpty || position == found._2)
  }

  private def place(row: InternalRow, file: Int, position: Int): (UTF8String, Option[Long]) =
    (row.getUTF8String(file).copy(), if (row.isNullAt(position)) None else Some(row.getLong(position)))
}

private object Arrivals {
  def twice(key: UTF8String, partition: UTF8String): Throwable = LastAttempts.failure(
    InvalidInput("KEY_MOVED_TWICE", "key" -> key.toString, "partition" -> partition.toString))
}
