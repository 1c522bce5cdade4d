package io.hudilite.spark.plan

import io.hudilite.merge.MergeRule
import io.hudilite.spark.plan.merge.WinsOver

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal, UnsafeProjection}
import org.apache.spark.sql.catalyst.expressions.codegen.GeneratePredicate
import org.apache.spark.sql.types.{DataType, DoubleType, IntegerType, LongType, StringType}
import org.apache.spark.unsafe.types.UTF8String

class WinsOverSuite extends FunSuite {

  /** True when the first half of the values wins over the second, by interpreted and by generated code. */
  private def wins(types: Seq[DataType], values: Any*): Boolean = {
    val columns = (types ++ types).zipWithIndex.map { case (t, i) => BoundReference(i, t, nullable = true) }
    val (newer, older) = columns.splitAt(types.size)
    val expression = WinsOver(newer, older, MergeRule(types.indices.map(i => s"f$i")))
    val row = InternalRow.fromSeq(values.map { case s: String => UTF8String.fromString(s); case v => v })
    val interpreted = expression.eval(row)
    assertEquals[Any, Any](UnsafeProjection.create(Seq(expression))(row).getBoolean(0), interpreted)
    interpreted.asInstanceOf[Boolean]
  }

  test("generated code asks the rule of all merges, and says what it says") {
    assert(wins(Seq(LongType), 2L, 1L))
    assert(wins(Seq(LongType), 1L, 1L))
    assert(!wins(Seq(LongType), 1L, 2L))
    assert(!wins(Seq(LongType, StringType), 1L, "a", 1L, "b"))
    assert(wins(Seq(LongType, StringType), 2L, "a", 1L, "b"))
  }

  test("a missing value is less than any other, and as much as another one") {
    assert(!wins(Seq(LongType), null, -1L))
    assert(wins(Seq(LongType), -1L, null))
    assert(wins(Seq(LongType), null, null))
    assert(!wins(Seq(LongType, StringType), 1L, null, 1L, "b"))
  }

  test("a value that is written out wins as one of a column does, in a predicate, too") {
    val older = BoundReference(0, LongType, nullable = true)
    def predicate(newer: Any): Boolean =
      GeneratePredicate.generate(WinsOver(Seq(Literal(newer, LongType)), Seq(older), MergeRule(Seq("f")))).eval(
        InternalRow(-7L))
    assert(predicate(-5L))
    assert(!predicate(-9L))
    assert(!predicate(null))
  }

  test("among ints a missing value is 0") {
    assert(wins(Seq(IntegerType), null, -1))
    assert(!wins(Seq(IntegerType), null, 1))
  }

  test("fractions are ordered as a merge of log records orders them") {
    assert(wins(Seq(DoubleType), Double.NaN, 1.0))
    assert(!wins(Seq(DoubleType), -0.0, 0.0))
  }
}
