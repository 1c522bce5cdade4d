package io.hudilite.spark.catalog

import io.hudilite.error.{HudiliteException, InvalidInput}
import io.hudilite.spark.{Raised, SharedSession}
import io.hudilite.spark.shim.NewerCapabilities

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.{AnalysisException, Row, SparkSession}

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}
import scala.util.Try

/** SQL on hudilite.`/path`, each statement the first of its session. */
final class PathStatementsSuite extends FunSuite {

  override val munitTimeout: Duration = 5.minutes

  private val keys = Map("hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "dt")

  private val properties = "TBLPROPERTIES ('hoodie.datasource.write.recordkey.field' = 'id')"

  /** A session that has run nothing, with the settings of no other one. */
  private def fresh(): SparkSession = SharedSession.spark.newSession()

  private def newPath(): String = Files.createTempDirectory("hudilite-statements").resolve("table").toString

  private val tableOf: FunFixture[String] = FunFixture[String](
    setup = _ => {
      val path = newPath()
      SharedSession.spark.sql("SELECT 1 AS id, 'a' AS dt, 1.0D AS v").write.format("hudilite").options(keys)
        .mode("append").save(path)
      path
    },
    teardown = _ => ())

  private def rows(path: String): Seq[String] =
    SharedSession.spark.read.format("hudilite").load(path).collect().map(_.toString).sorted.toSeq

  private def files(path: String): Set[String] = {
    val walk = Files.walk(Paths.get(path))
    try walk.toArray.map(_.toString).toSet
    finally walk.close()
  }

  Seq(
    "SELECT id FROM $T" -> Seq("[1,a,1.0]"),
    "SELECT id FROM $T VERSION AS OF '20990101000000000'" -> Seq("[1,a,1.0]"),
    "SELECT id FROM $T TIMESTAMP AS OF '2099-01-01'" -> Seq("[1,a,1.0]"),
    "SELECT id FROM $T TIMESTAMP AS OF (SELECT make_date(2099, id, 1) FROM $T)" -> Seq("[1,a,1.0]"),
    "DESCRIBE TABLE $T" -> Seq("[1,a,1.0]"),
    "DESCRIBE TABLE EXTENDED $T" -> Seq("[1,a,1.0]"),
    "SHOW CREATE TABLE $T" -> Seq("[1,a,1.0]"),
    "CREATE OR REPLACE TEMP VIEW of_path AS SELECT * FROM $T" -> Seq("[1,a,1.0]"),
    "INSERT INTO $T VALUES (2, 'b', 2.0D)" -> Seq("[1,a,1.0]", "[2,b,2.0]"),
    "INSERT OVERWRITE $T VALUES (2, 'b', 2.0D)" -> Seq("[2,b,2.0]"),
    "UPDATE $T SET v = 3 WHERE id = 1" -> Seq("[1,a,3.0]"),
    "DELETE FROM $T WHERE id = 1" -> Seq(),
    "MERGE INTO $T t USING (SELECT 1 AS id, 'a' AS dt, 4.0D AS v) s ON t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *" -> Seq("[1,a,4.0]")).foreach {
    case (statement, expected) =>
      tableOf.test(s"the first statement of a session may be: $statement") { path =>
        val session = fresh()
        session.sql(statement.replace("$T", s"hudilite.`$path`")).collect()
        assertEquals(rows(path), expected)
      }
  }

  tableOf.test("a path is known as a table of the catalog, and again after RESET") { path =>
    assertEquals(fresh().table(s"hudilite.`$path`").count(), 1L)
    assert(fresh().catalog.tableExists(s"hudilite.`$path`"))
    val session = fresh()
    session.catalog.setCurrentCatalog("hudilite")
    assertEquals(session.catalog.currentCatalog(), "hudilite")
    val reset = fresh()
    reset.sql("RESET").collect()
    assertEquals(reset.sql(s"SELECT * FROM hudilite.`$path`").count(), 1L)
  }

  tableOf.test("a catalog of that name that the user configured stays as it is") { path =>
    val session = fresh()
    session.conf.set("spark.sql.catalog.hudilite", "com.acme.NoSuchCatalog")
    val e = intercept[Exception](session.sql(s"SELECT * FROM hudilite.`$path`"))
    assert(e.getMessage.contains("com.acme.NoSuchCatalog"), e.getMessage)
    assertEquals(session.conf.get("spark.sql.catalog.hudilite"), "com.acme.NoSuchCatalog")
  }

  Seq("DROP TABLE $T", "DROP TABLE IF EXISTS $T", "DROP TABLE $T PURGE",
    "ALTER TABLE $T REPLACE COLUMNS (id INT)", "ALTER TABLE $T SET TBLPROPERTIES ('a' = 'b')",
    "ALTER TABLE $T UNSET TBLPROPERTIES IF EXISTS ('a')", "ALTER TABLE $T SET LOCATION '/tmp/x'",
    "ALTER TABLE $T RENAME TO other", "ANALYZE TABLE $T COMPUTE STATISTICS", "COMMENT ON TABLE $T IS 'c'",
    "MSCK REPAIR TABLE $T", "ALTER TABLE $T RECOVER PARTITIONS", "CREATE INDEX i ON $T (id)",
    "REPLACE TABLE $T USING hudilite $P",
    "CREATE OR REPLACE TABLE $T USING hudilite",
    "CREATE OR REPLACE TABLE $T USING hudilite COMMENT 'c' AS SELECT 1 AS id").foreach { statement =>
    tableOf.test(s"refused by its name, with nothing changed: $statement") { path =>
      val before = files(path)
      val e = intercept[InvalidInput](run(statement, path))
      assertEquals(e.condition, "STATEMENT_NOT_SUPPORTED")
      val name = e.parameters("statement").split(' ').head
      assert(statement.contains(name) || statement.startsWith("COMMENT"), e.getMessage)
      assert(!e.getMessage.contains('\n'), e.getMessage)
      assertEquals(files(path), before)
    }
  }

  // Spark says itself that these need something which the table does not offer.
  Seq("ALTER TABLE $T DROP PARTITION (dt = 'q')", "DROP VIEW $T")
    .foreach { statement =>
      tableOf.test(s"refused by Spark, with nothing changed: $statement") { path =>
        val before = files(path)
        intercept[AnalysisException](run(statement, path))
        assertEquals(files(path), before)
      }
    }

  tableOf.test("a statement that would have to add columns is refused, where Spark knows its words alone") { path =>
    if (NewerCapabilities.schemaEvolution.isEmpty) Seq(
      "MERGE WITH SCHEMA EVOLUTION INTO $T t USING (SELECT 1 AS id, 'a' AS dt, 2.0D AS v, 5 AS x) s ON t.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
      "INSERT WITH SCHEMA EVOLUTION INTO $T VALUES (1, 'a', 2.0D)").foreach { statement =>
      val e = intercept[Exception](run(statement, path))
      val parsed = Try(SharedSession.spark.sessionState.sqlParser.parsePlan(statement.replace("$T", "t"))).isSuccess
      if (parsed) assertEquals(condition(e), Some("STATEMENT_NOT_SUPPORTED"), e.toString)
    }
    assertEquals(rows(path), Seq("[1,a,1.0]"))
  }

  Seq("SELECT * FROM $T", "SELECT * FROM $T VERSION AS OF 1", "SELECT * FROM $T TIMESTAMP AS OF now()",
    "SELECT * FROM $T.history", "SELECT 1 WHERE EXISTS (SELECT 1 FROM $T)", "INSERT INTO $T VALUES (1)",
    "UPDATE $T SET v = 3", "DELETE FROM $T", "DESCRIBE $T", "SHOW CREATE TABLE $T", "SHOW PARTITIONS $T",
    "MERGE INTO $T t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE", "TRUNCATE TABLE $T",
    "ALTER TABLE $T ADD COLUMN x INT", "ALTER TABLE $T RENAME TO other", "DROP TABLE $T", "DROP TABLE $T PURGE",
    "CACHE TABLE $T", "REFRESH TABLE $T", "REPLACE TABLE $T USING hudilite $P AS SELECT 1 AS id",
    "REPLACE TABLE $T (id INT) USING hudilite $P").foreach { statement =>
    test(s"of a path without a table it says so in one line: $statement") {
      val path = newPath()
      val e = intercept[InvalidInput](run(statement, path))
      assertEquals((e.condition, e.parameters), ("TABLE_NOT_FOUND", Map("path" -> s"file:$path")))
      assert(!e.getMessage.contains('\n'), e.getMessage)
      assert(!Files.exists(Paths.get(path)))
    }
  }

  test("a path without a table is one that a table can be created at") {
    val path = newPath()
    val session = fresh()
    val (table, rows) = (s"hudilite.`$path`", session.sql("SELECT 1 AS id, 'a' AS dt, 1.0D AS v"))
    assert(!session.catalog.tableExists(table))
    intercept[InvalidInput](session.table(table))
    intercept[InvalidInput](rows.writeTo(table).append())
    rows.write.format("hudilite").options(keys).mode("append").saveAsTable(table)
    assertEquals(session.table(table).collect().map(_.toString).toSeq, Seq("[1,1.0,a]"))
    val other = s"hudilite.`${newPath()}`"
    rows.writeTo(other).using("hudilite").tableProperty("primaryKey", "id").create()
    assertEquals(session.table(other).count(), 1L)
    val third = s"hudilite.`${newPath()}`"
    session.sql(s"CREATE TABLE IF NOT EXISTS $third (id INT) USING hudilite $properties").collect()
    assertEquals(session.table(third).count(), 0L)
  }

  test("a name that lacks its database is not taken for a path when a table is to be made") {
    Seq(s"CREATE TABLE hudilite.nobody_s (id INT) USING hudilite $properties",
      s"CREATE TABLE hudilite.nobody_s USING hudilite $properties AS SELECT 1 AS id").foreach { statement =>
      val e = intercept[InvalidInput](fresh().sql(statement).collect())
      assertEquals(e.condition, "STATEMENT_NOT_SUPPORTED")
      assert(e.getMessage.contains("hudilite.<database>.nobody_s"), e.getMessage)
    }
    assert(!Files.exists(Paths.get("nobody_s")))
  }

  test("a path that is a file, or lies below one, is refused in one line and stays as it is") {
    val file = Files.createTempFile("hudilite-statements", "file")
    val frame = SharedSession.spark.sql("SELECT 1 AS id").write.format("hudilite")
      .option("hoodie.datasource.write.recordkey.field", "id")
    Seq(file.toString, s"$file/below").foreach { path =>
      val writes = Seq("append", "overwrite", "error").map(mode => () => frame.mode(mode).save(path)) ++
        Seq("(id INT) USING hudilite $P", "USING hudilite $P AS SELECT 1 AS id").map(rest =>
          () => { val _ = run(s"CREATE TABLE $$T $rest", path) })
      writes.foreach { write =>
        val e = Raised.by(write())
        assertEquals((e.condition, e.parameters("option")), ("INVALID_OPTION_VALUE", "path"))
        assert(!e.getMessage.contains('\n'), e.getMessage)
      }
    }
    assertEquals(Files.size(file), 0L)
  }

  test("DROP TABLE IF EXISTS of a path without a table is nothing to do") {
    assertEquals(run("DROP TABLE IF EXISTS $T", newPath()).toSeq, Nil)
  }

  Seq("(id INT) USING parquet $P" -> "STATEMENT_NOT_SUPPORTED",
    "(id INT) USING hudilite LOCATION '/tmp/elsewhere' $P" -> "STATEMENT_NOT_SUPPORTED",
    "(id INT) USING hudilite OPTIONS (header = true) $P" -> "UNKNOWN_OPTION",
    "(id INT) USING hudilite COMMENT 'c' $P" -> "STATEMENT_NOT_SUPPORTED",
    "(id INT) USING hudilite TBLPROPERTIES ('primaryKey' = 'nobody')" -> "MISSING_COLUMN",
    "USING hudilite TBLPROPERTIES ('primaryKey' = 'id', 'hoodie.table.recordkey.fields' = 'x') AS SELECT 1 AS id" ->
      "INVALID_OPTION_VALUE",
    "USING hudilite OPTIONS ('as.of.instant' = '20240101') AS SELECT 1 AS id" -> "OPTION_NOT_SUPPORTED").foreach {
    case (rest, expected) =>
      test(s"a table is not created, nor said to be: CREATE TABLE $rest") {
        val path = newPath()
        val e = intercept[Exception](run(s"CREATE TABLE $$T $rest", path))
        assertEquals(condition(e), Some(expected), e.toString)
        assert(!Files.exists(Paths.get(path)))
      }
  }

  tableOf.test("CREATE TABLE IF NOT EXISTS leaves a table that is there as it is") { path =>
    run("CREATE TABLE IF NOT EXISTS $T (id INT) USING hudilite", path)
    assertEquals(rows(path), Seq("[1,a,1.0]"))
  }

  test("a table is created with its keys, empty or with rows") {
    val empty = newPath()
    run("CREATE TABLE $T (id INT) USING hudilite $P", empty)
    assertEquals(rows(empty), Nil)
    val filled = newPath()
    run("CREATE TABLE $T USING hudilite OPTIONS ('hoodie.datasource.write.recordkey.field' = 'id') AS SELECT 1 AS id",
      filled)
    assertEquals(rows(filled), Seq("[1]"))
  }

  test("a CREATE TABLE AS SELECT that fails says why, and is not told of the table that it leaves") {
    val path = newPath()
    val e = intercept[Exception](run(
        "CREATE TABLE $T USING hudilite $P AS SELECT id, CAST(raise_error('spilt') AS STRING) AS v FROM range(3)",
        path))
    assert(causes(e).exists(_.getMessage.contains("spilt")), e.toString)
    assert(condition(e).isEmpty, e.toString)
  }

  private def run(statement: String, path: String): Array[Row] =
    fresh().sql(statement.replace("$T", s"hudilite.`$path`").replace("$P", properties)).collect()

  private def causes(e: Throwable): Seq[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toList

  private def condition(e: Throwable): Option[String] =
    causes(e).collectFirst { case h: HudiliteException => h.condition }
}
