package io.hudilite.spark.catalog

import io.hudilite.config.IneffectiveOptions
import io.hudilite.error.InvalidInput
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.timeline.InstantTime

import java.nio.file.{Files, Paths}
import java.time.ZoneId

import org.apache.spark.sql.DataFrame

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Options at every door: a read, a write, a statement, a compaction, a session. */
final class RequestOptionsSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 5.minutes

  private lazy val spark = SharedSession.spark

  private val keys = Map("hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "dt")

  /** Options that nobody here knows; all of them were taken and had no effect once. */
  private val unknown =
    Seq("replaceWheres", "overwrite-mode", "as.of.instnt", "header", "overwriteSchema", "hoodie.tabel.name")

  private def row(id: Int, dt: String): DataFrame = spark.sql(s"SELECT $id AS id, '$dt' AS dt")

  /** A table with a row for each of two instants. */
  private val tableOf: FunFixture[String] = FunFixture[String](
    setup = _ => {
      val path = Files.createTempDirectory("hudilite-options").resolve("table").toString
      row(1, "a").write.format("hudilite").options(keys).mode("append").save(path)
      row(2, "b").write.format("hudilite").mode("append").save(path)
      path
    },
    teardown = _ => ())

  private def rows(frame: DataFrame): Seq[String] = frame.collect().map(_.toString).sorted.toSeq
  private def newest(path: String): Seq[String] = rows(spark.read.format("hudilite").load(path))
  private val both = Seq("[1,a]", "[2,b]")

  private def firstInstant(path: String): String =
    spark.read.format("hudilite").load(path).selectExpr("min(_hoodie_commit_time)").head().getString(0)

  private def refused(condition: String, option: String)(body: => Any): Unit = {
    val e = intercept[InvalidInput](body)
    assertEquals((e.condition, e.parameters("option").toLowerCase), (condition, option.toLowerCase))
  }

  tableOf.test("an option that nobody knows is refused by a read, however it is given") { path =>
    unknown.foreach { name =>
      refused("UNKNOWN_OPTION", name)(spark.read.format("hudilite").option(name, "true").load(path))
      refused("UNKNOWN_OPTION", name)(spark.read.option(name, "true").table(s"hudilite.`$path`").collect())
      if (spark.version >= "4") refused("UNKNOWN_OPTION", name)(
        spark.sql(s"SELECT * FROM hudilite.`$path` WITH (`$name` = 'true')").collect())
    }
  }

  tableOf.test("an option that nobody knows is refused by a write, however it is given, and nothing is written") {
    path =>
      def plain = row(3, "a").write.format("hudilite")
      unknown.foreach { name =>
        Seq("append", "overwrite", "errorifexists", "ignore").foreach(mode =>
          refused("UNKNOWN_OPTION", name)(plain.options(keys).option(name, "dynamic").mode(mode).save(s"$path-$mode")))
        Seq("append", "overwrite").foreach(mode =>
          refused("UNKNOWN_OPTION", name)(plain.option(name, "dynamic").mode(mode).save(path)))
        refused("UNKNOWN_OPTION", name)(row(3, "a").writeTo(s"hudilite.`$path`").option(name, "x").append())
        refused("UNKNOWN_OPTION", name)(row(3, "a").writeTo(s"hudilite.`$path`").option(name,
            "x").overwritePartitions())
        refused("UNKNOWN_OPTION", name)(plain.option(name, "x").mode("append").insertInto(s"hudilite.`$path`"))
        if (spark.version >= "4") refused("UNKNOWN_OPTION", name)(
          spark.sql(s"INSERT INTO hudilite.`$path` WITH (`$name` = 'x') VALUES (3, 'a')"))
      }
      assertEquals(newest(path), both)
      assert(!Files.exists(Paths.get(s"$path-overwrite")))
  }

  tableOf.test("an option of a statement counts as one of a DataFrame does") { path =>
    if (spark.version >= "4") {
      spark.sql(s"INSERT INTO hudilite.`$path` WITH (`hoodie.datasource.write.operation` = 'upsert') VALUES (2, 'b')")
      assertEquals(newest(path), both)
    }
  }

  tableOf.test("an option of a session that nobody knows is refused by what comes next") { path =>
    SharedSession.withConf("spark.datasource.hudilite.as.of.instnt" -> "20240101") {
      Seq[() => Any](
        () => newest(path), () => spark.sql(s"SELECT * FROM hudilite.`$path`"),
        () => spark.sql(s"UPDATE hudilite.`$path` SET id = 4"),
        () => spark.sql(s"DELETE FROM hudilite.`$path`"),
        () => spark.sql(s"INSERT INTO hudilite.`$path` VALUES (3, 'a')"),
        () => row(3, "a").write.format("hudilite").mode("append").save(path),
        () => CompactionRun(ServiceCall(spark, path)).preview())
        .foreach(next => refused("UNKNOWN_OPTION", "as.of.instnt")(next()))
    }
    assertEquals(newest(path), both)
  }

  tableOf.test("a session may set options of reads and of writes, and each takes its own") { path =>
    SharedSession.withConf("spark.datasource.hudilite.hoodie.datasource.write.operation" -> "insert",
      "spark.datasource.hudilite.hoodie.Datasource.read.meta.columns" -> "true") {
      assertEquals(spark.read.format("hudilite").load(path).columns.length, 7)
    }
    SharedSession.withConf("spark.datasource.hudilite.hoodie.datasource.write.operation" -> "insert") {
      row(2, "b").write.format("hudilite").mode("append").save(path)
      assertEquals(newest(path), both :+ "[2,b]")
    }
  }

  tableOf.test("options of writes are refused by reads, and those of reads by writes") { path =>
    val first = firstInstant(path)
    refused("OPTION_NOT_SUPPORTED", "hoodie.datasource.write.operation")(
      spark.read.format("hudilite").option("hoodie.datasource.write.operation", "upsert").load(path).collect())
    refused("OPTION_NOT_SUPPORTED", "as.of.instant")(
      row(3, "a").write.format("hudilite").option("as.of.instant", first).mode("append").save(path))
    // Spark 4.3 refuses this one itself.
    val error = intercept[Exception](
      row(3, "a").writeTo(s"hudilite.`$path`").option("versionAsOf", first).append())
    assert(Seq("OPTION_NOT_SUPPORTED", "TIME_TRAVEL").exists(error.getMessage.contains), error)
    refused("OPTION_NOT_SUPPORTED", "as.of.instant")(
      CompactionRun(ServiceCall(spark, path, Map("as.of.instant" -> first))).preview())
    val facts = keys ++ Map("hoodie.index.type" -> "SIMPLE", "hoodie.metadata.enable" -> "false")
    assertEquals(rows(spark.read.format("hudilite").options(facts).load(path)), both)
  }

  tableOf.test("a session that reads the past does not write upon it") { path =>
    val first = firstInstant(path)
    SharedSession.withConf("spark.datasource.hudilite.as.of.instant" -> first) {
      assertEquals(newest(path), Seq("[1,a]"))
      Seq(s"UPDATE hudilite.`$path` SET dt = 'c'", s"DELETE FROM hudilite.`$path`",
        s"INSERT INTO hudilite.`$path` VALUES (3, 'a')",
        s"MERGE INTO hudilite.`$path` t USING (SELECT 1 AS id, 'a' AS dt) s ON t.id = s.id WHEN MATCHED THEN DELETE")
        .foreach(statement => refused("OPTION_NOT_SUPPORTED", "as.of.instant")(spark.sql(statement)))
      refused("OPTION_NOT_SUPPORTED", "as.of.instant")(
        row(3, "a").write.format("hudilite").mode("append").save(path))
    }
    assertEquals(newest(path), both)
  }

  tableOf.test("versionAsOf and timestampAsOf read the past as VERSION and TIMESTAMP AS OF do") { path =>
    val first = firstInstant(path)
    def read(options: (String, String)*): Seq[String] =
      rows(spark.read.format("hudilite").options(options.toMap).load(path))
    def ofTable(options: (String, String)*): Seq[String] =
      rows(spark.read.options(options.toMap).table(s"hudilite.`$path`"))
    Seq(read _, ofTable _).foreach { asked =>
      assertEquals(asked(Seq("versionAsOf" -> first)), Seq("[1,a]"))
      assertEquals(asked(Seq("as.of.instant" -> first)), Seq("[1,a]"))
      assertEquals(asked(Seq("timestampAsOf" -> "2099-01-01")), both)
      SharedSession.withConf("spark.sql.session.timeZone" -> "Pacific/Kiritimati") {
        val millis = InstantTime.toEpochMillis(first, ZoneId.of("UTC"))
        val local = java.time.Instant.ofEpochMilli(millis).atZone(ZoneId.of("Pacific/Kiritimati")).toLocalDateTime
        assertEquals(asked(Seq("timestampAsOf" -> local.toString.replace('T', ' '))), Seq("[1,a]"))
      }
    }
    refused("INVALID_OPTION_VALUE", "versionAsOf")(read("versionAsOf" -> first, "as.of.instant" -> first))
    refused("INVALID_OPTION_VALUE", "versionAsOf")(read("versionAsOf" -> first, "as.of.instant" -> "2099-01-01"))
    refused("INVALID_OPTION_VALUE", "timestampAsOf")(
      read("timestampAsOf" -> "2099-01-01", "as.of.instant" -> first))
    Seq("versionAsOf" -> "3", "timestampAsOf" -> "soon").foreach(option =>
      assertEquals(intercept[InvalidInput](read(option)).condition, "INVALID_INSTANT"))
  }

  tableOf.test("a read that names a state itself takes none from the session") { path =>
    val first = firstInstant(path)
    SharedSession.withConf("spark.datasource.hudilite.as.of.instant" -> "2099-01-01") {
      Seq("versionAsOf", "as.of.instant").foreach(name =>
        assertEquals(rows(spark.read.format("hudilite").option(name, first).load(path)), Seq("[1,a]")))
      assertEquals(rows(spark.sql(s"SELECT * FROM hudilite.`$path` VERSION AS OF '$first'")), Seq("[1,a]"))
    }
  }

  tableOf.test("a range goes with an incremental read, and a state without") { path =>
    val first = firstInstant(path)
    def read(options: (String, String)*): Seq[String] =
      rows(spark.read.format("hudilite").options(options.toMap).load(path))
    val incremental = "hoodie.datasource.query.type" -> "incremental"
    val begin = "hoodie.datasource.read.begin.instanttime" -> "0"
    assertEquals(read(incremental, begin), both)
    refused("INVALID_OPTION_VALUE", begin._1)(read(begin))
    refused("INVALID_OPTION_VALUE", "hoodie.datasource.read.end.instanttime")(
      read("hoodie.datasource.read.end.instanttime" -> first))
    refused("INVALID_OPTION_VALUE", "versionAsOf")(read(incremental, begin, "versionAsOf" -> first))
  }

  tableOf.test("overwriting replaces what Spark's plan says, whole or by partition") { path =>
    def partitions: Seq[String] = newest(path)
    SharedSession.withConf("spark.sql.sources.partitionOverwriteMode" -> "dynamic") {
      spark.sql(s"INSERT OVERWRITE hudilite.`$path` VALUES (3, 'a')")
      assertEquals(partitions, Seq("[2,b]", "[3,a]"))
      row(4, "b").write.format("hudilite").mode("overwrite").insertInto(s"hudilite.`$path`")
      assertEquals(partitions, Seq("[3,a]", "[4,b]"))
      row(5, "a").write.format("hudilite").option("hoodie.datasource.write.operation", "insert_overwrite")
        .mode("overwrite").save(path)
      assertEquals(partitions, Seq("[4,b]", "[5,a]"))
      row(6, "b").writeTo(s"hudilite.`$path`").overwritePartitions()
      assertEquals(partitions, Seq("[5,a]", "[6,b]"))
      row(7, "a").write.format("hudilite").options(keys).mode("overwrite").save(path)
      assertEquals(partitions, Seq("[6,b]", "[7,a]"))
    }
    row(8, "a").write.format("hudilite").mode("overwrite").save(path)
    assertEquals(partitions, Seq("[8,a]"))
  }

  tableOf.test("the time of TIMESTAMP AS OF may be any expression of constants") { path =>
    def read(time: String): Seq[String] = rows(spark.sql(s"SELECT * FROM hudilite.`$path` TIMESTAMP AS OF $time"))
    Seq("current_timestamp()", "(now() + INTERVAL 1 HOUR)", "cast('2099-01-01' AS timestamp)", "DATE '2099-01-01'",
      "date_add(current_date(), 2)", "'2099-01-01 00:00:00'").foreach(time => assertEquals(read(time), both, time))
    Seq("current_timestamp() - INTERVAL 1 DAY", "to_timestamp('2001-01-01')").foreach(time =>
      assert(intercept[Exception](read(time)).getMessage.contains("TIME_BEFORE_FIRST_COMMIT"), time))
    val view = s"WITH a AS (SELECT * FROM hudilite.`$path` TIMESTAMP AS OF now()) " +
      s"SELECT * FROM a WHERE id IN (SELECT id FROM hudilite.`$path` TIMESTAMP AS OF current_timestamp())"
    assertEquals(rows(spark.sql(view)), both)
    Seq("id", "rand()", "no_such_function()").foreach(time =>
      intercept[org.apache.spark.sql.AnalysisException](read(time)))
  }

  tableOf.test(
    "a subquery in the time of TIMESTAMP AS OF asks tables and names of its own, not of the query around it") {
    path =>
      val named = "WITH c AS (SELECT timestamp '2099-01-01' AS x)"
      def read(before: String, time: String): Seq[String] =
        rows(spark.sql(s"$before SELECT * FROM hudilite.`$path` TIMESTAMP AS OF ($time)"))
      assertEquals(read("", s"$named SELECT x FROM c"), both)
      assertEquals(read("WITH o AS (SELECT 1)", s"$named, d AS (SELECT * FROM c) SELECT x FROM d"), both)
      assertEquals(read(named, s"SELECT make_date(2099, max(id), 1) FROM hudilite.`$path`"), both)
      Seq("SELECT x FROM c", "WITH d AS (SELECT * FROM c) SELECT x FROM d",
        "SELECT timestamp '2099-01-01' WHERE EXISTS (SELECT * FROM c)").foreach { time =>
        val e = intercept[InvalidInput](read(named, time))
        assertEquals((e.condition, e.parameters("path")), ("STATEMENT_NOT_SUPPORTED", path), time)
      }
  }

  tableOf.test("a read of a path without a table fails as it is loaded, and a write makes the table") { path =>
    val none = s"$path-new"
    val e = intercept[InvalidInput](spark.read.format("hudilite").load(none))
    assertEquals(e.condition, "TABLE_NOT_FOUND")
    assert(e.getMessage.contains("table-new"), e.getMessage)
    Seq("append", "overwrite", "errorifexists", "ignore").foreach { mode =>
      row(1, "a").write.format("hudilite").options(keys).mode(mode).save(s"$none-$mode")
      assertEquals(newest(s"$none-$mode"), Seq("[1,a]"), mode)
    }
  }

  test("an option without effect is told once in a session") {
    val other = spark.newSession()
    def told(session: org.apache.spark.sql.SparkSession, names: String*): Seq[String] =
      OptionWarnings.news(session, IneffectiveOptions.among(names.map(_ -> "true").toMap)).map(_.name)
    assertEquals(told(other, "hoodie.metadata.async", "hoodie.index.type"), Seq("hoodie.metadata.async"))
    assertEquals(told(other, "Hoodie.Metadata.Async", "hoodie.file.index.enable"), Seq("hoodie.file.index.enable"))
    assertEquals(told(spark.newSession(), "hoodie.metadata.async"), Seq("hoodie.metadata.async"))
  }

  tableOf.test(
    "a setting of the session that cannot be read or is not known is refused by reads, writes and statements") {
    path =>
      for ((name, value, condition) <- Seq(("lookup.maxBroadcastKeys", "some", "INVALID_OPTION_VALUE"),
          ("lookup.maxBroadcastKey", "1", "UNKNOWN_OPTION"), ("hoodie.index.type", "BLOOM", "UNKNOWN_OPTION"))) {
        val setting = s"spark.hudilite.$name"
        spark.conf.set(setting, value)
        try {
          refused(condition, setting)(spark.read.format("hudilite").load(path))
          refused(condition, setting)(row(1, "a").write.format("hudilite").mode("append").save(path))
          refused(condition, setting)(spark.sql(s"DELETE FROM hudilite.`$path` WHERE id = 1"))
        } finally spark.conf.unset(setting)
      }
      assertEquals(newest(path), both)
  }
}
