package io.hudilite.spark.scan.plan

import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.basefile.read.ScanFilter._

import munit.FunSuite
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import scala.util.Random

/** Parts of long lists that tasks are sent. */
class LateFilterSuite extends FunSuite {

  private val seed = 20261127L
  private val random = new Random(seed)

  private val types = Seq[(DataType, () => Any)](
    IntegerType -> (() => random.nextInt()), LongType -> (() => random.nextLong()),
    DoubleType ->
      (() => if (random.nextInt(9) == 0) -0.0 else if (random.nextInt(9) == 0) Double.NaN else random.nextGaussian()),
    StringType -> (() => UTF8String.fromString(random.nextString(random.nextInt(4)))),
    DecimalType(12, 2) -> (() => Decimal(random.nextInt().toLong, 12, 2)), DateType -> (() => random.nextInt(9999)))

  private def passes(filter: ScanFilter, value: Any, order: Ordering[Any]): Boolean = filter match {
    case AnyOf(parts) => parts.exists(passes(_, value, order))
    case AllOf(parts) => parts.forall(passes(_, value, order))
    case Comparison(_, GreaterOrEqual, bound) => order.gteq(value, bound)
    case Comparison(_, LessOrEqual, bound) => order.lteq(value, bound)
    case other => fail(other.toString)
  }

  test("ranges in the place of a long list let all of its values pass, and few others") {
    for ((dataType, next) <- types; size <- Seq(21, 100, 5000)) {
      val order = TypeUtils.getInterpretedOrdering(dataType)
      val values = Seq.fill(size)(next())
      val schema = new StructType().add("c", dataType)
      val ranges = LateFilter.shortened(OneOf(Seq("c"), values), schema).get
      values.foreach(v => assert(passes(ranges, v, order), s"seed $seed: $v of $dataType"))
      assert(ranges.asInstanceOf[AnyOf].parts.size <= 10)
    }
    val some =
      LateFilter.shortened(OneOf(Seq("c"), (0 until 30) ++ (1000 until 1030)), new StructType().add("c", IntegerType))
    assert(!passes(some.get, 500, TypeUtils.getInterpretedOrdering(IntegerType)))
  }

  test("short lists stay, and long ones of values without order go") {
    val schema = new StructType().add("c", BinaryType)
    assertEquals(LateFilter.shortened(OneOf(Seq("c"), Seq(1, 2)), schema), Some(OneOf(Seq("c"), Seq(1, 2))))
    assertEquals(LateFilter.shortened(OneOf(Seq("c"), Seq.fill(30)(Array[Byte](1))), schema), None)
  }
}
