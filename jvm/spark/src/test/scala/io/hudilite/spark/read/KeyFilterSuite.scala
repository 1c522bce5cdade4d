package io.hudilite.spark.read

import io.hudilite.config.{TableConfig, TableDefinition}
import io.hudilite.index.BucketIndex
import io.hudilite.record.{KeyEncoding, RecordKeys}
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.basefile.read.ScanFilter._
import io.hudilite.spark.scan.plan.KeyFilter
import munit.FunSuite
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class KeyFilterSuite extends FunSuite {

  private val schema = StructType.fromDDL("id STRING, n INT, day DATE, price DECIMAL(10,2)")

  private def text(value: String): UTF8String = UTF8String.fromString(value)

  private def keys(fields: Seq[String], filters: ScanFilter*): Option[Seq[String]] =
    new KeyFilter(TableConfig.create(TableDefinition("t", fields)), schema).keys(filters).map(_.sorted)

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
    assertEquals(keys(Seq("id"), AllOf(Seq(a, Comparison(Seq("_hoodie_record_key"), Equal, text("b"))))),
      Some(Seq.empty[String]))
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

  // ---- buckets

  private val keyFields = Seq("id", "n", "day", "other")
  private val wide = StructType.fromDDL("id STRING, n BIGINT, day DATE, other STRING, price DECIMAL(10,2)")
  private val odd =
    Seq(null, "", "a", "a,b", "a:b", ",n:1", "x,id:y", "__null__", "__empty__", ":", ",", "é\uD83D\uDE00,n:",
      "null")

  private def bucketsOf(fields: Seq[String], filters: Seq[ScanFilter], index: BucketIndex): Option[Set[Int]] =
    filterOf(fields).dealt(filters, index).map(_.map(index.bucketOf).toSet)

  private def filterOf(fields: Seq[String]): KeyFilter =
    new KeyFilter(TableConfig.create(TableDefinition("t", fields)), wide)

  private def valueOf(field: String, random: scala.util.Random): Any = field match {
    case "n" => if (random.nextInt(5) == 0) null else (random.nextInt(7) - 3).toLong
    case "day" => if (random.nextInt(5) == 0) null else random.nextInt(20000) - 1000
    case _ => val value = odd(random.nextInt(odd.size)); if (value == null) null else text(value)
  }

  private def spelled(value: Any): String = value match {
    case null => null
    case days: Int => java.time.LocalDate.ofEpochDay(days.toLong).toString
    case other => other.toString
  }

  private def fixed(field: String, value: Any, random: scala.util.Random): ScanFilter = {
    def one: ScanFilter = if (value == null) IsNull(Seq(field)) else Comparison(Seq(field), Equal, value)
    random.nextInt(3) match {
      case 0 if value != null => OneOf(Seq(field), Seq(value, valueOf(field, random)).filter(_ != null))
      case 1 => AnyOf(Seq(one, one, OneOf(Seq(field), Nil)))
      case _ => one
    }
  }

  test("a row that passes filters on the hash fields lies in one of the buckets that they name") {
    val random = new scala.util.Random(20261127)
    val told = (1 to 5000).count { _ =>
      val fields = random.shuffle(keyFields).take(1 + random.nextInt(4))
      val index = BucketIndex(1 + random.nextInt(40), random.shuffle(fields).take(1 + random.nextInt(fields.size)))
      val row = fields.map(f => f -> valueOf(f, random)).toMap
      val key = KeyEncoding.recordKeyOrNull(fields.toIndexedSeq, fields.map(f => spelled(row(f))).toArray,
        prefixed = fields.size > 1)
      val filters = fields.filter(f => index.hashFields.contains(f) || random.nextBoolean())
        .map(f => fixed(f, row(f), random))
      val buckets = bucketsOf(fields, filters, index)
      if (key != null)
        buckets.foreach(found =>
          assert(found(index.bucketOf(key)), s"$key of $fields in ${index.bucketOf(key)} by $index, $filters: $found"))
      buckets.isDefined
    }
    assert(told > 2500, told)
  }

  test(
    "hash fields that filters leave open name no bucket, and neither do texts that may hold the signs between fields") {
    val n = Comparison(Seq("n"), Equal, 3L)
    val other = Comparison(Seq("other"), Equal, text("x"))
    def of(fields: Seq[String], hashed: String*)(filters: ScanFilter*): Option[Set[Int]] =
      bucketsOf(fields, filters, BucketIndex(1000, hashed))
    assertEquals(of(Seq("n", "other"), "other")(other),
      Some(Set(BucketIndex(1000, Seq("other")).bucketOf("n:0,other:x"))))
    assertEquals(of(Seq("n", "other"), "n")(n), None)
    assertEquals(of(Seq("n", "other"), "n")(n, other).map(_.size), Some(1))
    assertEquals(of(Seq("n", "other"), "n", "other")(n), None)
    assertEquals(of(Seq("price"), "price")(Comparison(Seq("price"), Equal, Decimal("1.00"))), None)
    assertEquals(of(Seq("id"), "id")(Comparison(Seq("_hoodie_record_key"), Equal, text("k"))).map(_.size), Some(1))
  }

  test("a filter on one more column would tell the bucket, where one is left open") {
    val other = Comparison(Seq("other"), Equal, text("x"))
    def missing(fields: Seq[String], hashed: String*)(filters: ScanFilter*): Option[Seq[String]] =
      filterOf(fields).missingForBuckets(filters, BucketIndex(8, hashed))
    assertEquals(missing(Seq("n"), "n")(), Some(Seq("n")))
    assertEquals(missing(Seq("n", "day"), "day")(), Some(Seq("day")))
    assertEquals(missing(Seq("n", "other"), "n")(), None)
    assertEquals(missing(Seq("n", "other"), "n")(other), Some(Seq("n")))
    assertEquals(missing(Seq("price"), "price")(), None)
  }
}
