package io.hudilite.spark.write

import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.{Interpreted, NewestSpark, Raised}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}

import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.functions.expr
import org.apache.spark.sql.types.StructType

import scala.collection.JavaConverters._
import scala.util.Random

/** Tables of Hudi's payloads whose rows complete each other, or say that they delete their keys. */
class PartialRowsSuite extends MergeOnReadFixture with Interpreted {

  import PartialRowsSuite._

  private val schema = "id string, p string, ts long, a string, b int, s struct<x: int, y: string>, c binary"

  private def frame(rows: Seq[Row]): DataFrame =
    spark.createDataFrame(rows.asJava, StructType.fromDDL(schema)).repartition(1)

  private def facts(payload: String, tableType: String, more: (String, String)*): Seq[(String, String)] =
    (options(9) - "hoodie.record.merge.mode" ++ Seq("hoodie.datasource.write.table.type" -> tableType,
      "hoodie.datasource.write.payload.class" -> s"org.apache.hudi.common.model.$payload") ++ more).toSeq

  private def shown(path: String): Seq[String] = texts(read(path))

  private def texts(frame: DataFrame): Seq[String] =
    frame.selectExpr("id", "p", "ts", "a", "b", "s", "hex(c)").collect().map(_.toString).sorted.toSeq

  /** Some rows of some of the keys, several of one key among them, with gaps. */
  private def drawn(random: Random, ids: Range, count: Int, moves: Boolean): Seq[Row] = Seq.fill(count) {
    val id = ids(random.nextInt(ids.size))
    def some[T](value: => T): Any = if (random.nextInt(5) < 2) null else value
    Row(f"k$id%03d", s"p${if (moves) random.nextInt(2) else id % 2}", random.nextInt(20).toLong,
      some(s"a${random.nextInt(9)}"), some(random.nextInt(9)), some(Row(some(1), "y")), some(Array[Byte](1)))
  }

  private val payloads = Seq("PartialUpdateAvroPayload" -> true, "OverwriteNonDefaultsWithLatestAvroPayload" -> false)

  for {
    (payload, byTime) <- payloads
    (name, tableType, index, moves) <- Seq(
      ("copy-on-write", "COPY_ON_WRITE", Seq("hoodie.index.type" -> "BLOOM"), false),
      ("copy-on-write, rows that move", "COPY_ON_WRITE", Seq("hoodie.index.type" -> "GLOBAL_SIMPLE"), true),
      ("merge-on-read", "MERGE_ON_READ", Seq("hoodie.index.type" -> "BLOOM"), false),
      ("buckets of merge-on-read", "MERGE_ON_READ",
        Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2"), false))
  } test(NewestSpark.unless((byTime == (tableType == "COPY_ON_WRITE")) != moves)(
      s"$payload, $name: rows of one key complete each other")) {
    val path = newPath()
    val random = new Random(payload.length + name.length)
    val logs = tableType == "MERGE_ON_READ"
    val model = new Model(byTime, logs)
    def upsert(rows: Seq[Row]): Unit = {
      write(frame(rows), path, "upsert", facts(payload, tableType, index: _*): _*)
      model.upsert(rows)
      assertEquals(shown(path), texts(frame(model.rows)))
    }
    upsert((0 until 30).map(id => drawn(random, id to id, 1, moves).head))
    for (_ <- 1 to 3) upsert(drawn(random, 0 until 30, 25, moves))
    val all = frame(model.rows)
    def filtered(rows: DataFrame): Seq[String] =
      texts(Seq("a = 'a3'", "b > 4 and a is not null", "b is null", "id = 'k007'", "ts > 12 and b < 3").zipWithIndex
          .map { case (filter, n) => rows.where(filter).withColumn("id", expr(s"concat('$n ', id)")) }.reduce(
            _ union _))
    assertEquals(filtered(read(path)), filtered(all))
    for (aggregate <- Seq("count(*)", "count(b)", "max(b)", "min(a)"))
      assertEquals(read(path).selectExpr(aggregate).head(), all.selectExpr(aggregate).head(), aggregate)
    if (logs) {
      if (random.nextBoolean()) {
        CompactionRun(ServiceCall(spark, path, Map("hoodie.log.compaction.blocks.threshold" -> "2")),
          CompactionKind.Log).start().result()
        assertEquals(shown(path), texts(frame(model.rows)), "folded")
      }
      assert(CompactionRun(ServiceCall(spark, path)).start().result().nonEmpty)
      model.compact()
      assertEquals(shown(path), texts(frame(model.rows)), "compacted")
    }
    upsert(drawn(random, 0 until 30, 10, moves))
  }

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"a value that was not sent keeps the old one, and a mark deletes, $tableType") {
      val path = newPath()
      val gone = "__debezium_unavailable_value"
      def batch(rows: (String, Long, String, String)*): DataFrame = spark.createDataFrame(rows.map {
        case (id, lsn, a, op) => (id, lsn, a, a.getBytes, op)
      }).toDF("id", "_event_lsn", "a", "b", "_change_operation_type").repartition(1)
      val of = facts("debezium.PostgresDebeziumAvroPayload", tableType).toMap -
        "hoodie.datasource.write.precombine.field" - "hoodie.datasource.write.partitionpath.field"
      def upsert(rows: (String, Long, String, String)*): Unit = write(batch(rows: _*), path, "upsert", of.toSeq: _*)
      def held: Map[String, (Long, String, String)] = read(path).collect().map(r =>
        r.getString(0) -> ((r.getLong(1), r.getString(2), new String(r.getAs[Array[Byte]](3))))).toMap
      upsert(("k1", 10, "a1", "c"), ("k2", 10, "a2", "c"), ("k3", 10, gone, "c"), ("k4", 10, "a4", "c"),
        ("k5", 10, "a5", "c"), ("k6", 10, "a6", "c"))
      assertEquals(table(path).config.orderingFields, Seq("_event_lsn"))
      upsert(("k1", 20, gone, "u"), ("k2", 5, "late", "u"), ("k3", 5, "late", "u"), ("k4", 20, "", "d"),
        ("k5", 5, "", "d"), ("k6", 22, gone, "u"), ("k6", 21, "x", "u"))
      val expected = Map("k1" -> ((20L, "a1", "a1")), "k2" -> ((10L, "a2", "a2")), "k3" -> ((10L, "late", "late")),
        "k5" -> ((10L, "a5", "a5")), "k6" -> ((22L, "x", "x")))
      assertEquals(held, expected)
      if (tableType == "MERGE_ON_READ") {
        CompactionRun(ServiceCall(spark, path)).start().result()
        assertEquals(held, expected)
      }
    }

  test("an update that would null a column leaves it, as with Hudi, and a column that comes later is filled") {
    val path = newPath()
    val of = facts("OverwriteNonDefaultsWithLatestAvroPayload", "MERGE_ON_READ")
    write(rows(0 until 4, 10, "old"), path, "upsert", of: _*)
    spark.sql(s"UPDATE hudilite.`$path` SET v = NULL, ts = 11 WHERE id = 'k0001'")
    assertEquals(read(path).where("v = 'old' and ts = 11").count(), 1L)
    write(rows(1 until 3, 12, "x").selectExpr("id", "p", "ts", "cast(null as string) v", "'new' w"), path, "upsert",
      of: _*)
    write(rows(2 until 4, 13, "y").selectExpr("id", "p", "ts", "v", "cast(null as string) w"), path, "upsert", of: _*)
    assertEquals(read(path).orderBy("id").select("v", "w").collect().map(_.toString).toSeq,
      Seq("[old,null]", "[old,new]", "[y,new]", "[y,null]"))
  }

  test("a table is made like one with a payload, and another payload is refused") {
    val path = newPath()
    val of = facts("OverwriteNonDefaultsWithLatestAvroPayload", "MERGE_ON_READ")
    write(rows(0 until 4, 10, "old"), path, "upsert", of: _*)
    val other = facts("OverwriteWithLatestAvroPayload", "MERGE_ON_READ")
    assertEquals(Raised.by(write(rows(0 until 4, 10, "old"), path, "upsert", other: _*)).condition,
      "OPTION_CONTRADICTS_TABLE")
    val like = newPath()
    spark.sql(s"CREATE TABLE hudilite.`$like` LIKE hudilite.`$path`")
    assertEquals(table(like).config.payload, table(path).config.payload)
    assertEquals(table(like).config.partialUpdates, table(path).config.partialUpdates)
  }
}

private object PartialRowsSuite {

  private val Time = 2

  /** Rows of one key, merged.
    *
    * @param byTime
    *   the row with the greater ordering value wins, not the later one
    * @param logs
    *   changes meet each other before they meet the row that was there
    */
  final class Model(byTime: Boolean, logs: Boolean) {

    private var base = Map.empty[String, Row]
    private var log = Map.empty[String, Row]
    private var isEmpty = true

    private def merged(older: Row, newer: Row): Row = {
      val wins = !byTime || newer.getLong(Time) >= older.getLong(Time)
      val (top, below) = if (wins) (newer, older) else (older, newer)
      Row.fromSeq(top.toSeq.indices.map(i => if (top.isNullAt(i)) below.get(i) else top.get(i)))
    }

    private def into(held: Map[String, Row], key: String, row: Row): Map[String, Row] =
      held + (key -> held.get(key).fold(row)(merged(_, row)))

    def upsert(rows: Seq[Row]): Unit = {
      val batch = rows.foldLeft(Map.empty[String, Row])((held, row) => into(held, row.getString(0), row))
      if (logs && !isEmpty) log = batch.foldLeft(log) { case (held, (key, row)) => into(held, key, row) }
      else base = batch.foldLeft(base) { case (held, (key, row)) => into(held, key, row) }
      isEmpty = false
    }

    def compact(): Unit = {
      base = log.foldLeft(base) { case (held, (key, row)) => into(held, key, row) }
      log = Map.empty
    }

    def rows: Seq[Row] = log.foldLeft(base) { case (held, (key, row)) => into(held, key, row) }.values.toSeq
  }
}
