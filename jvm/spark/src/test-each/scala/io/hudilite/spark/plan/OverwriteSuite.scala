package io.hudilite.spark.plan

import io.hudilite.config.WriteConf
import io.hudilite.error.HudiliteException
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.plan.table.Overwrite

import java.nio.file.{Files, Path}

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.functions.expr

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Rows that overwriting writes replace, by conditions and by modes. */
final class OverwriteSuite extends FunSuite {

  override val munitTimeout: Duration = 5.minutes

  private lazy val spark = SharedSession.spark
  private lazy val root: Path = Files.createTempDirectory("hudilite-overwrite")

  private val facts = Map("hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "dt")

  private def rows(of: (Int, String)*): DataFrame = {
    val session = spark
    import session.implicits._
    of.toDF("id", "dt")
  }

  private val old = Seq(1 -> "a", 2 -> "b", 3 -> "c")

  private def path(name: String): String = root.resolve(name).toString

  private def save(frame: DataFrame, path: String, mode: SaveMode, options: (String, String)*): Unit =
    frame.write.format("hudilite").options(facts ++ options).mode(mode).save(path)

  private def reset(path: String): Unit = save(rows(old: _*), path, SaveMode.Overwrite)

  private def found(path: String): Seq[String] =
    spark.read.format("hudilite").load(path).collect().map(_.toString).sorted.toSeq

  /** The commits of the table, without what the services after them did. */
  private def commits(path: String): Seq[String] = {
    val files = Files.list(Path.of(path, ".hoodie", "timeline"))
    try files.iterator().asScala.map(_.getFileName.toString).filter(_.matches(".*commit$")).toSeq.sorted
    finally files.close()
  }

  private def causes(e: Throwable): Seq[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).take(20).toSeq

  private def refused(path: String, condition: String, told: String*)(body: => Any): Unit = {
    val before = found(path)
    val error = causes(intercept[Exception](body)).collectFirst { case e: HudiliteException => e }
    assert(error.exists(e => e.condition == condition && told.forall(e.getMessage.contains)), s"$told: $error")
    assertEquals(found(path), before)
  }

  test("a condition replaces exactly its partitions by one replace commit, at every door") {
    val table = path("doors")
    reset(table)
    type Door = (String, DataFrame) => Unit
    val option: Door = (condition, rows) => save(rows, table, SaveMode.Overwrite, "replaceWhere" -> condition)
    val writeTo: Door = (condition, rows) => rows.writeTo(s"hudilite.`$table`").overwrite(expr(condition))
    val statement: Door = (condition, rows) => {
      rows.createOrReplaceTempView("overwriting_rows")
      spark.sql(s"INSERT INTO hudilite.`$table` REPLACE WHERE $condition SELECT * FROM overwriting_rows")
    }
    Seq[(Door, String, Seq[(Int, String)], Seq[String])](
      (option, "DT IN ('a', 'b') OR dt = 'q'", Seq(7 -> "a", 8 -> "a"), Seq("[3,c]", "[7,a]", "[8,a]")),
      (writeTo, "dt >= 'b' AND upper(dt) <> 'Q'", Seq(8 -> "d"), Seq("[7,a]", "[8,a]", "[8,d]")),
      (writeTo, "dt = 'nobody'", Nil, Seq("[7,a]", "[8,a]", "[8,d]")),
      (statement, "dt = 'a'", Seq(9 -> "a"), Seq("[8,d]", "[9,a]")),
      (option, "dt = 'z'", Nil, Seq("[8,d]", "[9,a]")),
      (statement, "dt < 'b'", Nil, Seq("[8,d]")),
      (option, "true", Seq(1 -> "a"), Seq("[1,a]"))).foreach { case (door, condition, of, expected) =>
      val before = commits(table)
      door(condition, rows(of: _*))
      assertEquals(found(table), expected, condition)
      val made = commits(table).diff(before)
      assert(made.size == 1 && made.head.endsWith(".replacecommit"), s"$condition: $made")
    }
  }

  test("a static partition of INSERT OVERWRITE is the only one that is replaced") {
    val table = path("static")
    reset(table)
    spark.sql(s"INSERT OVERWRITE hudilite.`$table` PARTITION (dt = 'a') SELECT 7")
    assertEquals(found(table), Seq("[2,b]", "[3,c]", "[7,a]"))
  }

  test("INSERT OVERWRITE replaces what it does in a table of Spark's own, in both modes, by rows or none") {
    val facts = Map("hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.partitionpath.field" -> "dt,n")
    val start =
      Seq("(1, 'd1', 1)", "(2, 'd1', 2)", "(3, 'd2', 1)", "(4, NULL, 3)").mkString("VALUES ", ", ", " AS t(id, dt, n)")
    val statements = for {
      (partition, columns) <- Seq("" -> "id, dt, n", "PARTITION (n = '01', dt = 'd1')" -> "id",
        "PARTITION (dt = 'none', n = 9)" -> "id", "PARTITION (dt = 'd1', n)" -> "id, n")
      where <- Seq("", " WHERE id < 0")
    } yield partition -> s"SELECT $columns FROM VALUES (7, 'd1', 1), (8, 'd1', 5) AS s(id, dt, n)$where"
    // The folder of null holds empty texts, too, so that a condition does not tell which of its rows it means.
    val ofNull = Seq("", " WHERE id < 0").map(where =>
      "PARTITION (dt = NULL, n = 3)" -> s"SELECT id FROM VALUES (7), (8) AS s(id)$where")
    for (mode <- Seq("static", "dynamic"))
      SharedSession.withConf("spark.sql.sources.partitionOverwriteMode" -> mode, Interpreted.Setting) {
        val all = if (mode == "static") statements else statements ++ ofNull
        all.zipWithIndex.foreach { case ((partition, query), i) =>
          val table = path(s"$mode-$i")
          spark.sql(s"SELECT * FROM $start").write.format("hudilite").options(facts).mode("append").save(table)
          spark.sql(s"CREATE TABLE beside USING parquet PARTITIONED BY (dt, n) AS SELECT * FROM $start")
          try {
            Seq(s"hudilite.`$table`", "beside").foreach(t => spark.sql(s"INSERT OVERWRITE $t $partition $query"))
            assertEquals(found(table), spark.table("beside").collect().map(_.toString).sorted.toSeq,
              s"$mode $partition $query")
          } finally spark.sql("DROP TABLE beside")
        }
      }
  }

  test("columns that an overwrite of a named partition leaves out are null, in both modes") {
    val facts = Map("hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.partitionpath.field" -> "dt")
    for (mode <- Seq("static", "dynamic"))
      SharedSession.withConf("spark.sql.sources.partitionOverwriteMode" -> mode) {
        val table = path(s"some-$mode")
        spark.sql("SELECT * FROM VALUES (1, 'v', 'a'), (2, 'w', 'b') AS t(id, v, dt)")
          .write.format("hudilite").options(facts).mode("append").save(table)
        spark.sql(s"INSERT OVERWRITE hudilite.`$table` PARTITION (dt = 'a') (id) VALUES (7)")
        assertEquals(found(table), Seq("[2,w,b]", "[7,null,a]"))
        val refused = intercept[Exception](
          spark.sql(s"INSERT OVERWRITE hudilite.`$table` PARTITION (dt = 'a') (v) VALUES ('x')"))
        assert(refused.getMessage.contains("[MISSING_COLUMN]"), refused.getMessage)
      }
  }

  test("a partition that is named is found beside a query of the table, and none is named by a DataFrame") {
    val table = path("named")
    reset(table)
    SharedSession.withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
      spark.sql(
        s"INSERT OVERWRITE hudilite.`$table` PARTITION (dt = 'a') SELECT id FROM hudilite.`$table` WHERE id > 9")
      assertEquals(found(table), Seq("[2,b]", "[3,c]"))
      spark.sql(s"WITH s AS (SELECT 8 AS id) INSERT OVERWRITE hudilite.`$table` PARTITION (dt = 'c') SELECT * FROM s")
      assertEquals(found(table), Seq("[2,b]", "[8,c]"))
      spark.sql(
        s"INSERT OVERWRITE hudilite.`$table` PARTITION (dt = '..') SELECT id FROM hudilite.`$table` WHERE id > 9")
      rows().writeTo(s"hudilite.`$table`").overwritePartitions()
      assertEquals(found(table), Seq("[2,b]", "[8,c]"))
    }
  }

  test("a condition that does not select whole partitions, or rows outside of it, change nothing") {
    val table = path("refused")
    reset(table)
    def where(condition: String, more: (String, String)*): Unit =
      save(rows(7 -> "a"), table, SaveMode.Overwrite, ("replaceWhere" -> condition) +: more: _*)
    val option = "INVALID_OPTION_VALUE"
    refused(table, option, "replaceWhere", "dt = a", "not within")(where("dt = 'b'"))
    refused(table, option, "replaceWhere", "id is no partition column", "dt")(where("id = 1"))
    refused(table, option, "replaceWhere", "nope")(where("nope = 1"))
    refused(table, option, "replaceWhere", "SYNTAX_ERROR")(where("dt = "))
    Seq("dt = ", "dt", "", "1 = 1", "dt = 'a' AND rand() > 2", "dt = (SELECT 'a')").foreach(condition =>
      refused(table, option, "replaceWhere")(where(condition)))
    refused(table, option, "replaceWhere")(where("dt = 'a'", "partitionOverwriteMode" -> "dynamic"))
    refused(table, option, "replaceWhere")(
      where("dt = 'a'", "hoodie.datasource.write.operation" -> "insert_overwrite_table"))
    refused(table, option, "delete")(where("dt = 'a'", "hoodie.datasource.write.operation" -> "delete"))
    refused(table, option, "replaceWhere", "adds rows")(
      save(rows(7 -> "a"), table, SaveMode.Append, "replaceWhere" -> "dt = 'a'"))
    val statement = "STATEMENT_NOT_SUPPORTED"
    refused(table, statement, "no partition column")(
      spark.sql(s"INSERT INTO hudilite.`$table` REPLACE WHERE id = 1 VALUES (7, 'a')"))
    refused(table, statement, "not within")(
      rows(7 -> "a").writeTo(s"hudilite.`$table`").overwrite(expr("dt = 'b'")))
  }

  test("values are read back from the names of partitions, and a name that does not tell them is an error") {
    val table = path("spelled")
    val options = Seq("hoodie.datasource.write.partitionpath.field" -> "d,s",
      "hoodie.datasource.write.hive_style_partitioning" -> "true",
      "hoodie.datasource.write.partitionpath.urlencode" -> "true")
    def typed(id: Int, d: String, s: String): DataFrame =
      spark.sql(s"SELECT $id AS id, CAST($d AS DATE) AS d, CAST($s AS STRING) AS s")
    val all = typed(1, "'2024-01-01'", "'x/y'").union(typed(2, "'2024-02-01'", "NULL")).union(typed(3, "NULL", "''"))
    def ids: Seq[Int] = spark.read.format("hudilite").load(table).select("id").collect().map(_.getInt(0)).sorted.toSeq
    def where(condition: String): Seq[Int] = {
      save(all, table, SaveMode.Overwrite, options: _*)
      save(all.limit(0), table, SaveMode.Overwrite, options :+ ("replaceWhere" -> condition): _*)
      ids
    }
    assertEquals(where("d = '2024-01-01'"), Seq(2, 3))
    assertEquals(where("year(d) = 2024 AND month(d) > 1"), Seq(1, 3))
    assertEquals(where("d IS NULL"), Seq(1, 2))
    save(all, table, SaveMode.Overwrite, options: _*)
    refused(table, "INVALID_OPTION_VALUE", "does not tell")(
      save(all.limit(0), table, SaveMode.Overwrite, options :+ ("replaceWhere" -> "s IS NULL"): _*))
  }

  test("merge-on-read tables and tables of buckets are replaced by a condition as well") {
    Seq("mor" -> Seq("hoodie.datasource.write.table.type" -> "MERGE_ON_READ"),
      "buckets" -> Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2")).foreach {
      case (name, options) =>
        val table = path(name)
        save(rows(old: _*), table, SaveMode.Append, options: _*)
        save(rows(1 -> "a", 4 -> "b"), table, SaveMode.Append, options: _*)
        save(rows(7 -> "a"), table, SaveMode.Overwrite, options :+ ("replaceWhere" -> "dt < 'c'"): _*)
        save(rows(7 -> "a", 8 -> "c"), table, SaveMode.Append, options: _*)
        assertEquals(found(table), Seq("[3,c]", "[7,a]", "[8,c]"), name)
    }
  }

  test("the mode of overwrites comes from the operation, the option or the session, and contradictions are refused") {
    val table = path("modes")
    val session = "spark.sql.sources.partitionOverwriteMode"
    val mode = "partitionOverwriteMode"
    val operation = "hoodie.datasource.write.operation"
    val part = Overwrite.Partitions(byMode = true)
    Seq[(String, Boolean, Seq[(String, String)], Overwrite)](
      ("static", true, Nil, Overwrite.Table), ("dynamic", true, Nil, part), ("dynamic", false, Nil, Overwrite.Table),
      ("static", true, Seq(mode -> "dynamic"), part), ("static", false, Seq(mode -> "dynamic"), part),
      ("dynamic", true, Seq(mode -> "STATIC"), Overwrite.Table),
      ("static", true, Seq(operation -> "insert_overwrite"), Overwrite.Partitions(byMode = false)),
      ("dynamic", true, Seq(operation -> "insert_overwrite_table"), Overwrite.Table),
      ("static", true, Seq(mode -> "dynamic", operation -> "insert_overwrite"), part),
      ("static", true, Seq("hoodie.datasource.overwrite.mode" -> "DYNAMIC", operation -> "bulk_insert"), part),
      ("dynamic", true, Seq("replaceWhere" -> "dt < 'b'"), Overwrite.Condition("dt < 'b'"))).foreach {
      case (ofSession, dataFrame, options, expected) =>
        SharedSession.withConf(session -> ofSession)(
          assertEquals(Overwrite.whole(WriteConf.of(options.toMap), dataFrame), expected, s"$ofSession $options"))
    }
    reset(table)
    save(rows(7 -> "a"), table, SaveMode.Overwrite, mode -> "dynamic", operation -> "bulk_insert")
    assertEquals(found(table), Seq("[2,b]", "[3,c]", "[7,a]"))
    Seq(Seq(mode -> "dynamic", operation -> "insert_overwrite_table"),
      Seq(mode -> "static", operation -> "insert_overwrite"),
      Seq(mode -> "dynamc")).foreach(options =>
      refused(table, "INVALID_OPTION_VALUE", mode)(save(rows(8 -> "a"), table, SaveMode.Overwrite, options: _*)))
    refused(table, "INVALID_OPTION_VALUE", mode)(save(rows(8 -> "a"), table, SaveMode.Append, mode -> "dynamic"))
    refused(table, "INVALID_OPTION_VALUE", mode)(
      rows(8 -> "a").writeTo(s"hudilite.`$table`").option(mode, "static").overwritePartitions())
  }

  test("a table without partitions is replaced as a whole by either mode") {
    val table = path("unpartitioned")
    val options = Seq("hoodie.datasource.write.partitionpath.field" -> "")
    save(rows(old: _*), table, SaveMode.Append, options: _*)
    save(rows(), table, SaveMode.Overwrite, options :+ ("partitionOverwriteMode" -> "dynamic"): _*)
    assertEquals(found(table), Nil)
  }
}
