package io.hudilite.spark.service.cluster.layout

import io.hudilite.service.cluster.Curves

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types._

/** Where a row lies on a curve through a grid, whose cells are intervals of the values of several columns.
  *
  * @param boundaries
  *   one for each child
  * @param bits
  *   of a coordinate
  */
private[spark] final case class CurveKey(children: Seq[Expression], boundaries: Seq[Boundaries], bits: Int,
    isHilbert: Boolean) extends Expression {

  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def prettyName: String = if (isHilbert) "hilbert" else "zorder"
  override def toString: String = children.mkString(s"$prettyName(", ", ", ")")

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): CurveKey =
    copy(children = newChildren)

  /** Number of a cell; the array is overwritten. */
  def number(cell: Array[Int]): Long = if (isHilbert) Curves.hilbert(cell, bits) else Curves.zOrder(cell, bits)

  override def eval(row: InternalRow): Any =
    number(children.zip(boundaries).map { case (child, intervals) => intervals.of(child.eval(row)) }.toArray)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val curve = ctx.addReferenceObj("curve", this)
    val cell = ctx.addMutableState("int[]", "cell", name => s"$name = new int[${children.size}];")
    val coordinates = children.zip(boundaries).zipWithIndex.map { case ((child, intervals), i) =>
      val value = child.genCode(ctx)
      val found = ctx.addReferenceObj("intervals", intervals, intervals.getClass.getName)
      val coordinate = s"$found.${CurveKey.call(child.dataType, value.value.toString)}"
      code"""
        ${value.code}
        $cell[$i] = ${value.isNull} ? 0 : $coordinate;
      """
    }.reduce((before, after) => code"$before$after")
    ev.copy(code = code"$coordinates\nfinal long ${ev.value} = $curve.number($cell);", isNull = FalseLiteral)
  }
}

private[spark] object CurveKey {

  /** Asks for the coordinate of a value, in Java. */
  private def call(dataType: DataType, value: String): String = dataType match {
    case BooleanType => s"ofNumber($value ? 1L : 0L)"
    case FloatType | DoubleType => s"ofNumber((double) $value)"
    case _: DecimalType if Boundaries.isNumber(dataType) => s"ofNumber($value.toUnscaledLong())"
    case _ if Boundaries.isNumber(dataType) => s"ofNumber((long) $value)"
    case _ => s"of($value)"
  }
}
