package io.hudilite.spark.plan.layout

import io.hudilite.error.HudiliteException
import io.hudilite.spark.NewestSpark
import io.hudilite.spark.SharedSession.withConf
import io.hudilite.spark.plan.ManyPartitions

import java.nio.file.{Files, Path, Paths}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.{AppendDataExec, WriteDeltaExec}
import org.apache.spark.sql.execution.hudilite.{LostShuffles, SharedRowsExec}
import org.apache.spark.sql.expressions.UserDefinedFunction
import org.apache.spark.sql.functions.{col, udf}

import scala.collection.JavaConverters._
import scala.util.Try

/** Writes into tables of more partitions than are looked at while a write is planned. */
final class CountedRowsSuite extends ManyPartitions {

  import CountedRowsSuite._

  test("an insert lists the partitions of its rows, and few others") {
    val table = created(Many)
    assertListed(listed(table)(save(changes(Touched, 100, 1, 2, "new"), _, "insert")), Touched, 2, "17 of 60")
    assertListed(listed(table)(save(changes(Seq(59), 100, 1, 2, "new"), _, "insert")), Seq(59), 2, "one of 60")
    assertListed(listed(table)(save(changes(Seq(80, 81), 100, 1, 2, "new"), _, "insert")), Seq(80, 81), 2, "new ones")
    val sql = listed(table) { path =>
      changes(Touched, 100, 1, 2, "new").createOrReplaceTempView("counted")
      spark.sql(s"INSERT INTO hudilite.`$path` SELECT * FROM counted")
    }
    assertListed(sql, Touched, 2, "INSERT INTO")
  }

  test("a write that looks for no small file lists nothing but the first partitions") {
    val table = created(Many)
    val rows = changes(Touched, 100, 1, 2, "new")
    assertListed(listed(table)(save(rows, _, "bulk_insert")), Nil, 2, "a bulk insert")
    assertListed(listed(table)(save(rows, _, "insert", Map("hoodie.parquet.small.file.limit" -> "0"))), Nil, 2,
      "an insert into new files")
  }

  test("an upsert lists the partitions of its rows, and few others") {
    assertListed(listed(created(Many))(save(changes(Touched, 1, 2, 2, "new"), _, "upsert")), Touched, 2, "an upsert")
  }

  private def bucketWrites(touched: Seq[Int]): Seq[(String, String => Unit)] = {
    val rows = changes(touched, 1, 2, 2, "new")
    def sql(path: String, statement: String): Unit =
      withConf(buckets.toSeq.map { case (key, value) => s"spark.datasource.hudilite.$key" -> value }: _*) {
        rows.createOrReplaceTempView("counted")
        spark.sql(statement.replace("TABLE", s"hudilite.`$path`"))
        ()
      }
    Seq[(String, String => Unit)](
      "upsert" -> (save(rows, _, "upsert", buckets)),
      "insert" -> (save(changes(touched, 100, 2, 2, "new"), _, "insert", buckets)),
      "bulk_insert" -> (save(changes(touched, 100, 2, 2, "new"), _, "bulk_insert", buckets)),
      "delete" -> (save(rows, _, "delete", buckets)),
      "UPDATE" -> (sql(_, s"UPDATE TABLE SET v = 'new' WHERE p IN (${names(touched).mkString("'", "', '", "'")})")),
      "DELETE" -> (sql(_, s"DELETE FROM TABLE WHERE p IN (${names(touched).mkString("'", "', '", "'")})")),
      "MERGE" ->
        (sql(_,
          "MERGE INTO TABLE t USING counted s ON t.id = s.id AND t.p = s.p " +
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")))
  }

  for (kind <- kinds)
    test(
      s"a write into buckets lists the partitions of its rows, and few others to see what buckets there are, $kind") {
      val table = created(Many, buckets + ("hoodie.datasource.write.table.type" -> kind))
      for ((name, write) <- bucketWrites(Seq(17, 40, 59)))
        assertListed(listed(table)(write), Seq(17, 40, 59), CountedRows.MostPlanned, name)
    }

  for ((kind, adaptive) <- Seq("COPY_ON_WRITE" -> "true", "COPY_ON_WRITE" -> "false", "MERGE_ON_READ" -> "true"))
    test(NewestSpark.unless((kind == "COPY_ON_WRITE") != adaptive.toBoolean)(
        s"a write into buckets does to many partitions what it does to few, $kind, adaptive=$adaptive")) {
      withConf("spark.sql.adaptive.enabled" -> adaptive) {
        val elsewhere = "MERGE elsewhere" -> { (path: String) =>
          withConf(buckets.toSeq.map { case (key, value) => s"spark.datasource.hudilite.$key" -> value }: _*) {
            changes(Seq(3, 7), 1, 4, 2, "new").createOrReplaceTempView("counted")
            spark.sql(s"MERGE INTO hudilite.`$path` t USING counted s ON t.id = s.id AND t.p = s.p " +
              "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p, ts, v) VALUES (s.id, 'p06', s.ts, s.v)")
            ()
          }
        }
        val tables = Seq(8, Many).map(n => n -> created(n, buckets + ("hoodie.datasource.write.table.type" -> kind)))
        for ((name, write) <- bucketWrites(Seq(3, 5, 7)) :+ elsewhere) {
          val found = tables.map { case (partitions, original) =>
            val table = copied(original)
            val before = groups(table)
            write(table)
            val rows = read(table).select("id", "p", "ts", "v", "_hoodie_record_key", "_hoodie_partition_path")
            assertEquals(rows.where("p >= 'p08'").count(), 2L * (partitions - 8), name)
            val first = names(0 until 8)
            assertEquals(groups(table) -- first, before -- first, name)
            (rows.where("p < 'p08'").collect().map(_.toString).sorted.toSeq, groups(table).filter(g => first(g._1)))
          }
          assertEquals(found(1), found(0), name)
        }
      }
    }

  private def shared(nodes: Seq[SparkPlan]): Int = nodes.count(_.isInstanceOf[SharedRowsExec])

  for (adaptive <- Seq("true", "false"))
    test(s"rows are counted where a table has more than eight partitions, and only there, adaptive=$adaptive") {
      withConf("spark.sql.adaptive.enabled" -> adaptive) {
        for ((partitions, counts) <- Seq(8 -> 0, 9 -> 1)) {
          val plain = created(partitions)
          val rows = changes(Seq(3, 7), 100, 2, 2, "new")
          val insert = executed(save(rows, plain, "insert"), _.isInstanceOf[AppendDataExec])
          assertEquals((shared(insert), shuffles(insert)), (counts, 1 + counts), clue = s"${insert.head}")
          assertEquals(groups(plain), (0 until partitions).map(p => f"p$p%02d" -> 1).toMap)
          val inBuckets = created(partitions, buckets)
          for ((name, write) <- bucketWrites(Seq(3, 7)) if Set("upsert", "UPDATE")(name)) {
            val nodes = executed(write(inBuckets),
              node => node.isInstanceOf[AppendDataExec] || node.isInstanceOf[WriteDeltaExec])
            assertEquals((shared(nodes), shuffles(nodes)), (counts, 1 + counts), clue = s"$name: ${nodes.head}")
          }
          assertEquals(read(inBuckets).where("v = 'new'").count(), 6L)
        }
      }
    }

  for (kind <- kinds)
    test(
      s"new rows of many partitions are packed into the small file of each, and new partitions get one file, $kind") {
      val table = created(Many, Map("hoodie.datasource.write.table.type" -> kind))
      save(changes(Touched ++ Seq(70, 71), 100, 3, 2, "new"), table, "insert")
      assertEquals(groups(table), ((0 until Many) ++ Seq(70, 71)).map(p => f"p$p%02d" -> 1).toMap)
      assertEquals((read(table).count(), read(table).where("v = 'new'").count()), (2L * Many + 57, 57L))
    }

  test("a partition that gets few new rows gets one file of them, however many others get") {
    val table = created(9)
    val sizes = Map("hoodie.parquet.max.file.size" -> "5000000", "hoodie.parquet.small.file.limit" -> "1000",
      "hoodie.record.size.estimation.threshold" -> "1000", "hoodie.copyonwrite.record.size.estimate" -> "250")
    val many = spark.range(40000)
      .selectExpr("concat('new', id) id", "if(id < 39990, 'p01', 'p02') p", "2L ts", "md5(string(id)) v")
    save(many, table, "insert", sizes)
    val found = groups(table)
    assertEquals(found("p02"), 1 + 1)
    assertEquals(found("p01"), 1 + 2, "spread over as many tasks as there are cores")
    assertEquals(read(table).count(), 18L + 40000)
  }

  for (kind <- kinds)
    test(s"of a key that comes twice into buckets the later row stays, and an insert keeps both, $kind") {
      val table = created(Many, buckets + ("hoodie.datasource.write.table.type" -> kind))
      val twice = changes(Touched, 0, 1, 2, "one").coalesce(1).union(changes(Touched, 0, 1, 2, "two").coalesce(1))
      save(twice, table, "upsert", buckets)
      def values(where: String): Map[String, Long] =
        read(table).where(where).groupBy("v").count().collect().map(r => r.getString(0) -> r.getLong(1)).toMap
      assertEquals(values("true"), Map("old" -> (2L * Many - 17), "two" -> 17L))
      assertEquals(groups(table).values.sum, opened(created(Many, buckets)).allSlices().values.map(_.size).sum)
      if (kind == "COPY_ON_WRITE") {
        save(changes(Touched, 0, 1, 3, "copy"), table, "insert", buckets)
        assertEquals(values("true"), Map("old" -> (2L * Many - 17), "two" -> 17L, "copy" -> 17L))
      }
    }

  for (adaptive <- Seq("true", "false"))
    test(NewestSpark.unless(adaptive.toBoolean)(
        s"an insert whose rows are counted evaluates them once, adaptive=$adaptive")) {
      withConf("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.exchange.reuse" -> "false") {
        for ((options, operation) <- Seq(Map.empty[String, String] -> "insert", buckets -> "upsert")) {
          val table = created(Many, options)
          evaluated.set(0)
          save(
            spark.range(200).select(anywhere(col("id")).as("at")).selectExpr(
              "concat('new', at) id", "concat('p', lpad(at % 70, 2, '0')) p", "2L ts", "'new' v"), table, operation,
            options + ("hoodie.combine.before.upsert" -> "false"))
          assertEquals(evaluated.get, 200L)
          val found = read(table).where("v = 'new'")
          assertEquals((read(table).count(), found.count()), (2L * Many + 200, 200L))
          assertEquals(found.where("concat('p', lpad(cast(substring(id, 4) AS bigint) % 70, 2, '0')) <> p").count(), 0L)
        }
      }
    }

  test("a stage that is run again as something was lost on the way leaves every row once") {
    for ((options, operation) <- Seq(Map.empty[String, String] -> "insert", buckets -> "upsert")) {
      val table = created(Many, options)
      shufflesBefore = LostShuffles.known
      loses.set(true)
      val rows = changes(Touched, 100, 5, 2, "new").dropDuplicates("id").withColumn("v", unlessLost(col("v")))
      save(rows, table, operation, options)
      assert(!loses.get, "nothing was lost")
      assertEquals(read(table).where("v = 'new'").select("id").distinct().count(), 85L)
      assertEquals(read(table).count(), 2L * Many + 85)
    }
  }

  private def files(path: String): Set[String] = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator.asScala.map(_.toString).filter(_.endsWith(".parquet")).toSet
    finally walk.close()
  }

  private def baseFiles(path: String, partition: String): Seq[Path] = {
    val all = Files.list(Paths.get(path, partition))
    try all.iterator.asScala.filter(_.getFileName.toString.endsWith(".parquet")).toList
    finally all.close()
  }

  for (adaptive <- Seq("true", "false"))
    test(NewestSpark.unless(!adaptive.toBoolean)(
        s"buckets that are not what the index says end a write before it begins, adaptive=$adaptive")) {
      withConf("spark.sql.adaptive.enabled" -> adaptive) {
        val table = created(Many, buckets)
        // One file more of a bucket that has one, in a partition that is looked at when there are rows for it.
        val one = baseFiles(table, "p50").head
        val (bucket, rest) = one.getFileName.toString.splitAt(9)
        Files.copy(one, one.resolveSibling(s"$bucket${if (rest.head == 'f') 'e' else 'f'}${rest.tail}"))
        val (timeline, before) = (opened(table).timeline, files(table))
        for ((name, write) <- bucketWrites(Seq(50, 51)) if name != "delete") {
          val refused = Try(write(table)).failed.toOption match {
            case Some(e: HudiliteException) => e
            case other => fail(s"$name: $other")
          }
          assertEquals(refused.condition, "UNSUPPORTED_TABLE_FEATURE", name)
          assertEquals(refused.getMessage.split('\n').length, 1, refused.getMessage)
          assertEquals((opened(table).timeline, files(table)), (timeline, before), name)
        }
        for ((_, write) <- bucketWrites(Seq(20, 51))) write(table)
        assert(read(table).where("p = 'p20'").count() > 0)
      }
    }
}

/** State of the tests' functions, which must not take the suite along. */
object CountedRowsSuite {

  private val evaluated = new AtomicLong
  private val loses = new AtomicBoolean
  @volatile private var shufflesBefore = Set.empty[Int]

  /** Another number each time, in the same order. */
  private val anywhere: UserDefinedFunction = udf { (n: Long) =>
    evaluated.incrementAndGet()
    n * 1000000L + scala.util.Random.nextInt(1000000)
  }.asNondeterministic()

  /** The first call finds that all is lost which the write has put by so far. */
  private val unlessLost: UserDefinedFunction = udf { (v: String) =>
    if (loses.getAndSet(false)) LostShuffles.failToRead(LostShuffles.known -- shufflesBefore)
    v
  }
}
