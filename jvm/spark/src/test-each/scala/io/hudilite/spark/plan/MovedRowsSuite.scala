package io.hudilite.spark.plan

import io.hudilite.error.HudiliteException
import io.hudilite.spark.NewestSpark
import io.hudilite.spark.SharedSession.withConf

import java.nio.file.Files

import munit.TestOptions
import org.apache.spark.sql.DataFrame

/** Rows whose partition changes: which rows there are afterwards, and in how many files. */
class MovedRowsSuite extends PartitionedTables {

  private val global = Seq("hoodie.index.type" -> "GLOBAL_SIMPLE")

  private def rows(from: Long, until: Long, p: String, ts: Long): DataFrame =
    spark.range(from, until).selectExpr("concat('k', lpad(id, 6, '0')) id", s"$p p", s"${ts}L ts", s"'at $ts' v")

  /** Rows in the partition `from` in four files. */
  private def table(tableType: String, count: Long, more: (String, String)*): String = {
    val path = Files.createTempDirectory("hudilite-moves").resolve("t").toString
    write(rows(0, count, "'from'", 1).repartition(4), path, "bulk_insert",
      ("hoodie.datasource.write.table.type" -> tableType) +: more: _*)
    path
  }

  private val moves = Seq[(String, String => Unit)](
    "UPDATE" ->
      (path =>
        spark.sql(s"UPDATE hudilite.`$path` SET p = concat('to', int(substr(id, 2)) % 40), v = 'moved'")),
    "MERGE" -> { path =>
      rows(0, 4000, "concat('to', id % 40)", 2).createOrReplaceTempView("moving")
      spark.sql(s"""MERGE INTO hudilite.`$path` t USING moving s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET p = s.p, v = 'moved'""")
    },
    "upsert" ->
      (path =>
        write(rows(0, 4000, "concat('to', id % 40)", 2).selectExpr("id", "p", "ts", "'moved' v"), path, "upsert",
          global: _*)))

  for {
    (name, move) <- moves
    tableType = if (name == "MERGE") "MERGE_ON_READ" else "COPY_ON_WRITE"
  }
    test(s"4,000 rows that move to 40 partitions make a file in each, $name, $tableType") {
      val path = table(tableType, 4000)
      move(path)
      val found = read(path).where("p = concat('to', int(substr(id, 2)) % 40) AND v = 'moved' " +
        "AND p = _hoodie_partition_path").select("id").distinct()
      assertEquals((found.count(), read(path).count()), (4000L, 4000L))
      val made = groups(path) - "from"
      assertEquals((made.size, made.values.toSet), (40, Set(1)))
    }

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"rows that move go to a small file group of their new partition, $tableType") {
      val path = table(tableType, 400)
      write(rows(1000, 1100, "'to'", 1), path, "insert", "hoodie.parquet.small.file.limit" -> "0")
      val before = groups(path)
      assertEquals(before("to"), 1)
      spark.sql(s"UPDATE hudilite.`$path` SET p = 'to' WHERE id < 'k000050'")
      write(rows(50, 100, "'to'", 2), path, "upsert", global: _*)
      assertEquals(groups(path), before)
      assertEquals(read(path).where("p = 'to'").count(), 200L)
      assertEquals(read(path).select("id").distinct().count(), 500L)
      assertEquals(read(path).count(), 500L)
    }

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"a row that comes too late does not move, and one that a statement moves keeps its values, $tableType") {
      val path = table(tableType, 20, "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING")
      write(rows(0, 10, "'to'", 0), path, "upsert", global: _*)
      assertEquals(read(path).where("p = 'from' AND ts = 1").count(), 20L)
      write(rows(0, 5, "'to'", 2), path, "upsert", global: _*)
      assertEquals(read(path).where("p = 'to' AND ts = 2").count(), 5L)
      spark.sql(s"UPDATE hudilite.`$path` SET p = 'away' WHERE id < 'k000010'")
      assertEquals(read(path).where("p = 'away' AND ts = 2 AND v = 'at 2'").count(), 5L)
      assertEquals(read(path).where("p = 'away' AND ts = 1").count(), 5L)
      assertEquals(read(path).count(), 20L)
    }

  for {
    tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")
    mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")
    adaptive <- Seq("true", "false")
  }
    test(NewestSpark.unless((mode == "EVENT_TIME_ORDERING") == adaptive.toBoolean)(
        s"a key that is in several partitions does not come twice into one, $tableType, $mode, adaptive=$adaptive")) {
      withConf("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.shuffle.partitions" -> "4") {
        val path = table(tableType, 40, "hoodie.record.merge.mode" -> mode)
        // Keys 0 to 9 in three partitions, 10 to 19 in two and one of them twice, 20 to 29 in two.
        for ((from, until, p) <- Seq((0L, 10L, "'to'"), (0L, 10L, "'third'"), (10L, 20L, "'third'"),
            (10L, 20L, "'third'"), (20L, 30L, "'to'")))
          write(rows(from, until, p, 1), path, "bulk_insert")
        write(rows(0, 35, "'to'", 2), path, "upsert", global: _*)
        val found = read(path).selectExpr("id", "p", "_hoodie_partition_path", "ts", "v").collect().map(_.mkString(" "))
        val expected = (0 until 40).map(i => if (i < 35) f"k$i%06d to to 2 at 2" else f"k$i%06d from from 1 at 1")
        assertEquals(found.sorted.toSeq, expected)
      }
    }

  test("of a key in several partitions the newest version is left where a later one than the change is there") {
    val path = table("COPY_ON_WRITE", 4, "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING")
    write(rows(0, 4, "'to'", 9), path, "bulk_insert")
    write(rows(0, 2, "'to'", 5), path, "upsert", global: _*)
    val found = read(path).selectExpr("id", "p", "ts").collect().map(_.mkString(" ")).sorted.toSeq
    assertEquals(found,
      Seq("k000000 to 9", "k000001 to 9", "k000002 from 1", "k000002 to 9", "k000003 from 1",
        "k000003 to 9"))
  }

  private def texts(path: String): Seq[String] =
    read(path).selectExpr("id", "p", "_hoodie_partition_path", "ts", "v").collect().map(_.mkString(" ")).sorted.toSeq

  /** Keys from `from` on in the partition, as [[texts]] shows them. */
  private def shown(from: Int, until: Int, p: String, ts: Int, v: String): Seq[String] = (from until until).map(i =>
    f"k$i%06d $p $p $ts $v")

  private def statement(path: String, kind: String, p: String, set: String, where: String): Unit =
    if (kind == "UPDATE") spark.sql(s"UPDATE hudilite.`$path` t SET p = $p, $set WHERE $where")
    else {
      read(path).where(where).selectExpr("id", "p", s"$p q").createOrReplaceTempView("moving")
      spark.sql(s"""MERGE INTO hudilite.`$path` t USING moving s ON t.id = s.id AND t.p = s.p
        WHEN MATCHED THEN UPDATE SET p = s.q, $set""")
    }

  private val buckets = "spark.datasource.hudilite.hoodie.bucket.index.num.buckets" -> "2"

  private val layouts = for {
    (tableType, index) <-
      Seq("COPY_ON_WRITE" -> "SIMPLE", "MERGE_ON_READ" -> "BLOOM", "COPY_ON_WRITE" -> "BUCKET",
        "MERGE_ON_READ" -> "BUCKET", "COPY_ON_WRITE" -> "GLOBAL_BLOOM", "MERGE_ON_READ" -> "GLOBAL_SIMPLE")
    kind <- Seq("UPDATE", "MERGE")
  } yield (tableType, index, kind)

  private val notGlobal = layouts.filterNot(_._2.startsWith("GLOBAL"))

  /** A test of one of the layouts: every Spark has each kind of table with each index and with each statement. */
  private def of(tableType: String, index: String, kind: String)(test: TestOptions): TestOptions = NewestSpark.unless(
    ((tableType == "COPY_ON_WRITE") == (kind == "UPDATE")) != (index == "BUCKET"))(test)

  private def indexed(index: String)(body: => Unit): Unit = withConf(
    Seq("spark.datasource.hudilite.hoodie.index.type" -> index, "spark.sql.shuffle.partitions" -> "4") ++
      Seq(buckets).filter(_ => index == "BUCKET"): _*)(body)

  for ((tableType, index, kind) <- layouts)
    test(of(tableType, index, kind)(
        s"a row that moves onto its key replaces the row that is there, $kind, $tableType, $index")) {
      indexed(index) {
        val path = table(tableType, 10)
        // One of them twice, as inserts may leave it.
        write(rows(5, 10, "'to'", 1).union(rows(9, 10, "'to'", 1)).coalesce(1), path, "bulk_insert")
        statement(path, kind, "'to'", "v = 'moved'", "p = 'from' AND id <> 'k000008'")
        assertEquals(texts(path),
          (shown(0, 8, "to", 1, "moved") ++ shown(8, 9, "from", 1, "at 1") ++ shown(8, 9, "to", 1, "at 1") ++
            shown(9, 10, "to", 1, "moved") ++ shown(9, 10, "to", 1, "moved")).sorted)
      }
    }

  for ((tableType, index, kind) <- notGlobal)
    test(of(tableType, index, kind)(
        s"a row that moves onto a newer one of its key leaves that, and one that comes too late stays, $kind, $tableType, $index")) {
      indexed(index) {
        val path = table(tableType, 10, "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING")
        write(rows(0, 2, "'to'", 9), path, "bulk_insert")
        write(rows(2, 4, "'to'", 3), path, "bulk_insert")
        val before = groups(path)
        // Late rows are those of even keys from 4 on.
        statement(path, kind, "'to'", "ts = IF(t.id < 'k000004', 5, int(substr(t.id, 2)) % 2), v = 'moved'",
          "p = 'from'")
        val odd = Seq(5, 7, 9).flatMap(i => shown(i, i + 1, "to", 1, "moved"))
        val even = Seq(4, 6, 8).flatMap(i => shown(i, i + 1, "from", 1, "at 1"))
        assertEquals(texts(path), (shown(0, 2, "to", 9, "at 9") ++ shown(2, 4, "to", 5, "moved") ++ odd ++ even).sorted)
        if (tableType == "COPY_ON_WRITE" && index != "BUCKET")
          assertEquals(groups(path), before, "new rows are packed")
      }
    }

  for ((tableType, mode) <- Seq("COPY_ON_WRITE" -> "EVENT_TIME_ORDERING", "MERGE_ON_READ" -> "COMMIT_TIME_ORDERING"))
    test(NewestSpark.unless(tableType == "COPY_ON_WRITE")(
        s"a statement that would move rows under a condition that none can meet moves none, $tableType, $mode")) {
      val path = table(tableType, 4, "hoodie.record.merge.mode" -> mode)
      val before = texts(path)
      rows(0, 6, "'to'", 2).createOrReplaceTempView("moving")
      def merge(on: String, clauses: String): String = s"MERGE INTO hudilite.`$path` t USING moving s ON $on $clauses"
      def statements(never: String, set: String): Seq[String] = Seq(
        s"UPDATE hudilite.`$path` t SET $set WHERE $never",
        merge("t.id = s.id", s"WHEN MATCHED AND $never THEN UPDATE SET $set"),
        merge(s"t.id = s.id AND $never", s"WHEN MATCHED THEN UPDATE SET $set"),
        merge("t.id = s.id", s"WHEN NOT MATCHED BY SOURCE AND $never THEN UPDATE SET $set"))
      // Each condition in each statement, and either with each of the assignments.
      for {
        (never, n) <- Seq("t.id = NULL", "t.id <> t.id AND false", "1 = 2").zipWithIndex
        (set, s) <- Seq("p = 'to'", "p = 'to', ts = 0L").zipWithIndex
        (statement, i) <- statements(never, set).zipWithIndex if (n + s + i) % 2 == 0
      } {
        spark.sql(statement)
        assertEquals(texts(path), before, statement)
      }
      spark.sql(merge("t.id = s.id AND t.id = NULL", "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"))
      assertEquals(texts(path), (before ++ shown(0, 6, "to", 2, "at 2")).sorted)
    }

  for ((tableType, index, kind) <- notGlobal)
    test(of(tableType, index, kind)(
        s"a row that moves is there when the statement takes the row of its key away, $kind, $tableType, $index")) {
      indexed(index) {
        val logOfBucket = tableType == "MERGE_ON_READ" && index == "BUCKET"
        val mode = if (logOfBucket) "COMMIT_TIME_ORDERING" else "EVENT_TIME_ORDERING"
        val path = table(tableType, 6, "hoodie.record.merge.mode" -> mode)
        write(rows(0, 6, "'to'", 9), path, "bulk_insert")
        statement(path, kind, "IF(p = 'to', 'third', 'to')", "v = 'moved'", "id < 'k000004'")
        assertEquals(texts(path),
          (shown(0, 4, "to", 1, "moved") ++ shown(0, 4, "third", 9, "moved") ++
            shown(4, 6, "from", 1, "at 1") ++ shown(4, 6, "to", 9, "at 9")).sorted)
        spark.sql(s"""MERGE INTO hudilite.`$path` t USING (SELECT 'k000004' id) s ON t.id = s.id
          WHEN MATCHED AND t.p = 'to' THEN DELETE WHEN MATCHED THEN UPDATE SET p = 'to'""")
        assertEquals(texts(path).filter(_.startsWith("k000004")), shown(4, 5, "to", 1, "at 1"))
        spark.sql(s"""MERGE INTO hudilite.`$path` t
          USING (SELECT 'k000005' id, 'to' p, 'at 9' v, 2L ts UNION ALL SELECT 'k000005', 'to', 'new', 2L) s
          ON t.id = s.id AND t.v = s.v WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *""")
        assertEquals(texts(path).filter(_.startsWith("k000005")),
          Seq("k000005 from from 1 at 1", "k000005 to to 2 new"))
      }
    }

  for ((mode, kind) <- Seq("COMMIT_TIME_ORDERING" -> "MERGE", "EVENT_TIME_ORDERING" -> "UPDATE"))
    test(NewestSpark.unless(kind == "UPDATE")(
        s"a row that moves onto a key that log files deleted is put back where that was, if it is seen there, $mode")) {
      indexed("BLOOM") {
        val path = table("MERGE_ON_READ", 6, "hoodie.record.merge.mode" -> mode, "hoodie.compact.inline" -> "false")
        write(rows(0, 2, "'to'", 1).union(rows(2, 4, "'to'", 9)).coalesce(1), path, "bulk_insert")
        spark.sql(s"DELETE FROM hudilite.`$path` WHERE p = 'to'")
        val before = groups(path)
        statement(path, kind, "'to'", "ts = 5L, v = 'moved'", "p = 'from' AND id < 'k000002'")
        assertEquals(groups(path), before, "no second file group has the key")
        statement(path, kind, "'to'", "ts = 5L, v = 'moved'", "p = 'from' AND id < 'k000004'")
        // The row that is gone is newer than those, which would not be seen in its file group.
        assertEquals(groups(path) == before, mode.startsWith("COMMIT"))
        assertEquals(texts(path), (shown(0, 4, "to", 5, "moved") ++ shown(4, 6, "from", 1, "at 1")).sorted)
        write(rows(0, 4, "'to'", 10), path, "upsert")
        assertEquals(texts(path), (shown(0, 4, "to", 10, "at 10") ++ shown(4, 6, "from", 1, "at 1")).sorted)
      }
    }

  test("in the log of a bucket no row comes to a deleted one's key where ordering values decide") {
    indexed("BUCKET") {
      val path = table("MERGE_ON_READ", 6, "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING")
      write(rows(0, 6, "'to'", 9), path, "bulk_insert")
      val before = texts(path)
      val statements = Seq(s"UPDATE hudilite.`$path` SET p = IF(p = 'to', 'third', 'to') WHERE id = 'k000001'",
        s"""MERGE INTO hudilite.`$path` t
          USING (SELECT 'k000005' id, 'to' p, 'at 9' v, 2L ts UNION ALL SELECT 'k000005', 'to', 'new', 2L) s
          ON t.id = s.id AND t.v = s.v WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT *""")
      for (statement <- statements) {
        val failure = intercept[HudiliteException](spark.sql(statement))
        assertEquals(failure.condition, "STATEMENT_NOT_SUPPORTED")
        assertEquals(texts(path), before)
      }
    }
  }

  for ((tableType, index, kind) <- notGlobal)
    test(of(tableType, index, kind)(
        s"a statement that brings two rows to one key fails and changes nothing, $kind, $tableType, $index")) {
      indexed(index) {
        val path = table(tableType, 4)
        write(rows(0, 4, "'third'", 1), path, "bulk_insert")
        write(rows(3, 4, "'to'", 1), path, "bulk_insert")
        val before = texts(path)
        for (where <- Seq("id = 'k000001'", "id = 'k000003' AND p <> 'from'")) {
          val failure = intercept[HudiliteException](statement(path, kind, "'to'", "v = 'moved'", where))
          assertEquals(failure.condition, "KEY_MOVED_TWICE")
          assertEquals(texts(path), before)
        }
      }
    }

  test("a statement that leaves partition columns alone has no other exchange and no lookup more") {
    val path = table("COPY_ON_WRITE", 10)
    def plan(statement: String): String = spark.sql(s"EXPLAIN $statement").head().getString(0)
    def count(text: String, of: String): Int = of.r.findAllIn(text).size
    rows(0, 4, "'to'", 2).createOrReplaceTempView("moving")
    def merge(set: String): String = s"""MERGE INTO hudilite.`$path` t USING moving s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET $set"""
    val update = s"UPDATE hudilite.`$path` SET v = 'x'"
    def costs(statement: String): (Int, Int, Int) = {
      val text = plan(statement)
      (count(text, "[- ]Exchange"), count(text, " SharedExchange"), count(text, "IndexProbe"))
    }
    assertEquals(costs(update), (1, 0, 0), plan(update))
    // One exchange more brings the rows of a key together, of which the newest counts.
    assertEquals(costs(merge("v = s.v")), (2, 1, 1), plan(merge("v = s.v")))
    // Until the keys are counted a lookup is planned with an exchange of what it finds.
    assertEquals(costs(s"$update, p = 'to'"), (2, 1, 1), plan(s"$update, p = 'to'"))
    val (_, shared, lookups) = costs(merge("p = s.p"))
    assertEquals((shared, lookups), (2, 2), plan(merge("p = s.p")))
  }

  for {
    tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")
    kind <- Seq("UPDATE", "MERGE")
  }
    test(NewestSpark.unless((tableType == "COPY_ON_WRITE") == (kind == "MERGE"))(
        s"4,000 rows that move with later ordering values make a file in each partition, $kind, $tableType")) {
      val path = table(tableType, 4000, "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING")
      val to = "concat('to', int(substr(id, 2)) % 40)"
      if (kind == "UPDATE") spark.sql(s"UPDATE hudilite.`$path` SET p = $to, ts = ts + 1, v = 'moved'")
      else {
        rows(0, 4000, "concat('to', id % 40)", 2).selectExpr("id", "p", "ts", "'moved' v")
          .createOrReplaceTempView("moving")
        spark.sql(s"MERGE INTO hudilite.`$path` t USING moving s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *")
      }
      assertEquals(read(path).where(s"p = $to AND v = 'moved' AND ts = 2").select("id").distinct().count(), 4000L)
      assertEquals((groups(path) - "from").values.toSeq, Seq.fill(40)(1))
    }

  test("20,000 rows that move to 100 partitions make a file in each, and so do 20,000 of a statement") {
    val path = table("COPY_ON_WRITE", 20000)
    write(rows(0, 20000, "concat('to', id % 100)", 2), path, "upsert", global: _*)
    assertEquals((groups(path) - "from").values.toSeq, Seq.fill(100)(1))
    spark.sql(s"UPDATE hudilite.`$path` SET p = concat('away', int(substr(id, 2)) % 100)")
    assertEquals(groups(path).collect { case (p, n) if p.startsWith("away") => n }.toSeq, Seq.fill(100)(1))
    assertEquals((read(path).count(), read(path).select("id").distinct().count()), (20000L, 20000L))
  }
}
