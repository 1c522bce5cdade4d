package io.hudilite.spark.lookup

import io.hudilite.spark.shim.PlanNodes

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution, Partitioning}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.hudilite.Rdds
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, StringType}

import scala.collection.mutable

/** Rows that a lookup has found, and of those whose key was found more than once in which partitions it is.
  *
  * @param key
  *   record key of a row
  * @param partition
  *   partition path of a row
  * @param places
  *   partitions that have the key; null for a row whose key was found once
  * @param later
  *   another row of the key comes before it
  */
final case class KeyPlaces(key: Attribute, partition: Attribute, places: Attribute, later: Attribute,
    child: LogicalPlan)
    extends UnaryNode {

  override def output: Seq[Attribute] = child.output ++ Seq(places, later)
  override def producedAttributes: AttributeSet = AttributeSet(Seq(places, later))
  override lazy val references: AttributeSet = AttributeSet(Seq(key, partition))

  /** The condition that stands for an [[OnlyLeaves]] above. */
  def leaves(destination: Expression): Expression =
    And(And(IsNotNull(places), Not(EqualTo(partition, destination))), Or(later, ArrayContains(places, destination)))

  override protected def withNewChildInternal(newChild: LogicalPlan): KeyPlaces = copy(child = newChild)
}

object KeyPlaces {

  def apply(key: Attribute, partition: Attribute, child: LogicalPlan): KeyPlaces = KeyPlaces(key, partition,
    AttributeReference("places", ArrayType(StringType, containsNull = false))(),
    AttributeReference("later", BooleanType, nullable = false)(), child)
}

/** A row of the table that moves to another partition leaves only, because its key is there already or another
  * row of its key goes there, too. A [[KeyPlaces]] below answers it.
  *
  * @param child
  *   the partition path that it would go to
  */
final case class OnlyLeaves(child: Expression) extends UnaryExpression {
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false
  override def foldable: Boolean = false

  // Spark's own trait for this has changed its parents between versions of Spark 4.
  override def eval(input: InternalRow): Any = throw new IllegalStateException(s"$this is answered by a plan")
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode =
    throw new IllegalStateException(s"$this is answered by a plan")
  override protected def withNewChildInternal(newChild: Expression): OnlyLeaves = copy(child = newChild)
}

/** Asks Spark for the rows of a key together, in the order of their partitions. */
final case class KeyPlacesExec(key: Attribute, partition: Attribute, added: Seq[Attribute], child: SparkPlan)
    extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output ++ added
  override def producedAttributes: AttributeSet = AttributeSet(added)
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def requiredChildDistribution: Seq[Distribution] =
    Seq(PlanNodes.build(classOf[ClusteredDistribution], Seq(Seq(key))))
  override def requiredChildOrdering: Seq[Seq[SortOrder]] = Seq(Seq(key, partition).map(SortOrder(_, Ascending)))

  override protected def doExecute(): RDD[InternalRow] = {
    val (input, columns, ordinals) =
      (child.output, output, Seq(key, partition).map(a => child.output.indexWhere(_.exprId == a.exprId)))
    Rdds.mapPartitions(child.execute()) { rows =>
      new KeyLocations(rows, ordinals.head, ordinals.last,
        UnsafeProjection.create(columns, input ++ columns.drop(input.size)))
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): KeyPlacesExec = copy(child = newChild)
}

/** Rows in the order of their keys and partitions, with those two columns behind. */
private final class KeyLocations(rows: Iterator[InternalRow], key: Int, partition: Int, project: UnsafeProjection)
    extends Iterator[InternalRow] {

  private val added = new GenericInternalRow(2)
  private val joined = new JoinedRow
  private val group = mutable.Queue.empty[InternalRow]
  private var places: GenericArrayData = _ // hot path: null for a key that is found once
  private var later = false
  private var ahead: InternalRow = _
  advance()

  private def advance(): Unit = ahead = if (rows.hasNext) rows.next().copy() else null

  override def hasNext: Boolean = group.nonEmpty || ahead != null

  override def next(): InternalRow = {
    if (group.isEmpty) begin() else later = true
    added.update(0, places)
    added.update(1, later)
    project(joined(group.dequeue(), added))
  }

  private def begin(): Unit = {
    if (ahead == null) throw new NoSuchElementException("no more rows")
    val of = ahead.getUTF8String(key)
    while (ahead != null && ahead.getUTF8String(key) == of) {
      group += ahead
      advance()
    }
    later = false
    places =
      if (group.size == 1) null else new GenericArrayData(group.map(_.getUTF8String(partition)).distinct.toArray[Any])
  }
}
