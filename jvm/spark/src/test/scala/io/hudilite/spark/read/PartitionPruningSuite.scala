package io.hudilite.spark.read

import io.hudilite.config.{KeyGeneratorType, NewTable, TableConfig}
import io.hudilite.spark.basefile.read.ScanFilter._
import munit.FunSuite
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class PartitionPruningSuite extends FunSuite {

  private val schema = StructType.fromDDL("id STRING, s STRING, n INT, d DATE, t TIMESTAMP")

  private def text(value: String): UTF8String = UTF8String.fromString(value)

  private def pruning(items: Seq[String], hiveStyle: Boolean = false, urlEncode: Boolean = false,
      generator: Option[KeyGeneratorType] = None, timeBased: Map[String, String] = Map.empty): PartitionPruning =
    new PartitionPruning(TableConfig.create(
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
    assert(ofText.mayHold("default", Seq(IsNull(Seq("s")))), "the name before Hudi 0.12")
  }

  test("an unknown side of an alternative keeps the partition, of a conjunction not") {
    val no = Comparison(Seq("s"), Equal, text("b"))
    val unknown = Comparison(Seq("id"), Equal, text("k"))
    assert(pruning(Seq("s")).mayHold("a", Seq(AnyOf(Seq(no, unknown)))))
    assert(!pruning(Seq("s")).mayHold("a", Seq(AllOf(Seq(no, unknown)))))
    assert(pruning(Seq("s")).mayHold("a", Seq(Negation(AllOf(Seq(Negation(no), unknown))))))
  }

  test("formatted times never prune") {
    val custom = pruning(Seq("s:SIMPLE", "t:TIMESTAMP"), generator = Some(KeyGeneratorType.Custom),
      timeBased = Map(
        "hoodie.keygen.timebased.timestamp.type" -> "EPOCHMILLISECONDS",
        "hoodie.keygen.timebased.output.dateformat" -> "yyyy"))
    assertEquals(custom.columnPaths, Set(Seq("s")))
    assert(custom.mayHold("a/2024", Seq(Comparison(Seq("t"), Equal, 0L))))
    assert(!custom.mayHold("a/2024", Seq(Comparison(Seq("s"), Equal, text("b")))))
  }

  test("paths of a custom key generator without types, or of an unknown one, never prune") {
    Seq("org.apache.hudi.keygen.CustomKeyGenerator", "com.acme.Keys").foreach { generator =>
      val config = TableConfig(Map("hoodie.table.name" -> "t", "hoodie.table.version" -> "6",
          "hoodie.table.recordkey.fields" -> "id", "hoodie.table.partition.fields" -> "s",
          "hoodie.table.keygenerator.class" -> generator))
      assert(new PartitionPruning(config, schema).mayHold("2024", Seq(Comparison(Seq("s"), Equal, text("b")))))
      val ofId = new KeyFilter(config, schema).keys(Seq(Comparison(Seq("id"), Equal, text("a"))))
      assertEquals(ofId.isDefined, !generator.startsWith("com.acme"))
    }
  }
}
