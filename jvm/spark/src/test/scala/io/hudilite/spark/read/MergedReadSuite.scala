package io.hudilite.spark.read

import io.hudilite.error.HudiliteException
import io.hudilite.log.{OrderingKind, OrderingValue}
import io.hudilite.spark.SharedSession
import io.hudilite.spark.SharedSession.{Compiling, withConf}
import io.hudilite.spark.read.LoggedTable.{Data, Deletes}
import munit.FunSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.broadcast
import org.apache.spark.sql.types.StructType

/** Slices with log files, merged as they are read. */
class MergedReadSuite extends FunSuite {

  private val spark = SharedSession.spark
  import spark.implicits._

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val schema = StructType.fromDDL("id STRING, ts BIGINT, v STRING")

  private def base(rows: (String, Long, String)*): Option[DataFrame] =
    Some(rows.toSeq.toDF("id", "ts", "v").select($"id", $"ts".cast("long"), $"v"))

  private def rows(frame: DataFrame): Seq[String] = frame.collect().map(_.mkString(" ")).sorted.toSeq

  private val three = base(("a", 10L, "old a"), ("b", 10L, "old b"), ("c", 10L, "old c"))
  private val ordered = Some("ts")

  for (sorted <- Seq(true, false); vectorized <- Seq(true, false); generated <- Seq(true, false))
    test(s"updates, deletes and inserts of logs, sorted=$sorted, vectorized=$vectorized, generated code=$generated") {
      val table = new LoggedTable(three, schema, ordered, sorted)
      table.append(Data(Seq(Seq("b", 11L, "new b"), Seq("d", 1L, "new d"))))
      table.append(Deletes(Seq("a" -> OrderingValue.CommitTime)), Data(Seq(Seq("d", 2L, "newer d"))))
      withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized.toString,
        Compiling, "spark.sql.codegen.wholeStage" -> generated.toString) {
        assertEquals(rows(table.read()), Seq("b 11 new b", "c 10 old c", "d 2 newer d"))
        assertEquals(rows(table.read().select("v")), Seq("new b", "newer d", "old c"))
        assertEquals(rows(table.read().select("_hudilite_file_id").distinct()), Seq(table.slice.get.fileId))
        assertEquals(table.read().count(), 3L)
        assertEquals(rows(table.read("hoodie.datasource.query.type" -> "read_optimized")),
          Seq("a 10 old a", "b 10 old b", "c 10 old c"))
      }
    }

  test("in event-time order a late record loses, to the base file and within the log") {
    val table = new LoggedTable(three, schema, ordered)
    table.append(Data(Seq(Seq("a", 9L, "late"), Seq("b", 12L, "newest"), Seq("c", 10L, "tie"))))
    table.append(Data(Seq(Seq("b", 11L, "late in the log"), Seq("c", null, "without a time"))))
    assertEquals(rows(table.read()), Seq("a 10 old a", "b 12 newest", "c 10 tie"))
  }

  test("a delete with an ordering value loses to what is newer; one without wins, and loses to what is written later") {
    def at(ts: Long): OrderingValue = OrderingValue.Value(OrderingKind.LongKind, ts)
    val table = new LoggedTable(three, schema, ordered)
    table.append(Deletes(Seq("a" -> at(9), "b" -> at(10), "c" -> OrderingValue.CommitTime)))
    assertEquals(rows(table.read()), Seq("a 10 old a"))
    table.append(Data(Seq(Seq("b", 9L, "late"), Seq("c", 11L, "again"))))
    assertEquals(rows(table.read()), Seq("a 10 old a", "c 11 again"))
  }

  test("in commit-time order the record written last wins") {
    val table = new LoggedTable(three, schema, None)
    table.append(Data(Seq(Seq("a", 1L, "late"))))
    table.append(Data(Seq(Seq("a", 0L, "later"))), Deletes(Seq("b" -> OrderingValue.CommitTime)))
    assertEquals(rows(table.read()), Seq("a 0 later", "c 10 old c"))
  }

  test("a filter that hides the old version of a row leaves the row that wins") {
    val late = new LoggedTable(three, schema, ordered)
    late.append(Data(Seq(Seq("a", 5L, "late"), Seq("b", 20L, "new b"))))
    assertEquals(rows(late.read().where("v = 'late'")), Nil)
    assertEquals(rows(late.read().where("ts < 10")), Nil)
    assertEquals(rows(late.read().where("v = 'old b'")), Nil)
    assertEquals(rows(late.read().where("ts > 15")), Seq("b 20 new b"))
    assertEquals(rows(late.read().where("id = 'a'")), Seq("a 10 old a"))
    assertEquals(rows(late.read().where("id = 'nobody'")), Nil)
    val last = new LoggedTable(three, schema, None)
    last.append(Data(Seq(Seq("a", 5L, "late"), Seq("z", 5L, "only in the log"))))
    assertEquals(rows(last.read().where("v = 'late'")), Seq("a 5 late"))
    assertEquals(rows(last.read().where("v = 'old a'")), Nil)
    assertEquals(rows(last.read().where("id = 'z'")), Seq("z 5 only in the log"))
  }

  test("rows are found by position where every block has positions, without a look at their keys") {
    for (sorted <- Seq(true, false)) {
      val table = new LoggedTable(three, schema, ordered, sorted)
      // The keys would say something else than the positions, if anybody looked.
      table.append(Data(Seq(Seq("x", 11L, "for b"), Seq("y", 9L, "late for c")), Some(Seq(1L, 2L))))
      table.append(Deletes(Seq("z" -> OrderingValue.CommitTime), Some(Seq(0L))))
      val read = table.read()
      assertEquals(rows(read), Seq("c 10 old c", "x 11 for b"))
      assertEquals(PlanProbe.metric(read, "rowsReplaced"), 2L)
      assertEquals(PlanProbe.metric(read, "logFilesRead"), 2L)
      assertEquals(PlanProbe.metric(read, "logRecords"), 3L)
    }
  }

  test("keys are compared when a block has no positions, or not as many as records") {
    val table = new LoggedTable(three, schema, ordered)
    table.append(Data(Seq(Seq("b", 11L, "new b")), Some(Seq(0L))))
    table.append(Data(Seq(Seq("c", 11L, "new c"))))
    assertEquals(rows(table.read()), Seq("a 10 old a", "b 11 new b", "c 11 new c"))
    val short = new LoggedTable(three, schema, ordered)
    short.append(Data(Seq(Seq("b", 11L, "new b"), Seq("c", 11L, "new c")), Some(Seq(0L))))
    assertEquals(rows(short.read()), Seq("a 10 old a", "b 11 new b", "c 11 new c"))
  }

  test("a slice of log files alone is read") {
    val table = new LoggedTable(None, schema, ordered)
    table.append(Data(Seq(Seq("a", 1L, "first"), Seq("b", 1L, "kept"))))
    table.append(Data(Seq(Seq("a", 2L, "second"))), Deletes(Seq("nobody" -> OrderingValue.CommitTime)))
    assertEquals(rows(table.read()), Seq("a 2 second", "b 1 kept"))
    assertEquals(rows(table.read("hoodie.datasource.query.type" -> "read_optimized")), Nil)
  }

  test("past states and changes are those of base and log files together") {
    val table = new LoggedTable(three, schema, ordered)
    val first = table.append(Data(Seq(Seq("a", 11L, "one"), Seq("d", 1L, "new"))))
    val second = table.append(Data(Seq(Seq("a", 12L, "two"), Seq("b", 1L, "late"))))
    assertEquals(rows(table.read("as.of.instant" -> first)), Seq("a 11 one", "b 10 old b", "c 10 old c", "d 1 new"))
    def changes(begin: String, more: (String, String)*): Seq[String] =
      rows(table.read(Seq("hoodie.datasource.query.type" -> "incremental",
            "hoodie.datasource.read.begin.instanttime" -> begin) ++ more: _*))
    assertEquals(changes("0"), Seq("a 12 two", "b 10 old b", "c 10 old c", "d 1 new"))
    // As in Hudi, the records of a range are compared with each other, not with older ones.
    assertEquals(changes(second), Seq("a 12 two", "b 1 late"))
    assertEquals(changes("0", "hoodie.datasource.read.end.instanttime" -> second),
      Seq("a 11 one", "b 10 old b", "c 10 old c", "d 1 new"))
  }

  for (rest <- Seq(Nil, Seq("b 10 old b", "c 10 old c")))
    test(s"a range of a table that was upgraded takes blocks by their own instants, old rows: ${rest.size}") {
      val old = Seq(("b", 10L, "old b"), ("c", 10L, "old c")).take(rest.size)
      val table = new LoggedTable(if (old.isEmpty) None else base(old: _*), schema, ordered)
      val first = table.append(Data(Seq(Seq("a", 11L, "one"), Seq("d", 1L, "new"))))
      val second = table.append(Data(Seq(Seq("a", 12L, "two"), Seq("e", 1L, "late"))))
      val third = table.append(Data(Seq(Seq("d", 2L, "newer"))))
      val path = table.asUpgraded(Seq(first, second).filter(_ != table.slice.get.instant): _*)
      def read(options: (String, String)*): Seq[String] = rows(LoggedTable.read(path, options: _*))
      def changes(begin: String, more: (String, String)*): Seq[String] =
        read(Seq("hoodie.datasource.query.type" -> "incremental",
            "hoodie.datasource.read.begin.instanttime" -> begin) ++ more: _*)
      assertEquals(read(), (Seq("a 12 two", "d 2 newer", "e 1 late") ++ rest).sorted)
      assertEquals(read("as.of.instant" -> second), (Seq("a 12 two", "d 1 new", "e 1 late") ++ rest).sorted)
      assertEquals(changes("0"), (Seq("a 12 two", "d 2 newer", "e 1 late") ++ rest).sorted)
      assertEquals(changes(second), Seq("a 12 two", "d 2 newer", "e 1 late"))
      assertEquals(changes(third), Seq("d 2 newer"))
      assertEquals(changes(first, "hoodie.datasource.read.end.instanttime" -> second), Seq("a 11 one", "d 1 new"))
      assertEquals(changes(second, "hoodie.datasource.read.end.instanttime" -> third), Seq("a 12 two", "e 1 late"))
    }

  for (sorted <- Seq(true, false); placed <- Seq(true, false))
    test(s"large slices agree with a map of their rows, sorted=$sorted, with positions=$placed") {
      def key(i: Int): String = f"k$i%06d"
      val size = 20000
      val old = (0 until size by 2).map(i => (key(i), 10L, s"old $i"))
      val table = new LoggedTable(base(old: _*), schema, ordered, sorted)
      val updates = (0 until size by 6).map(i => Seq[Any](key(i), if (i % 12 == 0) 11L else 9L, s"new $i"))
      val inserts = if (placed) Nil else (5000 until 15000).filter(_ % 2 == 1).map(i => Seq[Any](key(i), 1L, s"in $i"))
      val places = if (placed) Some((0L until size.toLong by 6).map(_ / 2)) else None
      table.append(Data(updates ++ inserts, places))
      val gone = (0 until size by 10).map(i => key(i) -> (OrderingValue.CommitTime: OrderingValue))
      table.append(Deletes(gone, if (placed) Some((0L until size.toLong by 10).map(_ / 2)) else None))
      val model = old.map(r => r._1 -> s"${r._2} ${r._3}").toMap ++
        updates.filter(_(1) == 11L).map(r => r.head.toString -> s"${r(1)} ${r(2)}") ++
        inserts.map(r => r.head.toString -> s"${r(1)} ${r(2)}") -- gone.map(_._1)
      assertEquals(rows(table.read()), model.map { case (k, rest) => s"$k $rest" }.toSeq.sorted)
      assertEquals(table.read().where("v like 'old%'").count(), model.values.count(_.contains("old")).toLong)
    }

  test("aggregates and limits look at the logs, and statistics and plans count them") {
    val table = new LoggedTable(three, schema, ordered)
    table.append(Deletes(Seq("a" -> OrderingValue.CommitTime, "b" -> OrderingValue.CommitTime)),
      Data(Seq(Seq("c", 99L, "new"))))
    assertEquals(table.read().selectExpr("count(*)", "max(ts)", "min(ts)").collect().head.mkString(" "), "1 99 99")
    assertEquals(table.read().limit(2).count(), 1L)
    assert(PlanProbe.scan(table.read()).scan.description().contains("with 1 log files"))
  }

  test("what `_hoodie_is_deleted` says of a log record deletes its key") {
    val flagged = StructType.fromDDL("id STRING, ts BIGINT, _hoodie_is_deleted BOOLEAN")
    val start = Some(Seq(("a", 1L, false), ("b", 1L, false)).toDF("id", "ts", "_hoodie_is_deleted")
        .select($"id", $"ts", $"_hoodie_is_deleted"))
    val table = new LoggedTable(start, flagged, ordered)
    table.append(Data(Seq(Seq("a", 2L, true), Seq("b", 0L, true))))
    assertEquals(rows(table.read().select("id", "ts")), Seq("b 1"))
  }

  test("a column of the table's own can mark deletes") {
    val table = new LoggedTable(three, schema, ordered)
    table.append(Data(Seq(Seq("a", 11L, "gone"), Seq("b", 9L, "gone"), Seq("c", 11L, "here"))))
    table.setProperty("hoodie.record.merge.property.hoodie.payload.delete.field", "v")
    table.setProperty("hoodie.record.merge.property.hoodie.payload.delete.marker", "gone")
    assertEquals(rows(table.read().select("id", "ts")), Seq("b 10", "c 11"))
  }

  test("merge rules that are not known are refused by name where log files would be merged by them") {
    def refused(property: (String, String)): String = {
      val table = new LoggedTable(three, schema, ordered)
      table.append(Data(Seq(Seq("a", 11L, "new"))))
      table.setProperty(property._1, property._2)
      assertEquals(table.read("hoodie.datasource.query.type" -> "read_optimized").count(), 3L)
      featureOf(table.read().collect())
    }
    assertEquals(refused("hoodie.table.partial.update.mode" -> "KEEP_SOME"), "partial updates in the mode KEEP_SOME")
    assertEquals(refused("hoodie.record.merge.property.hoodie.x" -> "y"),
      "the merge property hoodie.record.merge.property.hoodie.x")
    assertEquals(refused("hoodie.record.merge.mode" -> "CUSTOM"), "the merge mode CUSTOM")
  }

  private def featureOf(body: => Unit): String = {
    def find(e: Throwable): HudiliteException = e match {
      case h: HudiliteException => h
      case null => fail("no error of hudilite's")
      case other => find(other.getCause)
    }
    val error = find(intercept[Exception](body))
    assert(error.parameters("path").contains('/'), error.getMessage)
    error.parameters("feature")
  }

  test("filters that come while a query runs keep the rows of logs") {
    val table = new LoggedTable(three, schema, ordered)
    table.append(Data(Seq(Seq("d", 1L, "only in the log"), Seq("b", 12L, "new b"))))
    val few = Seq("b", "d", "nobody").toDF("id")
    assertEquals(rows(table.read().join(few, "id").select("id", "v")), Seq("b new b", "d only in the log"))
    assertEquals(rows(table.read().join(broadcast(few), "id").select("v")), Seq("new b", "only in the log"))
  }
}
