package io.hudilite.spark.read

import io.hudilite.config.{KeyGeneratorType, TableConfig, TableDefinition}
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.basefile.read.ScanFilter._
import io.hudilite.spark.scan.plan.{KeyFilter, PartitionPruning}
import munit.FunSuite
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class PartitionPruningSuite extends FunSuite {

  private val schema = StructType.fromDDL("id STRING, s STRING, n INT, d DATE, t TIMESTAMP")

  private def text(value: String): UTF8String = UTF8String.fromString(value)

  private def pruning(items: Seq[String], hiveStyle: Boolean = false, urlEncode: Boolean = false,
      generator: Option[KeyGeneratorType] = None, timeBased: Map[String, String] = Map.empty): PartitionPruning =
    new PartitionPruning(TableConfig.create(
        TableDefinition("t", Seq("id"), items, hiveStyle = hiveStyle, urlEncode = urlEncode, keyGenerator = generator,
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
    assert(ofText.mayHold("default", Seq(Comparison(Seq("s"), Equal, text("default")))))
  }

  private def equal(column: String, value: Any): ScanFilter = Comparison(Seq(column), Equal, value)

  test("a folder leads to what its name can be the beginning of") {
    val one = pruning(Seq("s"))
    def leads(folder: String, filter: ScanFilter): Boolean = one.selection(Seq(filter)).mayLead(folder)
    assert(leads("2024", equal("s", text("2024"))))
    assert(leads("2024", equal("s", text("2024/01"))))
    assert(leads("2024/01", equal("s", text("2024/01/02"))))
    assert(!leads("2024", equal("s", text("2025"))))
    assert(!leads("2024", equal("s", text("20241"))))
    assert(!leads("2024", OneOf(Seq("s"), Seq(text("2023"), text("2025/01")))))
    assert(leads("2024", Comparison(Seq("s"), Greater, text("2024"))))
    assert(leads("2024", Comparison(Seq("s"), Less, text("2024/01"))))
    assert(!leads("2024", Comparison(Seq("s"), Less, text("2024"))))
    assert(!leads("2024", Comparison(Seq("s"), GreaterOrEqual, text("2025"))))
    assert(!leads("2024", Negation(Comparison(Seq("s"), Less, text("2025")))))
    assert(leads("2024", Negation(Comparison(Seq("s"), Less, text("2024/02")))))
    assert(leads("2024", StartsWith(Seq("s"), text("2024/1"))))
    assert(leads("2024", StartsWith(Seq("s"), text("20"))))
    assert(!leads("2024", StartsWith(Seq("s"), text("2025"))))
    assert(!leads("2024", IsNull(Seq("s"))))
    assert(leads("__HIVE_DEFAULT_PARTITION__", IsNull(Seq("s"))))
    assert(leads("2024", equal("id", text("k"))))
  }

  test("a name that is one level alone tells the value, and what comes behind it") {
    val days = pruning(Seq("d", "n"), hiveStyle = true).selection(
      Seq(Comparison(Seq("d"), GreaterOrEqual, 365), Comparison(Seq("n"), Less, 3)))
    assert(days.mayLead("d=1971-01-01") && days.mayLead("d=1971-01-01/n=2"))
    assert(!days.mayLead("d=1970-12-31") && !days.mayLead("d=1971-01-01/n=3"))
    assert(days.mayLead("d=tomorrow") && days.mayLead("1970-12-31"), "what cannot be read is looked at")
    val texts = pruning(Seq("s", "n"), urlEncode = true).selection(Seq(equal("s", text("a/b")), equal("n", 1)))
    assert(texts.mayLead("a%2Fb") && !texts.mayLead("a%2Fb/2"))
    val plain = pruning(Seq("s", "n")).selection(Seq(Comparison(Seq("s"), Less, text("b")), equal("n", 1)))
    assert(plain.mayLead("a") && plain.mayLead("a/2"), "a text may have slashes in it")
    assert(!plain.mayLead("b"))
  }

  test("what a folder cannot lead to, no partition below it holds") {
    val words = Seq("a", "b", "a/b", "a/a", "b/a", "ab", "a0", "__HIVE_DEFAULT_PARTITION__")
    val filters = for {
      word <- words
      operator <- Seq(Equal, Less, LessOrEqual, Greater, GreaterOrEqual)
      one = Comparison(Seq("s"), operator, text(word))
      filter <- Seq(one, Negation(one), AnyOf(Seq(one, StartsWith(Seq("s"), text(word)))), Negation(IsNull(Seq("s"))))
    } yield filter
    for (filter <- filters; word <- words; folder <- word.inits.filter(w => word.startsWith(s"$w/"));
      style <- Seq(true, false)) {
      val (selection, prefix) = (pruning(Seq("s"), hiveStyle = style).selection(Seq(filter)), if (style) "s=" else "")
      if (selection.wants(s"$prefix$word")) assert(selection.mayLead(s"$prefix$folder"), s"$filter $folder $word")
    }
  }

  test("equality on every column names the folders") {
    def only(of: PartitionPruning, filters: ScanFilter*): Option[Set[String]] = of.selection(filters).only.map(_.toSet)
    assertEquals(only(pruning(Seq("s")), equal("s", text("a/b"))), Some(Set("a/b")))
    assertEquals(only(pruning(Seq("s"), urlEncode = true), equal("s", text("a/b"))), Some(Set("a%2Fb")))
    assertEquals(only(pruning(Seq("s"), hiveStyle = true), OneOf(Seq("s"), Seq(text("a"), text("b")))),
      Some(Set("s=a", "s=b")))
    assertEquals(only(pruning(Seq("s")), equal("s", text(""))), Some(Set("__HIVE_DEFAULT_PARTITION__", "default")))
    assertEquals(only(pruning(Seq("s", "n")), equal("s", text("a"))), None)
    assertEquals(only(pruning(Seq("s")), Comparison(Seq("s"), Less, text("a"))), None)
    assertEquals(only(pruning(Seq("s")), OneOf(Seq("s"), (1 to 1001).map(i => text(i.toString)).toList)), None)
  }

  test("numbers and days are looked for among the folders, however they are spelled there") {
    for ((column, value, spelled) <-
        Seq(("n", 5, Seq("5", "05", "+5")), ("d", 1, Seq("1970-01-02", "1", "19700102")))) {
      val selection = pruning(Seq(column)).selection(Seq(equal(column, value)))
      assertEquals(selection.only, None)
      spelled.foreach(path => assert(selection.wants(path) && selection.mayLead(path), path))
    }
    assertEquals(pruning(Seq("s", "n")).selection(Seq(equal("s", text("a")), equal("n", 1))).only, None)
  }

  test("texts that lead to the folder of another are not judged by folders") {
    for (odd <- Seq("a//b", "/a", "a/", "a/./b", "..", "a\u0000")) {
      val selection = pruning(Seq("s")).selection(Seq(equal("s", text(odd))))
      assert(selection.mayLead("a") && selection.wants("a/b") && selection.only.isEmpty, odd)
      assert(!pruning(Seq("s"), urlEncode = true).mayHold("a", Seq(equal("s", text(odd)))))
    }
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

  test("folders do not tell of fields of structs in rows, which a global index may have left in another partition") {
    val nested = new StructType().add("st", new StructType().add("x", StringType)).add("s", StringType)
    val config = TableConfig.create(TableDefinition("t", Seq("id"), Seq("st.x", "s")))
    val field = Comparison(Seq("st", "x"), Equal, text("b"))
    val named = PartitionPruning.of(config, nested, None)
    val rows = PartitionPruning.ofRows(config, nested, None)
    assert(!named.mayHold("a/c", Seq(field)))
    assert(rows.mayHold("a/c", Seq(field)))
    assertEquals(rows.columnPaths, Set(Seq("s")))
    assert(!rows.mayHold("a/c", Seq(AnyOf(Seq(AllOf(Seq(field, equal("s", text("d")))), equal("s", text("e")))))))
    assertEquals(rows.valuesOf("a/c"), Map[String, Any]("s" -> text("c")))
  }

  private def dropping(items: Seq[String], hiveStyle: Boolean = false): PartitionPruning =
    new PartitionPruning(TableConfig(TableConfig.create(TableDefinition("t", Seq("id"), items, hiveStyle = hiveStyle))
        .properties + ("hoodie.datasource.write.drop.partition.columns" -> "true")), schema)

  test("columns that no file holds have the one value that their path says") {
    val default = "__HIVE_DEFAULT_PARTITION__"
    assertEquals(dropping(Seq("s")).valuesOf(default), Map[String, Any]("s" -> null))
    assertEquals(dropping(Seq("s")).valuesOf("default"), Map[String, Any]("s" -> text("default")))
    assertEquals(dropping(Seq("s")).valuesOf("a%2Fb"), Map[String, Any]("s" -> text("a/b")))
    assertEquals(dropping(Seq("n", "d"), hiveStyle = true).valuesOf("n=2/d=1970-01-02"),
      Map[String, Any]("n" -> 2, "d" -> 1))
    assertEquals(dropping(Seq("n")).valuesOf("two"), Map.empty[String, Any])
    assert(dropping(Seq("s")).mayHold("a%2Fb", Seq(equal("s", text("a/b")))))
    assert(!dropping(Seq("s")).mayHold("default", Seq(IsNull(Seq("s")))))
    assertEquals(dropping(Seq("t")).folderColumns, Set("t"), "files are not asked for what no path tells")
  }

  test("a folder leads to partitions of columns that no file holds") {
    def leads(folder: String, value: String): Boolean =
      dropping(Seq("s")).selection(Seq(equal("s", text(value)))).mayLead(folder)
    assert(leads("2024", "2024/01"))
    assert(!leads("2024", "2025"))
    assert(leads("a%2Fb", "a/b"), "a partition by itself")
    assert(leads("a%2Fb", "a%2Fb/c"), "the beginning of a longer text")
    val both = dropping(Seq("s", "n")).selection(Seq(IsNull(Seq("s"))))
    assert(!both.mayLead("1") && !both.wants("1/x/2"), "no partition is wanted that no folder leads to")
    assert(leads("q=z", "z"))
    assert(leads("q=z", "q=z/y"))
    assertEquals(dropping(Seq("s")).selection(Seq(equal("s", text("a")))).only, None, "'%61' is 'a', too")
  }
}
