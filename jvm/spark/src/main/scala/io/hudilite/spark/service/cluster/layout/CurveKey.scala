package io.hudilite.spark.service.cluster.layout

import io.hudilite.service.cluster.Curves

import java.util.{Arrays, Comparator}

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

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

/** Cuts the values of a column into intervals of about as many rows each, by a sample; those of an interval have one
  * coordinate. Null has the coordinate 0.
  *
  * @param coordinates
  *   of the intervals, ascending; each interval begins with the value of the same number
  */
private[spark] sealed abstract class Boundaries(coordinates: Array[Int]) extends Serializable {

  /** Coordinate of a value in Spark's inner form. */
  def of(value: Any): Int

  /** Coordinate of a value by what a binary search finds of it among the starts; what is less than all lies in the first
    * interval.
    */
  protected final def at(found: Int): Int =
    if (coordinates.length == 0) 0 else coordinates(if (found >= 0) found else Math.max(0, -found - 2))
}

/** Of types whose values are numbers of at most 64 bits, or have such a number in the same order. */
private[spark] final class NumberBoundaries(starts: Array[Long], coordinates: Array[Int])
    extends Boundaries(coordinates) {

  override def of(value: Any): Int = if (value == null) 0 else ofNumber(NumberBoundaries.number(value))

  /** As [[of]], without boxes. */
  def ofNumber(value: Long): Int = at(Arrays.binarySearch(starts, value))

  def ofNumber(value: Double): Int = ofNumber(NumberBoundaries.ordered(value))
}

private[spark] object NumberBoundaries {

  def number(value: Any): Long = value match {
    case flag: Boolean => if (flag) 1L else 0L
    case float: Float => ordered(float.toDouble)
    case double: Double => ordered(double)
    case decimal: Decimal => decimal.toUnscaledLong
    case other => other.asInstanceOf[Number].longValue
  }

  /** In Spark's order: zeros are equal whatever their sign, and NaN is the greatest. */
  def ordered(value: Double): Long = {
    val bits = java.lang.Double.doubleToLongBits(if (value == 0) 0.0 else value)
    bits ^ ((bits >> 63) & Long.MaxValue)
  }
}

/** Of texts, bytes and long decimals. */
private[spark] final class ValueBoundaries(starts: Array[AnyRef], coordinates: Array[Int])
    extends Boundaries(coordinates) {
  override def of(value: Any): Int =
    if (value == null) 0 else at(Arrays.binarySearch(starts, value.asInstanceOf[AnyRef], ValueBoundaries))
}

private[spark] object ValueBoundaries extends Comparator[AnyRef] {
  override def compare(a: AnyRef, b: AnyRef): Int = a match {
    case bytes: Array[Byte] => Arrays.compareUnsigned(bytes, b.asInstanceOf[Array[Byte]])
    case decimal: Decimal => decimal.compare(b.asInstanceOf[Decimal])
    case text => text.asInstanceOf[UTF8String].compareTo(b.asInstanceOf[UTF8String])
  }
}

private[spark] object Boundaries {

  /** True for a type whose columns can be cut. */
  def isKnown(dataType: DataType): Boolean = isNumber(dataType) ||
    (dataType match {
      case _: StringType | BinaryType | _: DecimalType => true
      case _ => false
    })

  def isNumber(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType | DateType |
        TimestampType | TimestampNTZType => true
    case decimal: DecimalType => decimal.precision <= Decimal.MAX_LONG_DIGITS
    case _ => false
  }

  /** Intervals for a sample.
    *
    * The coordinate of an interval is the share of the sample before it, nulls included. So half of the coordinates stand for
    * the lesser half of the rows, whatever the values are; one that many rows have takes up as much as these.
    *
    * @param sample
    *   values of the column in Spark's inner form, with nulls
    * @param bits
    *   of a coordinate
    */
  def of(sample: Seq[Any], dataType: DataType, bits: Int): Boundaries = {
    val values = sample.filter(_ != null)
    if (isNumber(dataType)) {
      val (starts, coordinates) = cut(values.map(NumberBoundaries.number).sorted, sample.size, bits)
      new NumberBoundaries(starts.toArray, coordinates.toArray)
    } else {
      val inOrder = values.map(_.asInstanceOf[AnyRef]).sortWith(ValueBoundaries.compare(_, _) < 0)
      val (starts, coordinates) = cut(inOrder, sample.size, bits)
      new ValueBoundaries(starts.toArray, coordinates.toArray)
    }
  }

  private def cut[T](sorted: Seq[T], total: Int, bits: Int): (Seq[T], Seq[Int]) = {
    val nulls = total - sorted.size
    val starts = sorted.indices.filter(i => i == 0 || sorted(i) != sorted(i - 1))
      .map(i => (sorted(i), (((nulls + i).toLong << bits) / total).toInt))
    val distinct = starts.indices.filter(i => i == 0 || starts(i)._2 != starts(i - 1)._2).map(starts)
    (distinct.map(_._1), distinct.map(_._2))
  }
}
