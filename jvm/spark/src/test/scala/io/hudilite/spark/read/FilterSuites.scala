package io.hudilite.spark.read

import io.hudilite.config.{KeyGeneratorType, NewTable, TableConfig}
import io.hudilite.spark.read.ScanFilter._
import munit.FunSuite
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class KeyFilterSuite extends FunSuite {

  private val schema = StructType.fromDDL("id STRING, n INT, day DATE, price DECIMAL(10,2)")

  private def text(value: String): UTF8String = UTF8String.fromString(value)

  private def keys(fields: Seq[String], filters: ScanFilter*): Option[Seq[String]] =
    new KeyFilter(TableConfig.create(NewTable("t", fields)), schema).keys(filters).map(_.sorted)

  test("equality and lists on the one key field name keys") {
    assertEquals(keys(Seq("id"), Comparison(Seq("id"), Equal, text("a"))), Some(Seq("a")))
    assertEquals(keys(Seq("n"), OneOf(Seq("n"), Seq(7, -1))), Some(Seq("-1", "7")))
    assertEquals(keys(Seq("day"), Comparison(Seq("day"), Equal, 1)), Some(Seq("1970-01-02")))
  }

  test("alternatives join and conjunctions meet") {
    val a = Comparison(Seq("id"), Equal, text("a"))
    val b = Comparison(Seq("id"), Equal, text("b"))
    assertEquals(keys(Seq("id"), AnyOf(Seq(a, b))), Some(Seq("a", "b")))
    assertEquals(keys(Seq("id"), AnyOf(Seq(a, Comparison(Seq("n"), Equal, 1)))), None)
    assertEquals(keys(Seq("id"), AllOf(Seq(a, Comparison(Seq("_hoodie_record_key"), Equal, text("b"))))), Some(Seq.empty[String]))
  }

  test("several key fields name keys only together") {
    val id = OneOf(Seq("id"), Seq(text("a"), text("")))
    val n = Comparison(Seq("n"), Equal, 3)
    assertEquals(keys(Seq("id", "n"), id, n), Some(Seq("id:__empty__,n:3", "id:a,n:3")))
    assertEquals(keys(Seq("id", "n"), id), None)
  }

  test("a type whose spelling in keys is not certain names none") {
    assertEquals(keys(Seq("price"), Comparison(Seq("price"), Equal, Decimal("1.00"))), None)
  }

  test("other comparisons name none") {
    assertEquals(keys(Seq("id"), Comparison(Seq("id"), Greater, text("a"))), None)
    assertEquals(keys(Seq("id"), Negation(Comparison(Seq("id"), Equal, text("a")))), None)
  }

  test("keys between bounds are found on both ends") {
    val all = RecordKeys.of(Seq("d", "b", "a", "c", "b"))
    assertEquals(all.between(Some("b"), Some("c")), IndexedSeq("b", "c"))
    assertEquals(all.between(None, Some("a")), IndexedSeq("a"))
    assertEquals(all.between(Some("e"), None), IndexedSeq.empty[String])
    assertEquals(all.between(Some("bb"), Some("bc")), IndexedSeq.empty[String])
  }
}

class PartitionPruningSuite extends FunSuite {

  private val schema = StructType.fromDDL("id STRING, s STRING, n INT, d DATE, t TIMESTAMP")

  private def text(value: String): UTF8String = UTF8String.fromString(value)

  private def pruning(items: Seq[String], hiveStyle: Boolean = false, urlEncode: Boolean = false,
      generator: Option[KeyGeneratorType] = None, timeBased: Map[String, String] = Map.empty): PartitionPruning = new PartitionPruning(TableConfig.create(
    NewTable("t", Seq("id"), items, hiveStyle = hiveStyle, urlEncode = urlEncode, keyGenerator = generator,
      timeBased = timeBased)), schema)

  test("levels are read back in every spelling") {
    val equal = Seq(Comparison(Seq("s"), Equal, text("a/b")))
    assert(pruning(Seq("s"), urlEncode = true).mayHold("a%2Fb", equal))
    assert(!pruning(Seq("s"), urlEncode = true).mayHold("a%2Fc", equal))
    assert(pruning(Seq("s"), hiveStyle = true).mayHold("s=a/b", equal))
    val both = Seq(Comparison(Seq("n"), Less, 3), Comparison(Seq("d"), GreaterOrEqual, 365))
    assert(pruning(Seq("n", "d"), hiveStyle = true).mayHold("n=2/d=1971-01-01", both))
    assert(!pruning(Seq("n", "d"), hiveStyle = true).mayHold("n=3/d=1971-01-01", both))
    assert(!pruning(Seq("n", "d"), hiveStyle = true).mayHold("n=2/d=1970-12-31", both))
  }

  test("a path that does not fit the columns is kept") {
    val equal = Seq(Comparison(Seq("n"), Equal, 1))
    assert(pruning(Seq("n", "s")).mayHold("2", equal))
    assert(pruning(Seq("n")).mayHold("two", equal))
    assert(pruning(Seq("n"), hiveStyle = true).mayHold("2", equal))
  }

  test("the default partition holds null, and for text also the empty text") {
    val ofNumber = pruning(Seq("n"))
    val ofText = pruning(Seq("s"))
    val default = "__HIVE_DEFAULT_PARTITION__"
    assert(ofNumber.mayHold(default, Seq(IsNull(Seq("n")))))
    assert(!ofNumber.mayHold(default, Seq(Negation(IsNull(Seq("n"))))))
    assert(!ofNumber.mayHold(default, Seq(Negation(Comparison(Seq("n"), Equal, 1)))))
    assert(ofText.mayHold(default, Seq(Comparison(Seq("s"), Equal, text("")))))
    assert(ofText.mayHold(default, Seq(IsNull(Seq("s")))))
    assert(!ofText.mayHold(default, Seq(Comparison(Seq("s"), Equal, text("a")))))
    assert(!ofText.mayHold("a", Seq(IsNull(Seq("s")))))
  }

  test("an unknown side of an alternative keeps the partition, of a conjunction not") {
    val no = Comparison(Seq("s"), Equal, text("b"))
    val unknown = Comparison(Seq("id"), Equal, text("k"))
    assert(pruning(Seq("s")).mayHold("a", Seq(AnyOf(Seq(no, unknown)))))
    assert(!pruning(Seq("s")).mayHold("a", Seq(AllOf(Seq(no, unknown)))))
    assert(pruning(Seq("s")).mayHold("a", Seq(Negation(AllOf(Seq(Negation(no), unknown))))))
  }

  test("formatted times never prune") {
    val custom = pruning(Seq("s:SIMPLE", "t:TIMESTAMP"), generator = Some(KeyGeneratorType.Custom), timeBased = Map(
      "hoodie.keygen.timebased.timestamp.type" -> "EPOCHMILLISECONDS",
      "hoodie.keygen.timebased.output.dateformat" -> "yyyy"))
    assertEquals(custom.columnPaths, Set(Seq("s")))
    assert(custom.mayHold("a/2024", Seq(Comparison(Seq("t"), Equal, 0L))))
    assert(!custom.mayHold("a/2024", Seq(Comparison(Seq("s"), Equal, text("b")))))
  }
}

class FileColumnsSuite extends FunSuite {

  private def plan(file: String, wanted: String, caseSensitive: Boolean = false): FileColumns =
    FileColumns.plan(StructType.fromDDL(file), StructType.fromDDL(wanted), caseSensitive)

  test("equal columns are read as they are, in the wanted order") {
    val columns = plan("a INT, b STRING, c ARRAY<INT>", "c ARRAY<INT>, A INT")
    assertEquals(columns.requested.simpleString, "struct<c:array<int>,A:int>")
    assert(columns.conversions.forall(_ == Conversion.AsIs))
  }

  test("narrower types are read as in the file and widened, at every depth") {
    val columns = plan("a INT, s STRUCT<x: FLOAT, y: INT>, l ARRAY<INT>, m MAP<STRING, INT>",
      "a BIGINT, s STRUCT<y: INT, x: DOUBLE>, l ARRAY<BIGINT>, m MAP<STRING, DOUBLE>")
    assertEquals(columns.requested.simpleString,
      "struct<a:int,s:struct<y:int,x:float>,l:array<int>,m:map<string,int>>")
    assertEquals(columns.conversions.count(_ == Conversion.AsIs), 0)
  }

  test("missing columns are requested as nullable") {
    val columns = plan("a INT", "a INT NOT NULL, b STRUCT<x: INT NOT NULL>")
    assert(columns.requested.fields.forall(_.nullable))
    assert(columns.requested("b").dataType.asInstanceOf[StructType].fields.forall(_.nullable))
  }

  test("a type that is not wider is left to Spark's own check") {
    assertEquals(plan("a BIGINT", "a INT").requested.simpleString, "struct<a:int>")
    assert(!FileColumns.isWider(DecimalType(10, 2), DecimalType(10, 3)))
    assert(FileColumns.isWider(DecimalType(10, 2), DecimalType(11, 3)))
    assert(!FileColumns.isWider(LongType, DecimalType(18, 0)))
  }
}
