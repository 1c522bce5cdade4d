package io.hudilite.spark.catalog

import io.hudilite.error.{HudiliteException, InvalidInput}
import io.hudilite.spark.Raised
import io.hudilite.spark.shim.CatalogEntries

import java.nio.file.Files

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier

/** Tables by their names in the session's own catalog, and the same statements by path. */
final class NamedStatementsSuite extends NamedSession {

  override protected val database = "named"

  private val columns = "(id INT, day STRING, v DOUBLE)"
  private val facts = "USING hudilite PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v')"

  private def isTable(folder: String): Boolean = Files.exists(home.resolve(folder).resolve(".hoodie/hoodie.properties"))

  /** Statements on one table, with its rows after each. */
  private val life: Seq[(String, Seq[String])] = Seq(
    "INSERT INTO $T VALUES (1, 1.0D, 'a'), (2, 1.0D, 'b')" -> Seq("[1,1.0,a]", "[2,1.0,b]"),
    "INSERT INTO $T (v, id, day) VALUES (3.0D, 3, 'a')" -> Seq("[1,1.0,a]", "[2,1.0,b]", "[3,3.0,a]"),
    "INSERT INTO $T BY NAME SELECT 4.0D AS v, 'b' AS day, 4 AS id" ->
      Seq("[1,1.0,a]", "[2,1.0,b]", "[3,3.0,a]", "[4,4.0,b]"),
    "INSERT INTO $T (day, id) VALUES ('b', 5)" ->
      Seq("[1,1.0,a]", "[2,1.0,b]", "[3,3.0,a]", "[4,4.0,b]", "[5,null,b]"),
    "INSERT INTO $T BY NAME SELECT 6 AS id" ->
      Seq("[1,1.0,a]", "[2,1.0,b]", "[3,3.0,a]", "[4,4.0,b]", "[5,null,b]", "[6,null,null]"),
    "MERGE INTO $T t USING (SELECT 7 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)" ->
      Seq("[1,1.0,a]", "[2,1.0,b]", "[3,3.0,a]", "[4,4.0,b]", "[5,null,b]", "[6,null,null]", "[7,null,null]"),
    "DELETE FROM $T WHERE id > 4" -> Seq("[1,1.0,a]", "[2,1.0,b]", "[3,3.0,a]", "[4,4.0,b]"),
    "UPDATE $T SET v = 5 WHERE id = 1" -> Seq("[1,5.0,a]", "[2,1.0,b]", "[3,3.0,a]", "[4,4.0,b]"),
    "DELETE FROM $T WHERE id = 4" -> Seq("[1,5.0,a]", "[2,1.0,b]", "[3,3.0,a]"),
    "ALTER TABLE $T DROP PARTITION (day = 'b')" -> Seq("[1,5.0,a]", "[3,3.0,a]"),
    "MERGE INTO $T t USING (SELECT 1 AS id, 'a' AS day, 6.0D AS v UNION ALL SELECT 2, 'b', 2.0D) s ON t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *" -> Seq("[1,6.0,a]", "[2,2.0,b]", "[3,3.0,a]"),
    "TRUNCATE TABLE $T PARTITION (day = 'a')" -> Seq("[2,2.0,b]"),
    "SET spark.sql.sources.partitionOverwriteMode=dynamic" -> Seq("[2,2.0,b]"),
    "INSERT OVERWRITE $T PARTITION (day = 'b') SELECT id, v FROM $T WHERE id > 9" -> Nil,
    "RESET spark.sql.sources.partitionOverwriteMode" -> Nil,
    "INSERT OVERWRITE $T VALUES (7, 7.0D, 'c')" -> Seq("[7,7.0,c]"),
    "CREATE OR REPLACE TABLE $T USING hudilite PARTITIONED BY (day) AS SELECT 8.0D AS v, 8 AS id, 'a' AS day" ->
      Seq("[8,8.0,a]"),
    "CREATE TABLE IF NOT EXISTS $T (x INT) USING hudilite" -> Seq("[8,8.0,a]"),
    "TRUNCATE TABLE $T" -> Nil)

  Seq("life", "hudilite.`$P/life`").foreach { spelling =>
    test(s"a table lives by its statements: $spelling") {
      val table = spelling.replace("$P", home.toString)
      sql(s"CREATE TABLE $table $columns $facts")
      assert(isTable("life"))
      life.foreach { case (statement, expected) =>
        sql(statement.replace("$T", table))
        assertEquals(rows(table), expected, statement)
      }
      if (table.contains('/')) assertEquals(condition(s"DROP TABLE $table"), "STATEMENT_NOT_SUPPORTED")
      else {
        sql(s"DROP TABLE $table")
        assert(!Files.exists(home.resolve("life")))
        assert(!spark.catalog.tableExists("named", "life"))
      }
    }
  }

  test("a statement that leaves a key out is refused by its name, whatever rows it has") {
    sql("CREATE TABLE keyed (a INT, b STRING, v DOUBLE) USING hudilite TBLPROPERTIES (primaryKey = 'a,b')")
    for ((statement, missing) <- Seq("(a, v) VALUES (1, 1.0D)" -> "b", "(b) VALUES ('x')" -> "a",
        "BY NAME SELECT 1 AS A WHERE false" -> "b")) {
      val error: HudiliteException = Raised.by(sql(s"INSERT INTO keyed $statement"))
      assertEquals((error.condition, error.parameters("column")), ("MISSING_COLUMN", missing), statement)
    }
    sql("INSERT INTO keyed (B, A) VALUES ('x', 1)")
    assertEquals(rows("keyed"), Seq("[1,x,null]"))
    sql("DROP TABLE keyed")
  }

  test("a table of a query gets its name with its rows, and all ways of saving do what they say") {
    val frame = sqlFrame("SELECT 1 AS id, 'a' AS day, 1.0D AS v")
    val options = Map("hoodie.datasource.write.recordkey.field" -> "id")
    def save(mode: String): Unit =
      frame.write.format("hudilite").options(options).partitionBy("day").mode(mode).saveAsTable("saved")
    save("error")
    assertEquals(rows("saved"), Seq("[1,1.0,a]"))
    intercept[Exception](save("error"))
    save("ignore")
    assertEquals(rows("saved"), Seq("[1,1.0,a]"))
    sql("INSERT INTO saved VALUES (2, 2.0D, 'b')")
    frame.write.format("hudilite").option("hoodie.datasource.write.operation", "upsert").mode("append")
      .saveAsTable("saved")
    assertEquals(rows("saved"), Seq("[1,1.0,a]", "[2,2.0,b]"))
    sqlFrame("SELECT 3 AS id, 3.0D AS v, 'b' AS day").write.insertInto("saved")
    assertEquals(rows("saved"), Seq("[1,1.0,a]", "[2,2.0,b]", "[3,3.0,b]"))
    frame.writeTo("saved").overwritePartitions()
    frame.writeTo("hudilite.named.saved").append()
    save("overwrite")
    assertEquals(rows("saved"), Seq("[1,1.0,a]"))
    frame.writeTo("saved").using("hudilite").createOrReplace()
    assertEquals(rows("hudilite.named.saved"), Seq("[1,1.0,a]"))
    sql("INSERT INTO saved VALUES (9, double(date_part('year', now())), 'a')")
    sql("DELETE FROM saved WHERE id = 9 AND v > 2000")
    assertEquals(rows("saved"), Seq("[1,1.0,a]"))
    assertEquals(sql("SHOW PARTITIONS saved").map(_.getString(0)), Seq("day=a"))
    assertEquals(sql("SHOW COLUMNS IN saved").map(_.getString(0)), Seq("id", "v", "day"))
    assertEquals(sql("SHOW TABLES IN hudilite.named").map(_.getString(1)), Seq("saved"))
    assert(sql("SHOW TABLES IN named").exists(_.getString(1) == "saved"))
    assert(sql("SHOW CREATE TABLE saved").head.getString(0).contains("PARTITIONED BY (day)"))
    assert(sql("DESCRIBE EXTENDED saved").exists(_.toString.contains("hoodie.table.recordkey.fields=id")))
    sql("ALTER TABLE saved SET TBLPROPERTIES ('hoodie.parquet.compression.codec' = 'zstd')")
    assert(sql("SHOW TBLPROPERTIES saved").map(_.toString).contains("[hoodie.parquet.compression.codec,zstd]"))
    sql("ALTER TABLE saved UNSET TBLPROPERTIES ('hoodie.parquet.compression.codec')")
    sql("COMMENT ON TABLE saved IS 'said'")
    assert(sql("DESCRIBE EXTENDED saved").map(_.toString).contains("[Comment,said,]"))
    val before = rows("saved")
    Seq(
      "CREATE TABLE saved USING hudilite AS SELECT 1 AS id" -> "TABLE_OR_VIEW_ALREADY_EXISTS",
      "CREATE EXTERNAL TABLE outside (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')" ->
        "STATEMENT_NOT_SUPPORTED",
      "ALTER TABLE saved SET TBLPROPERTIES (primaryKey = 'v')" -> "STATEMENT_NOT_SUPPORTED",
      "ALTER TABLE saved SET TBLPROPERTIES ('hoodie.owner' = 'x')" -> "UNKNOWN_OPTION",
      "ALTER TABLE saved UNSET TBLPROPERTIES ('never.set')" -> "STATEMENT_NOT_SUPPORTED",
      "ALTER TABLE saved DROP COLUMN id" -> "STATEMENT_NOT_SUPPORTED",
      "ALTER TABLE saved REPLACE COLUMNS (x INT)" -> "STATEMENT_NOT_SUPPORTED",
      "ALTER TABLE saved ADD PARTITION (day = 'q') LOCATION '/x'" -> "STATEMENT_NOT_SUPPORTED",
      "CREATE OR REPLACE TABLE saved USING hudilite" -> "STATEMENT_NOT_SUPPORTED",
      "CREATE OR REPLACE TABLE saved (id INT) USING hudilite" -> "MISSING_COLUMN",
      s"CREATE OR REPLACE TABLE saved USING hudilite LOCATION '$home/other' AS SELECT * FROM saved" ->
        "STATEMENT_NOT_SUPPORTED",
      "CREATE OR REPLACE TABLE saved USING hudilite AS SELECT 1 AS id" -> "MISSING_COLUMN").foreach {
      case (statement, expected) =>
        assertEquals(condition(statement), expected, statement)
    }
    assertEquals(rows("saved"), before)
    sql("DROP TABLE saved")
  }

  test("a path is partitioned by what the DataFrame says") {
    val rows = sqlFrame("SELECT 1 AS id, 'a' AS day").write.format("hudilite").partitionBy("day")
    rows.option("hoodie.datasource.write.recordkey.field", "id").save(s"$home/partitioned")
    assert(Files.isDirectory(home.resolve("partitioned/a")))
    rows.mode("append").save(s"$home/partitioned")
    val other = intercept[InvalidInput](rows.mode("error")
        .option("hoodie.datasource.write.partitionpath.field", "id").save(s"$home/other"))
    assertEquals(other.condition, "INVALID_OPTION_VALUE")
  }

  test("a name whose table is gone says so, and can be dropped") {
    sql(s"CREATE TABLE gone $columns $facts LOCATION '$home/gone'")
    Files.delete(home.resolve("gone/.hoodie/hoodie.properties"))
    assertEquals(condition("SELECT * FROM gone"), "TABLE_NOT_FOUND")
    sql("DROP TABLE gone")
    assert(!spark.catalog.tableExists("gone"))
  }

  test("a table that is there is registered as it is, and survives its name") {
    sql(s"CREATE TABLE hudilite.`$home/there` $columns $facts")
    sql(s"INSERT INTO hudilite.`$home/there` VALUES (1, 1.0D, 'a')")
    Seq("(id INT) USING hudilite" -> "OPTION_CONTRADICTS_TABLE",
      s"$columns USING hudilite PARTITIONED BY (v)" ->
        "OPTION_CONTRADICTS_TABLE", "USING hudilite TBLPROPERTIES (type = 'mor')" -> "OPTION_CONTRADICTS_TABLE")
      .foreach { case (rest, expected) =>
        val statement = s"CREATE TABLE known ${rest.replace("hudilite", s"hudilite LOCATION '$home/there'")}"
        assertEquals(condition(statement), expected, statement)
      }
    sql(s"CREATE TABLE known USING hudilite LOCATION '$home/there' COMMENT 'c'")
    assertEquals(rows("known"), Seq("[1,1.0,a]"))
    sql("ALTER TABLE known RENAME TO renamed")
    sql("UPDATE renamed SET v = 2")
    assertEquals(rows(s"hudilite.`$home/there`"), Seq("[1,2.0,a]"))
    sql("DROP TABLE renamed PURGE")
    assert(isTable("there"))
    assert(!spark.catalog.tableExists("renamed"))
  }

  Seq("(id INT) USING hudilite TBLPROPERTIES (primaryKey = 'x')" -> "MISSING_COLUMN",
    "(id INT) USING hudilite OPTIONS (header = true) TBLPROPERTIES (primaryKey = 'id')" ->
      "UNKNOWN_OPTION",
    "(id INT, d DATE) USING hudilite PARTITIONED BY (days(d)) TBLPROPERTIES (primaryKey = 'id')" ->
      "OPTION_NOT_SUPPORTED",
    "(id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id', type = 'row')" ->
      "INVALID_OPTION_VALUE",
    "USING hudilite PARTITIONED BY (a) OPTIONS (primaryKey = 'id', " +
      "'hoodie.datasource.write.partitionpath.field' = 'b') AS SELECT 1 AS id, 1 AS a, 2 AS b" ->
      "INVALID_OPTION_VALUE")
    .foreach { case (rest, expected) =>
      test(s"a table that cannot be leaves neither a name nor a folder: $rest") {
        val raised = condition(s"CREATE TABLE never $rest")
        assert(raised.startsWith(expected), raised)
        assert(!spark.catalog.tableExists("never"))
        assert(!Files.exists(home.resolve("never/.hoodie/hoodie.properties")))
      }
    }

  test("a query that fails leaves neither a table nor a name, and a replaced table as it was") {
    val query = s"USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id, " +
      "CAST(raise_error('spilt') AS STRING) AS v"
    def fails(statement: String): Unit = {
      val raised = intercept[Exception](sql(s"$statement $query"))
      assert(Iterator.iterate[Throwable](raised)(_.getCause).takeWhile(_ != null).exists(e =>
          String.valueOf(e.getMessage).contains("spilt")), raised)
    }
    fails("CREATE TABLE kept")
    assert(!spark.catalog.tableExists("kept"))
    assert(!isTable("kept"))
    sql("CREATE TABLE kept USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id, 'a' AS v")
    fails("CREATE OR REPLACE TABLE kept")
    assertEquals(rows("kept"), Seq("[1,a]"))
    sql("DROP TABLE kept")
  }

  test("procedures, metadata tables and functions know a table by its name") {
    sql("CREATE TABLE told USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id, 'a' AS v")
    Seq("told", "named.told").foreach(name =>
      assertEquals(sql(s"CALL hudilite.system.show_commits(table => '$name')").size, 1, name))
    assertEquals(sql("SELECT * FROM hudilite.named.told.history").size, 1)
    assertEquals(sql("SELECT * FROM hudi_query_timeline('named.told')").size, 1)
    assertEquals(condition("SELECT * FROM hudilite.named.told.histori"), "UNKNOWN_NAME")
    sql("DROP TABLE told")
  }

  test("a table USING hudi is made here and registered by that name, in the shape of hudilite's own") {
    val facts = "PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v', type = 'mor', " +
      "'hoodie.index.type' = 'BUCKET', 'hoodie.bucket.index.num.buckets' = '2')"
    sql(s"CREATE TABLE for_hudi (day STRING, id INT, v DOUBLE) USING hudi $facts COMMENT 'both'")
    val entry = registered("for_hudi").entry
    assertEquals((entry.provider, entry.comment), (Some("hudi"), Some("both")): Any)
    assertEquals(entry.schema.fieldNames.toSeq, Seq("id", "v", "day"))
    assertEquals(sql("DESCRIBE for_hudi").take(3).map(_.getString(0)), Seq("id", "v", "day"))
    sql("INSERT INTO for_hudi VALUES (1, 1.0D, 'a')")
    sql("UPDATE for_hudi SET v = 2 WHERE id = 1")
    assertEquals(rows("for_hudi"), Seq("[1,2.0,a]"))
    assertEquals(registered("for_hudi").kept.get("hoodie.bucket.index.num.buckets"), Some("2"): Option[String])
    sql("CREATE OR REPLACE TABLE queried USING Hudi TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id, 'x' AS w")
    sql("CREATE OR REPLACE TABLE queried USING hudi AS SELECT 2 AS id, 'y' AS w")
    assertEquals(rows("named.queried"), Seq("[2,y]"))
    assertEquals(registered("queried").provider, "hudi")
    sql(s"CREATE TABLE spark_catalog.named.again USING hudi LOCATION '$home/queried'")
    assertEquals(rows("hudilite.named.again"), Seq("[2,y]"))
    sql("CREATE TABLE like_it LIKE for_hudi")
    assertEquals((registered("like_it").provider, registered("like_it").kept),
      ("hudi", registered("for_hudi").kept): Any)
    val retained = "'hoodie.clean.commits.retained' = '3'"
    sql(s"CREATE TABLE kept (id INT) USING hudi TBLPROPERTIES (primaryKey = 'id', $retained)")
    sql(s"ALTER TABLE queried SET TBLPROPERTIES ($retained)")
    Seq("kept", "queried").foreach(name =>
      assertEquals(registered(name).kept.get("hoodie.clean.commits.retained"), Some("3"): Option[String]))
    assertEquals(registered("queried").provider, "hudi")
    assertEquals(
      condition(s"CREATE TABLE hudilite.`$home/by_path` (id INT) USING hudi TBLPROPERTIES (primaryKey = 'id')"),
      "STATEMENT_NOT_SUPPORTED")
    Seq("for_hudi", "queried", "again", "like_it", "kept").foreach(table => sql(s"DROP TABLE $table"))
    assert(!CatalogEntries.catalog(spark).tableExists(TableIdentifier("queried", Some("named"))))
    assert(!Files.exists(home.resolve("queried")))
  }

  test("columns of keys and partitions may have letters that Spark wants in quotes") {
    sql("CREATE TABLE accents (`clé` INT, `día` STRING) USING hudilite PARTITIONED BY (`día`) " +
      "TBLPROPERTIES (primaryKey = 'clé')")
    sql("INSERT INTO accents VALUES (1, 'a'), (2, 'b')")
    assertEquals(sql("SHOW PARTITIONS accents").map(_.getString(0)), Seq("día=a", "día=b"))
    sql("MERGE INTO accents t USING (SELECT 2 AS id, 'b' AS day) s ON t.`clé` = s.id AND t.`día` = s.day " +
      "WHEN MATCHED THEN DELETE")
    assertEquals(rows("accents"), Seq("[1,a]"))
    sql("DROP TABLE accents")
  }

  test("a name that the catalog does not take is refused before anything is written") {
    Seq("(id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
      "USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 1 AS id").foreach { rest =>
      assertEquals(condition(s"CREATE TABLE `two-part` $rest"), "STATEMENT_NOT_SUPPORTED", rest)
      assert(!Files.exists(home.resolve("two-part")), rest)
    }
  }

  test("a table is replaced as a whole, whatever the session says of overwrites") {
    sql("CREATE TABLE whole USING hudilite PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id') " +
      "AS SELECT 1 AS id, 'a' AS day UNION ALL SELECT 2, 'b'")
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    try {
      Seq(s"named.whole", s"hudilite.`$home/whole`").foreach { table =>
        sql(s"INSERT INTO $table VALUES (3, 'c')")
        sql(s"CREATE OR REPLACE TABLE $table USING hudilite AS SELECT 4 AS id, 'a' AS day")
        assertEquals(rows(table), Seq("[4,a]"), table)
      }
      sqlFrame("SELECT 5 AS id, 'b' AS day").writeTo("whole").using("hudilite").replace()
      assertEquals(rows("whole"), Seq("[5,b]"))
      sqlFrame("SELECT 6 AS id, 'c' AS day").write.format("hudilite").mode("overwrite").saveAsTable("whole")
      assertEquals(rows("whole"), Seq("[6,c]"))
      sqlFrame("SELECT 7 AS id, 'd' AS day").write.format("hudilite").mode("overwrite")
        .option("partitionOverwriteMode", "dynamic").saveAsTable("whole")
      assertEquals(rows("whole"), Seq("[6,c]", "[7,d]"))
    } finally spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    sql("DROP TABLE whole")
  }

  test("a table of another format is not given up for one that may not come to be") {
    sql("CREATE TABLE plain USING parquet AS SELECT 7 AS id")
    Seq("REPLACE TABLE plain (id INT) USING hudilite", "CREATE OR REPLACE TABLE plain (id INT) USING hudilite",
      "REPLACE TABLE plain USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT id + 1 AS id FROM plain",
      "CREATE OR REPLACE TABLE plain USING hudilite AS SELECT 1 AS id").foreach { statement =>
      assertEquals(condition(statement), "STATEMENT_NOT_SUPPORTED", statement)
      assertEquals(rows("plain"), Seq("[7]"), statement)
    }
    sql("DROP TABLE plain")
  }

  test("tables of other formats stay Spark's") {
    sql("CREATE TABLE plain (id INT) USING parquet")
    sql("INSERT INTO plain VALUES (1)")
    sql("CREATE VIEW seen AS SELECT * FROM plain")
    assertEquals(rows("seen"), Seq("[1]"))
    assertEquals(sql("SHOW TABLES IN hudilite.named").map(_.getString(1)), Nil)
    intercept[Exception](sql("SELECT * FROM hudilite.named.plain"))
    sql("DROP VIEW seen")
    sql("DROP TABLE plain")
  }

  private def sqlFrame(statement: String) = {
    SparkSession.setActiveSession(spark)
    spark.sql(statement)
  }
}
