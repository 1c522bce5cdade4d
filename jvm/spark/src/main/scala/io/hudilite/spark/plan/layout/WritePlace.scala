package io.hudilite.spark.plan.layout

import io.hudilite.spark.write.attempt.LateGroups

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, RepartitionByExpression}
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** A value that the groups of a write say, which must be made before a task asks for it. */
sealed trait OfGroups extends Expression {
  def groups: LateGroups
}

/** Place of a row (file id or null, partition path, record key); see `WriteGroups`. */
final case class WritePlace(children: Seq[Expression], groups: LateGroups) extends OfGroups {
  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def eval(input: InternalRow): Any = groups.groups.place(
    children(0).eval(input).asInstanceOf[UTF8String],
    children(1).eval(input).asInstanceOf[UTF8String],
    children(2).eval(input).asInstanceOf[UTF8String])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val holder = ctx.addReferenceObj("groups", groups)
    val values = children.map(_.genCode(ctx))
    val before = values.map(_.code).reduce(_ + _)
    val arguments = values.map(v => s"(${v.isNull} ? (UTF8String) null : ${v.value})").mkString(", ")
    ev.copy(code = code"$before long ${ev.value} = $holder.groups().place($arguments);", isNull = FalseLiteral)
  }

  override def prettyName: String = "write_place"
  override protected def stringArgs: Iterator[Any] = children.iterator
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): WritePlace =
    copy(children = newChildren)
}

object WritePlace {
  val NoFile: Expression = Literal.create(null, StringType)
}

/** The value by which Spark's hash partitioning brings a place to its task. */
final case class WriteTask(place: Expression, groups: LateGroups) extends OfGroups {
  override def children: Seq[Expression] = Seq(place)
  override def dataType: DataType = IntegerType
  override def nullable: Boolean = false
  override def eval(input: InternalRow): Any = groups.groups.taskOfPlace(place.eval(input).asInstanceOf[Long])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val holder = ctx.addReferenceObj("groups", groups)
    val of = place.genCode(ctx)
    ev.copy(code = code"${of.code} int ${ev.value} = $holder.groups().taskOfPlace(${of.value});", isNull = FalseLiteral)
  }

  override def prettyName: String = "write_task"
  override protected def stringArgs: Iterator[Any] = children.iterator
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): WriteTask =
    copy(place = newChildren(0))
}

/** Rows that an exchange deals to buckets. */
object RowsToBuckets {

  /** The rows below the exchange, the expression of their places and the number of tasks. */
  def unapply(plan: LogicalPlan): Option[(LogicalPlan, WritePlace, Int)] = plan match {
    case exchange: RepartitionByExpression => for {
        tasks <- exchange.optNumPartitions
        place <- exchange.partitionExpressions match {
          case Seq(task: Attribute) if task.name == WriteLayout.TaskColumn => placeOf(task, exchange.child)
          case _ => None
        }
      } yield (exchange.child, place, tasks)
    case _ => None
  }

  private def placeOf(task: Attribute, rows: LogicalPlan): Option[WritePlace] = rows match {
    case Project(columns, _) => columns.collectFirst {
        case Alias(WriteTask(place: WritePlace, groups), _)
            if columns.exists(_.exprId == task.exprId) &&
              groups.isPrepared && groups.groups.buckets.isDefined && place.children.head == WritePlace.NoFile => place
      }
    case _ => None
  }
}
