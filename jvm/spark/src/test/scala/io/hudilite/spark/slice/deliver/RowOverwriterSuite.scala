package io.hudilite.spark.slice.deliver

import io.hudilite.spark.basefile.read.{ColumnView, Conversion}

import munit.FunSuite
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.hudilite.RowColumns
import org.apache.spark.sql.execution.vectorized._
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.types.UTF8String

class RowOverwriterSuite extends FunSuite {

  private val Rows = 40

  private val makers = Seq[(String, (Int, DataType) => WritableColumnVector)](
    "on the heap" -> (new OnHeapColumnVector(_, _)), "off the heap" -> (new OffHeapColumnVector(_, _)))

  /** Types with a value for each small number. */
  private val types = Seq[(DataType, Int => Any)](
    BooleanType -> (_ % 2 == 0),
    ByteType -> (_.toByte),
    ShortType -> (_.toShort),
    IntegerType -> (-_),
    DateType -> (_ * 365),
    YearMonthIntervalType() -> (_ + 1),
    LongType -> (_ * 10000000000L),
    TimestampType -> (_ * 1000003L),
    TimestampNTZType -> (_ * -1000003L),
    DayTimeIntervalType() -> (_.toLong),
    FloatType -> (_ / 3f),
    DoubleType -> (_ / -7d),
    StringType -> (n => UTF8String.fromString("é" * (n % 5) + n)),
    BinaryType -> (n => Array.fill(n % 4)(n.toByte)),
    DecimalType(5, 2) -> (n => Decimal(BigDecimal(n) / 10, 5, 2)),
    DecimalType(15, 3) -> (n => Decimal(BigDecimal(-n) * 1000000, 15, 3)),
    DecimalType(38, 10) -> (n => Decimal(BigDecimal(-n) * BigDecimal("1e20"), 38, 10)))

  /** Dictionary of a file: values by their ids. */
  private final class Values(value: Int => Any) extends Dictionary {
    private def number(id: Int): Long = value(id) match {
      case decimal: Decimal => decimal.toUnscaledLong
      case other => other.asInstanceOf[Number].longValue
    }
    override def decodeToInt(id: Int): Int = number(id).toInt
    override def decodeToLong(id: Int): Long = number(id)
    override def decodeToFloat(id: Int): Float = value(id).asInstanceOf[Float]
    override def decodeToDouble(id: Int): Double = value(id).asInstanceOf[Double]
    override def decodeToBinary(id: Int): Array[Byte] = value(id) match {
      case text: UTF8String => text.getBytes
      case decimal: Decimal => decimal.toJavaBigDecimal.unscaledValue.toByteArray
      case bytes => bytes.asInstanceOf[Array[Byte]]
    }
  }

  /** Fills the vector as a reader does with its next batch. */
  private def fill(vector: WritableColumnVector, value: Int => Any, dictionary: Boolean): Unit = {
    vector.reset()
    if (dictionary) {
      val ids = vector.reserveDictionaryIds(Rows)
      (0 until Rows).foreach(i => if (value(i) == null) vector.putNull(i) else ids.putInt(i, i))
      vector.setDictionary(new Values(value))
    } else {
      vector.setDictionary(null)
      val columns = new RowColumns(StructType(Seq(StructField("v", vector.dataType))))
      (0 until Rows).foreach(i => columns.append(InternalRow(value(i)), Array(vector)))
    }
  }

  private def values(vector: ColumnVector): Seq[Any] = {
    val value = InternalRow.getAccessor(vector.dataType)
    val batch = new ColumnarBatch(Array(vector), Rows)
    (0 until Rows).map(i => shown(value(batch.getRow(i), 0)))
  }

  private def shown(value: Any): Any = value match {
    case bytes: Array[Byte] => bytes.toSeq
    case text: UTF8String => text.toString
    case other => other
  }

  private def of(vector: ColumnVector): Option[RowOverwriter] = RowOverwriter.of(Seq(vector -> 0))

  for ((place, make) <- makers)
    test(s"values of every type are replaced $place, batch after batch, with and without a dictionary") {
      for ((dataType, value) <- types) {
        val vector = make(Rows, dataType)
        val overwriter = of(vector).getOrElse(fail(s"no $dataType can be written"))
        for ((dictionary, batch) <- Seq(true, true, false, true, false).zipWithIndex) {
          def old(i: Int): Any = if (i % 3 == 0) null else value(i + batch)
          // Of 40 rows 20 get another value or null: a dictionary grows by more than it first has room for.
          def present(i: Int): Any = if (i % 2 == 0) old(i) else if (i % 5 == 0) null else value(i + 50 + batch)
          fill(vector, old, dictionary && dataType != BooleanType)
          for (i <- 0 until Rows if i % 2 == 1) {
            val row = InternalRow(present(i))
            assert(overwriter.canHold(row))
            overwriter.overwrite(i, row)
          }
          assertEquals(values(vector), (0 until Rows).map(i => shown(present(i))), s"$dataType in batch $batch")
        }
        vector.close()
      }
    }

  for ((place, make) <- makers; dictionary <- Seq(true, false))
    test(s"a row is replaced again and again $place, dictionary=$dictionary") {
      val vector = make(Rows, StringType)
      fill(vector, i => UTF8String.fromString(s"old $i"), dictionary)
      val overwriter = of(vector).get
      for (text <- Seq("new", null, null, "newer", "", "newest"))
        overwriter.overwrite(7, InternalRow(UTF8String.fromString(text)))
      assertEquals(values(vector), (0 until Rows).map(i => if (i == 7) "newest" else s"old $i"))
      vector.close()
    }

  /** Spark's readers do this with a column that a file lacks, under a name that Spark 4.3 changed. */
  private def markMissing(vector: WritableColumnVector): Unit =
    vector.getClass.getMethods.find(m => Set("setAllNull", "setMissing")(m.getName)).get.invoke(vector)

  test("a column that the file lacks holds nothing but nulls") {
    for ((_, make) <- makers) {
      val vector = make(Rows, LongType)
      markMissing(vector)
      val overwriter = of(vector).get
      assert(!overwriter.canHold(InternalRow(1L)))
      assert(overwriter.canHold(InternalRow(null)))
      overwriter.overwrite(3, InternalRow(null))
      assertEquals(values(vector), Seq.fill(Rows)(null: Any))
      vector.close()
    }
  }

  test("a text that all rows share holds only itself") {
    def row(text: String): InternalRow = InternalRow(UTF8String.fromString(text))
    val shared = new ConstantColumnVector(Rows, StringType)
    shared.setUtf8String(UTF8String.fromString("eu"))
    assertEquals(Seq("eu", "us", "e", null).map(text => of(shared).get.canHold(row(text))),
      Seq(true, false, false, false))
    of(shared).get.overwrite(3, row("eu"))
    assertEquals(values(shared), Seq.fill(Rows)("eu": Any))
    val none = new ConstantColumnVector(Rows, StringType)
    none.setNull()
    assertEquals(Seq("eu", null).map(text => of(none).get.canHold(row(text))), Seq(false, true))
  }

  test("a row is held when each column holds its value, whatever the order of the columns") {
    val number = new OnHeapColumnVector(Rows, LongType)
    val text = new OnHeapColumnVector(Rows, StringType)
    fill(number, _.toLong, dictionary = false)
    fill(text, i => UTF8String.fromString(s"old $i"), dictionary = true)
    val shared = new ConstantColumnVector(Rows, StringType)
    shared.setUtf8String(UTF8String.fromString("eu"))
    val overwriter = RowOverwriter.of(Seq(shared -> 2, number -> 1, text -> 0)).get
    def row(region: String): InternalRow = InternalRow(UTF8String.fromString("new"), -1L,
      UTF8String.fromString(region))
    assert(!overwriter.canHold(row("us")))
    assert(overwriter.canHold(row("eu")))
    overwriter.overwrite(2, row("eu"))
    assertEquals(values(number).take(4), Seq[Any](0L, 1L, -1L, 3L))
    assertEquals(values(text).take(4), Seq[Any]("old 0", "old 1", "new", "old 3"))
  }

  test("nested columns, widened columns and other constants cannot be written, nor a batch with one of them") {
    val plain = new OnHeapColumnVector(Rows, IntegerType)
    val others = Seq[ColumnVector](new OnHeapColumnVector(Rows, ArrayType(IntegerType)),
      new OnHeapColumnVector(Rows, StructType.fromDDL("x INT")),
      new OnHeapColumnVector(Rows, MapType(StringType, IntegerType)),
      ColumnView.of(plain, Conversion.Widen(IntegerType, LongType)), new ConstantColumnVector(Rows, IntegerType))
    others.foreach(other => assertEquals(RowOverwriter.of(Seq(plain -> 0, other -> 1)), None))
    assert(RowOverwriter.of(Nil).exists(_.canHold(InternalRow.empty)), "a batch without columns holds every row")
  }
}
