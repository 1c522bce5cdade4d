package io.hudilite.spark.read

import io.hudilite.config.{TableConfig, TableDefinition}
import io.hudilite.record.RecordKeys
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
}
