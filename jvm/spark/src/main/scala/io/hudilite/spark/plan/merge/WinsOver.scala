package io.hudilite.spark.plan.merge

import io.hudilite.merge.{MergeRule, Version}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types.{BooleanType, DataType}

/** A row wins over the one that it would replace, by the rule that every merge goes by.
  *
  * @param newer
  *   the ordering values of the row that comes, as many as `rule` has fields
  * @param older
  *   those of the row that is there
  */
final case class WinsOver(newer: Seq[Expression], older: Seq[Expression], rule: MergeRule) extends Expression {

  override def children: Seq[Expression] = newer ++ older
  override def dataType: DataType = BooleanType
  override def nullable: Boolean = false

  override def eval(input: InternalRow): Any =
    WinsOver.wins(rule, children.map(_.eval(input).asInstanceOf[AnyRef]).toArray)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val held = ctx.addReferenceObj("rule", rule)
    val values = children.map(_.genCode(ctx))
    val before = values.map(_.code).reduce(_ + _)
    val boxed = values.map(v => s"(${v.isNull} ? (Object) null : (Object) (${v.value}))").mkString(", ")
    val wins = s"${WinsOver.getClass.getName}.MODULE$$.wins"
    ev.copy(code = code"$before boolean ${ev.value} = $wins($held, new Object[]{$boxed});", isNull = FalseLiteral)
  }

  override def prettyName: String = "wins_over"

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): WinsOver =
    copy(newer = newChildren.take(newer.size), older = newChildren.drop(newer.size))
}

object WinsOver {

  /** @param values
    *   the newer row's values, then the older one's
    */
  def wins(rule: MergeRule, values: Array[AnyRef]): Boolean =
    rule.wins(new Values(values, 0), new Values(values, values.length / 2))

  private final class Values(values: Array[AnyRef], first: Int) extends Version {
    override def ordering(field: Int): Any = values(first + field)
  }
}
