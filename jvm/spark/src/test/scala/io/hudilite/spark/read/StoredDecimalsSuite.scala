package io.hudilite.spark.read

import io.hudilite.config.{TableDefinition, TableType}
import io.hudilite.record.MetaFields
import io.hudilite.spark.{Interpreted, NewestSpark, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.spark.read.StoredFile.unscaled

import java.nio.ByteBuffer

import org.apache.avro.Schema
import org.apache.parquet.example.data.Group
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.StructType

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Tables whose decimals of up to 18 digits are bytes of any length, as streamers with a schema of their own write them. */
class StoredDecimalsSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 5.minutes

  private val spark = SharedSession.spark

  private val bytes = """{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}"""
  private val avro: String = s"""{"type":"record","name":"r","fields":[
    {"name":"id","type":["null","string"],"default":null}, {"name":"d","type":["null",$bytes],"default":null},
    {"name":"l","type":["null",{"type":"array","items":["null",$bytes]}],"default":null},
    {"name":"ts","type":["null",$bytes],"default":null}]}"""

  private def columns(kind: String): String = s"optional binary id (STRING); optional $kind d (DECIMAL(9,2)); " +
    s"optional group l (LIST) { repeated group list { optional $kind element (DECIMAL(9,2)); } } " +
    s"optional $kind ts (DECIMAL(9,2));"

  // Of one to four bytes, below and above each border, and null.
  private val numbers: Seq[Option[Long]] = Seq(0L, 1L, 127L, 128L, 255L, 256L, 32767L, 32768L, 8388608L, 999999999L)
    .flatMap(n => Seq(Some(n), Some(-n), Some(-n - 1))).filter(_.forall(_ > -1000000000L)) :+ None

  private def rows(length: Int): Seq[(String, Group => Unit)] = numbers.zipWithIndex.map { case (number, i) =>
    val id = f"k$i%02d"
    id ->
      ((row: Group) => {
        row.add("id", id)
        number.foreach { n =>
          // Of several lengths in a file where the type allows it.
          val own = if (length == 0 && i % 3 == 0) unscaled(n, 12) else unscaled(n, length)
          row.add("d", own)
          row.addGroup("l").addGroup("list").add("element", own)
        }
        row.add("ts", unscaled(100, length))
      })
  }

  private def tableOf(kind: String, length: Int, version: Int, tableType: TableType): HandmadeTable = {
    val made = new HandmadeTable(
      TableDefinition("stored", Seq("id"), orderingFields = Seq("ts"), version = version, tableType = tableType), avro)
    made.commitFiles(("", numbers.size.toLong,
        StoredFile.write(StoredFile.schema(columns(kind)), rows(length),
          pageRows = 4)))
    made
  }

  private def found(frame: DataFrame): Seq[String] =
    frame.orderBy("id").collect().map(r => s"${r.get(0)} ${r.get(1)}").toSeq

  private val expected: Seq[(String, Option[BigDecimal])] = numbers.zipWithIndex.map { case (n, i) =>
    f"k$i%02d" -> n.map(BigDecimal(_, 2))
  }

  private val kinds = Seq("binary" -> 0, "fixed_len_byte_array(4)" -> 4, "fixed_len_byte_array(13)" -> 13)

  test("predicates on decimals find the rows that they hold for, and leave out row groups that have none") {
    for ((kind, length) <- kinds) {
      val table = tableOf(kind, length, 9, TableType.CopyOnWrite)
      for (vectorized <- Seq("true", "false"))
        SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
          val predicates = for {
            literal <- Seq("-327.68", "-1.29", "0.00", "1.28", "9999999.99")
            value = BigDecimal(literal)
            (operator, holds) <- Seq[(String, BigDecimal => Boolean)]("=" -> (_ == value), "<" -> (_ < value),
              ">=" -> (_ >= value), "!=" -> (_ != value))
          } yield s"d $operator $literal" -> holds
          val of = predicates.map(p => table.read().where(p._1).selectExpr("id", "d", s"'${p._1}' p")).reduce(_ union _)
            .collect().groupBy(_.getString(2))
          for ((predicate, holds) <- predicates)
            assertEquals(of.getOrElse(predicate, Array()).map(r => s"${r.get(0)} ${r.get(1)}").sorted.toSeq,
              expected.collect { case (id, Some(d)) if holds(d) => s"$id $d" }, s"$kind: $predicate")
          val some = table.read().where("d in (-1.28, 9999999.99) or d is null").select("id", "d")
          assertEquals(found(some),
            expected.filter(e =>
              e._2.forall(Set(BigDecimal("-1.28"), BigDecimal("9999999.99")))).map(e => s"${e._1} ${e._2.orNull}"))
          val one = table.read().where("d > 9000000").select("id", "d")
          assertEquals(one.collect().length, 1)
          assert(PlanProbe.metric(one, "rowsRead") <= 8, s"$kind: ${PlanProbe.metric(one, "rowsRead")} rows")
        }
      val sums = table.read().selectExpr("min(d)", "max(d)", "count(d)", "count(*)", "sum(l[0])").collect().head
      val all = expected.flatMap(_._2)
      assertEquals(sums.toSeq.map(_.toString),
        Seq(s"${all.min}", s"${all.max}", s"${all.size}", s"${expected.size}", s"${all.sum}"))
    }
  }

  for {
    (kind, length) <- kinds
    tableType <- Seq(TableType.CopyOnWrite, TableType.MergeOnRead)
    version <- if (length == 0) Seq(6, 8, 9) else Seq(9)
    everywhere = (length + version + (if (tableType == TableType.CopyOnWrite) 1 else 0)) % 2 == 1
  } test(NewestSpark.unless(everywhere)(
      s"upserts, updates and compactions of such files keep all values: $kind, ${tableType.name}, version $version")) {
    val table = tableOf(kind, length, version, tableType)
    val change = spark.sql("SELECT id, CAST(d AS decimal(9,2)) d, array(CAST(d AS decimal(9,2))) l, " +
      "CAST(ts AS decimal(9,2)) ts FROM VALUES ('k01', 7.77, 2), ('k02', 8.88, 0.5), ('new', -0.01, 1) AS t(id, d, ts)")
    change.write.format("hudilite").mode("append").save(table.path)
    val upserted = expected.toMap.map { case (k, v) => k -> v.map(_.toString).orNull } ++
      Map("k01" -> "7.77", "new" -> "-0.01")
    def check(values: Map[String, String]): Unit = for (vectorized <- Seq("true", "false"))
      SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized, SharedSession.Compiling) {
        val right = values.toSeq.sorted.map { case (k, v) => s"$k $v" }
        assertEquals(found(table.read().select("id", "d")), right)
        assertEquals(found(table.read().select(col("id"), col("l")(0))), right)
        assertEquals(found(table.read().where("d = 7.77").select("id", "d")), right.filter(_.endsWith(" 7.77")))
      }
    check(upserted)
    spark.sql(s"UPDATE hudilite.`${table.path}` SET d = d + 1, l = array(d + 1) WHERE id = 'k03' OR d = -327.69")
    val updated = upserted.map { case (k, v) =>
      k -> (if (k == "k03" || v == "-327.69") (BigDecimal(v) + 1).toString else v)
    }
    check(updated)
    if (tableType == TableType.MergeOnRead) {
      CompactionRun(ServiceCall(spark, table.path)).start().result()
      check(updated)
    }
  }

  test("records of logs with decimals as bytes are merged with base files that have them in other ways") {
    val record = new Schema.Parser().parse(avro)
    val fields = MetaFields.all.map(n => new Schema.Field(n, Schema.create(Schema.Type.STRING))) ++
      record.getFields.asScala.map(f => new Schema.Field(f.name, f.schema, f.doc, f.defaultVal))
    val withMeta = Schema.createRecord("r", null, "in.logs", false, fields.asJava)
    def number(n: Long): ByteBuffer = ByteBuffer.wrap(unscaled(n).getBytes)
    val schema = StructType.fromDDL("id STRING, d DECIMAL(9,2), l ARRAY<DECIMAL(9,2)>, ts DECIMAL(9,2)")
    val base = spark.sql("SELECT id, CAST(d AS decimal(9,2)) d, array(CAST(d AS decimal(9,2))) l, " +
      "CAST(1 AS decimal(9,2)) ts FROM VALUES ('a', 1.5), ('b', 2.5), ('c', -2.5) AS t(id, d)")
    for (sorted <- Seq(true, false)) {
      val table = new LoggedTable(Some(base), schema, Some("ts"), sorted)
      table.append(LoggedTable.Data(
          Seq(
            Seq("a", number(-129), java.util.Arrays.asList(number(-129), null), number(200)),
            Seq("b", number(7), java.util.Collections.emptyList[ByteBuffer](), number(50)),
            Seq("d", number(999999999), null, number(1))), schema = Some(withMeta)))
      for (vectorized <- Seq("true", "false"))
        SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
          assertEquals(found(table.read().select("id", "d")), Seq("a -1.29", "b 2.50", "c -2.50", "d 9999999.99"))
          assertEquals(found(table.read().selectExpr("id", "to_json(l)")),
            Seq("a [-1.29,null]", "b [2.50]", "c [-2.50]", "d null"))
          assertEquals(found(table.read().where("d < 0").select("id", "d")), Seq("a -1.29", "c -2.50"))
        }
    }
  }
}
