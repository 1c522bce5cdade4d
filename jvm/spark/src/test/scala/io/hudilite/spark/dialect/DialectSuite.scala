package io.hudilite.spark.dialect

import io.hudilite.error.{HudiliteException, InvalidInput}
import io.hudilite.spark.Raised
import io.hudilite.spark.catalog.NamedSession

import org.apache.spark.sql.AnalysisException

/** Statements and calls as users of Apache Hudi, Delta Lake and Iceberg type them, on one table by its name. */
class DialectSuite extends NamedSession {

  override protected def database = "dialects"

  private lazy val table: String = {
    sql("CREATE TABLE trips (id INT, fare DOUBLE, ts INT, p STRING) USING hudilite PARTITIONED BY (p) " +
      "TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts')")
    sql("INSERT INTO trips VALUES (1, 1.0, 1, 'a'), (2, 2.0, 1, 'b')")
    sql("UPDATE trips SET fare = 3 WHERE id = 1")
    sql("INSERT INTO trips VALUES (3, 3.0, 1, 'a')")
    sql("CREATE TABLE plain (id INT) USING parquet")
    s"$database.trips"
  }

  private def first(statement: String): Seq[String] = sql(statement).map(row => s"${row.get(0)}")

  private def shown(statement: String): Seq[String] = sql(statement).map(_.toSeq.map {
    case null => "-"
    case value => value.toString.replaceAll("\\d{17}", "T")
  }.mkString(" "))

  private def set(setting: (String, String))(body: => Unit): Unit = {
    spark.conf.set(setting._1, setting._2)
    try body
    finally spark.conf.unset(setting._1)
  }

  private def refusal(statement: String): String = {
    val error: HudiliteException = Raised.by(sql(statement))
    error.asInstanceOf[Throwable].getMessage
  }

  private def parsesNot(statement: String): Unit = {
    val error = intercept[Exception](sql(statement))
    assert(!error.isInstanceOf[HudiliteException], s"$statement: $error")
    assert(
      error.getClass.getName.contains("ParseException") || error.getMessage.contains("CANNOT_BE_FOUND") ||
        error.getMessage.contains("cannot be found"), s"$statement: $error")
  }

  test("procedures are called without the name of a catalog, in any case, by name or in Hudi's order") {
    val newest = first(s"CALL hudilite.system.show_commits('$table', 1)")
    Seq(s"CALL show_commits(table => '$table', limit => 1)", s"CALL system.show_commits('$table', 1)",
      s"call Show_Commits('$table', 1);", s"-- a remark\nCALL  SYSTEM . show_commits ( limit => 1, table => '$table' )",
      "CALL `show_commits`('trips', 1)").foreach(call => assertEquals(first(call), newest, call))
    assertEquals(first("CALL run_clean('trips', true, 'KEEP_LATEST_COMMITS', 2)"), Nil)
    sql("USE hudilite")
    try assertEquals(first(s"CALL show_commits('$table', 1)"), newest)
    finally sql(s"USE spark_catalog.$database")
    Seq("CALL show_comits('trips')" -> "The nearest one is show_commits",
      "CALL sync_validate('trips')" -> "In its place: compare the counts",
      "CALL system.expire_snapshots('trips')" -> "In its place: run_clean",
      "CALL show_commits('plain')" -> "the table has the format parquet").foreach { case (call, text) =>
      assert(refusal(call).contains(text), s"$call: ${refusal(call)}")
    }
  }

  test("OPTIMIZE, VACUUM and DESCRIBE HISTORY work on tables of Hudi's format") {
    assertEquals(shown(s"DESCRIBE HISTORY $table LIMIT 2").map(_.split(' ').slice(2, 4).mkString(" ")),
      Seq("commit INSERT", "commit UPSERT"))
    assertEquals(shown("DESC HISTORY trips"), shown(s"SELECT * FROM hudilite.$table.history"))
    assertEquals(shown("OPTIMIZE trips WHERE p = 'a' ZORDER BY fare").map(_.split(' ').slice(2, 4).mkString(" ")),
      Seq("COMPLETED p=a"))
    assertEquals(shown("OPTIMIZE trips ZORDER BY (fare, ts)").map(_.split(' ').slice(2, 4).mkString(" ")),
      Seq("COMPLETED p=a,p=b"))
    assertEquals(first("VACUUM trips RETAIN 100 HOURS DRY RUN"), Seq("null"))
    assertEquals(first("vacuum trips"), Nil)
    Seq("SHOW INDEXES FROM trips", "show indexes from table trips", "SHOW INDEX IN trips", s"SHOW INDEXES FROM $table")
      .foreach(statement => assertEquals(first(statement), Seq("bloom_filters_of_footers"), statement))
    assertEquals(rows("trips").size, 3)
    val path = registered("trips").path
    assertEquals(shown(s"DESCRIBE HISTORY '$path' LIMIT 1"), shown("DESCRIBE HISTORY trips LIMIT 1"))
    assertEquals(shown(s"DESCRIBE HISTORY hudilite.`$path` LIMIT 1"), shown("DESCRIBE HISTORY trips LIMIT 1"))
    assert(refusal("OPTIMIZE nothing").contains("the session has no table of this name"))
    assert(refusal("OPTIMIZE trips WHERE fare = 1").contains("fare is no partition column"))
  }

  test("statements that Hudi's tables do not have say in one line what takes their place") {
    val found = "nothing has to be repaired"
    Seq(s"RESTORE TABLE $table TO VERSION AS OF 1" -> "restore_to_instant", "DESCRIBE DETAIL trips" -> "DESCRIBE TABLE",
      "ALTER TABLE trips CLUSTER BY (fare)" -> "run_clustering",
      "ALTER TABLE trips CREATE BRANCH b" -> "one line of writes",
      "ALTER TABLE trips CREATE OR REPLACE TAG t AS OF VERSION 1" -> "create_savepoint",
      "ALTER TABLE trips ADD PARTITION FIELD bucket(2, id)" -> "partition columns",
      "ALTER TABLE trips WRITE ORDERED BY fare" -> "run_clustering",
      "ALTER TABLE trips SET IDENTIFIER FIELDS id" -> "record key",
      "ALTER TABLE trips ADD CONSTRAINT c CHECK (id > 0)" -> "no constraints",
      "ALTER TABLE trips SET SERDE 'org.example.Serde'" -> "SET TBLPROPERTIES",
      "ALTER TABLE trips PARTITION (p = 'a') SET SERDEPROPERTIES ('a' = 'b')" -> "SET TBLPROPERTIES",
      "MSCK REPAIR TABLE trips" -> found,
      "ALTER TABLE trips RECOVER PARTITIONS" -> found, "FSCK REPAIR TABLE trips" -> "doctor",
      "REORG TABLE trips APPLY (PURGE)" -> "run_compaction", "COPY INTO trips FROM '/x'" -> "INSERT INTO",
      "GENERATE symlink_format_manifest FOR TABLE trips" -> "Trino",
      "CREATE INDEX i ON trips USING column_stats(ts) OPTIONS(expr = 'hour')" -> "column.stats.column.list",
      "REFRESH INDEX i ON TABLE trips" -> "each write", "CREATE TABLE c SHALLOW CLONE trips" -> "AS SELECT",
      "ALTER TABLE trips REPLACE COLUMNS (id INT)" -> "trips",
      "CREATE TABLE v (id INT, `of` VECTOR(3), b STRING COMMENT 'x') USING hudi" -> "ARRAY<FLOAT>",
      "CONVERT TO HUDI parquet.`/x`" -> "bulk_insert").foreach { case (statement, text) =>
      val line = refusal(statement)
      assert(line.contains("[STATEMENT_NOT_SUPPORTED]") && line.contains(text) && !line.contains("\n"),
        s"$statement: $line")
    }
    assertEquals(rows("trips").size, 3)
  }

  test("statements on tables of other formats come to Spark as they are") {
    table
    Seq("OPTIMIZE plain", "VACUUM plain", "RESTORE TABLE plain TO VERSION AS OF 1", "SHOW INDEXES FROM plain",
      "DESCRIBE HISTORY plain", "DESCRIBE DETAIL plain", "ALTER TABLE plain CREATE TAG t").foreach(parsesNot)
    sql("CREATE TABLE history (trips INT COMMENT 'a column') USING parquet")
    assertEquals(sql("DESCRIBE history trips").map(_.getString(0)).head, "col_name")
    sql("DROP TABLE history")
  }

  test("metadata tables stand behind a name of the session's own catalog, too") {
    table
    assertEquals(shown(s"SELECT operation FROM $database.trips.history ORDER BY time LIMIT 2"), Seq("INSERT", "UPSERT"))
    assertEquals(
      shown(s"SELECT count(*) FROM spark_catalog.$database.trips.properties WHERE key = 'hoodie.table.type'"),
      Seq("1"))
    assert(refusal(s"SELECT * FROM $database.trips.histery").contains("The nearest one is history"))
    assert(refusal(s"SELECT * FROM $database.trips.files VERSION AS OF '1'").contains("present table alone"))
    intercept[Exception](sql(s"DROP TABLE $database.trips.files"))
    intercept[Exception](sql(s"SELECT * FROM $database.plain.history"))
  }

  test("temporary views of DataFrames have the meta columns of their table by name") {
    table
    val path = registered("trips").path
    spark.read.format("hudilite").load(path).createOrReplaceTempView("v")
    spark.table("trips").where("id > 1").createOrReplaceTempView("w")
    assertEquals(shown("SELECT DISTINCT(_hoodie_commit_time) AS t FROM v ORDER BY t").distinct, Seq("T"))
    assertEquals(shown("SELECT x._hoodie_record_key, id FROM v x WHERE _hoodie_partition_path = 'p=b'"), Seq("2 2"))
    assertEquals(shown("SELECT v.id, w._hoodie_partition_path FROM w JOIN v ON w.id = v.id ORDER BY 1"),
      Seq("2 p=b", "3 p=a"))
    assertEquals(shown("SELECT count(*) FROM w WHERE _hoodie_record_key = '1'"), Seq("0"))
    assertEquals(spark.table("v").select("_hoodie_file_name").distinct().count() > 0, true)
    assertEquals(spark.table("v").columns.toSeq, Seq("id", "fare", "ts", "p"))
    assertEquals(spark.table("v").where("_hoodie_record_key = '1'").select("id").collect().length, 1)
  }

  test("rows are not changed through a view, and a meta column of two views is nobody's") {
    table
    spark.read.format("hudilite").load(registered("trips").path).createOrReplaceTempView("v")
    sql("CREATE OR REPLACE TEMPORARY VIEW w AS SELECT * FROM trips WHERE id > 1")
    val before = rows("trips")
    for {
      view <- Seq("v", "w")
      statement <- Seq("DELETE FROM $V WHERE _hoodie_commit_time > '0'", "DELETE FROM $V WHERE id = 1",
        "UPDATE $V SET fare = 0 WHERE _hoodie_record_key = '1'", "UPDATE $V SET fare = 0",
        "MERGE INTO $V t USING trips s ON t._hoodie_record_key = s.id WHEN MATCHED THEN DELETE",
        "MERGE INTO $V t USING v s ON t.id = s.id WHEN MATCHED THEN UPDATE SET fare = 0")
    } {
      val line = refusal(statement.replace("$V", view))
      assert(line.contains("[STATEMENT_NOT_SUPPORTED]") && line.contains("write its name, or its path") &&
          !line.contains("\n"), s"$statement: $line")
    }
    assertEquals(rows("trips"), before)
    spark.table("trips").where("id > 1").createOrReplaceTempView("x")
    Seq("v JOIN x ON v.id = x.id", "v a JOIN v b ON a.id = b.id").foreach { join =>
      val found = scala.util.Try(sql(s"SELECT _hoodie_commit_time FROM $join"))
      assert(found.isFailure, join)
      assertEquals(condition(s"SELECT _hoodie_commit_time FROM $join"), "AMBIGUOUS_REFERENCE", join)
    }
    intercept[AnalysisException](sql("SELECT _hoodie_commit_time FROM v JOIN x USING (id)"))
  }

  test("statements in others' words are read by the session's rule for literals") {
    table
    val odd = home.resolve("it's\\odd")
    spark.table("trips").write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").save(odd.toString)
    def all(path: String): Seq[String] = {
      sql("SELECT * FROM trips TIMESTAMP AS OF '99991231235959999'")
      assertEquals(shown(s"OPTIMIZE $path WHERE p = 'a' ZORDER BY fare").size, 1)
      assertEquals(first(s"VACUUM $path DRY RUN"), Seq("null"))
      assertEquals(first(s"CALL show_commits($path, 1)").size, 1)
      shown(s"DESCRIBE HISTORY $path LIMIT 1")
    }
    val found = all(s"'${home.toString.replace("\\", "\\\\")}/it\\'s\\\\odd'")
    set("spark.sql.parser.escapedStringLiterals" -> "true") {
      assertEquals(all(s""""$home/it's\\odd"""").size, found.size)
      sql("OPTIMIZE trips WHERE p = 'a'")
    }
  }

  test("MERGE takes the newest of several rows of a key, and says in one line where none is known to be") {
    table
    val twice = "(SELECT * FROM VALUES (1, 5.0D, 7, 'a'), (1, 6.0D, 8, 'a'), (1, 4.0D, 6, 'a'), (8, 1.0D, 1, 'b'), " +
      "(8, 2.0D, 2, 'b') AS s(id, fare, ts, p))"
    val (update, insert) = ("WHEN MATCHED THEN UPDATE SET *", "WHEN NOT MATCHED THEN INSERT *")
    sql(s"MERGE INTO trips t USING $twice s ON t.id = s.id $update $insert")
    assertEquals(sql("SELECT fare FROM trips WHERE id IN (1, 8) ORDER BY id").map(_.getDouble(0)), Seq(6.0, 2.0))
    sql("MERGE INTO trips t USING (SELECT * FROM VALUES ('1', 9.0D, 9L), ('1', 7.0D, 10L) AS s(k, f, at)) s " +
      "ON t.id = s.k WHEN MATCHED AND s.f < 8 THEN UPDATE SET fare = s.f, ts = CAST(s.at AS INT)")
    assertEquals(sql("SELECT fare, ts FROM trips WHERE id = 1").map(_.toString), Seq("[7.0,10]"))
    sql(s"MERGE INTO trips t USING $twice s ON t.id = s.id WHEN MATCHED AND s.id = 8 THEN DELETE")
    assertEquals(rows("trips").size, 3)
    val line = refusal(s"MERGE INTO trips t USING $twice s ON t.id >= s.id WHEN MATCHED THEN UPDATE SET fare = s.fare")
    assert(line.contains("none of them is known to be the newest") && !line.contains("\n"), line)
    sql("CREATE TABLE unordered (id INT, v INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    sql("INSERT INTO unordered VALUES (1, 1)")
    val pairs = "(SELECT * FROM VALUES (1, 2), (1, 3) AS s(id, v))"
    assertEquals(condition(s"MERGE INTO unordered t USING $pairs s ON t.id = s.id $update"), "STATEMENT_NOT_SUPPORTED")
    assertEquals(rows("unordered"), Seq("[1,1]"))
  }

  test("MERGE orders the rows of a key as a write does") {
    def merged(columns: String, ordering: String, there: String, rows: String*): Seq[String] = {
      sql(s"CREATE TABLE ordered (id INT, $columns, v STRING) USING hudilite " +
        s"TBLPROPERTIES (primaryKey = 'id', preCombineField = '$ordering')")
      sql(s"INSERT INTO ordered VALUES (1, $there, 'old')")
      val source = rows.map(r => s"SELECT 1 AS id, $r").mkString(" UNION ALL ")
      try {
        sql(s"MERGE INTO ordered t USING (SELECT * FROM ($source) AS s) s ON t.id = s.id " +
          "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
        sql("SELECT v FROM ordered").map(_.getString(0)).toSeq
      } finally sql("DROP TABLE ordered")
    }
    assertEquals(merged("ts INT", "ts", "-5", "-1 AS ts, 'less' AS v", "CAST(NULL AS INT), 'none'"), Seq("none"),
      "a missing int counts as 0")
    assertEquals(merged("ts BIGINT", "ts", "-5", "-1L AS ts, 'more' AS v", "CAST(NULL AS BIGINT), 'none'"), Seq("more"))
    assertEquals(merged("a INT, b INT", "a,b", "1, 1", "2 AS a, 2 AS b, 'more' AS v", "2, 1, 'less'", "1, 9, 'least'"),
      Seq("more"))
    assertEquals(merged("ts INT", "ts", "1", "2 AS ts, 'first' AS v", "2, 'later'", "1, 'last'"), Seq("later"))
    assertEquals(merged("ts STRING", "ts", "'1'", "9 AS ts, 'more' AS v", "10, 'less'"), Seq("more"),
      "numbers are texts in the table")
  }

  test(
    "values are cast as Spark's policy for stores allows, which the error names, and unnamed fields by their order") {
    sql(
      "CREATE TABLE typed (id INT, n INT, st STRUCT<f0: INT, f1: STRING>) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    sql("INSERT INTO typed VALUES (1, 1, named_struct('f0', 1, 'f1', 'a'))")
    val merge =
      "MERGE INTO typed t USING (SELECT 1 AS id, $N AS n, $S AS st) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
    def merged(n: String, struct: String): Unit = {
      sql(merge.replace("$N", n).replace("$S", struct))
      ()
    }
    def message(body: => Any): String = intercept[InvalidInput](body).getMessage
    Seq(
      () => sql("UPDATE typed SET n = 'five'"), () => sql("UPDATE typed SET n = '3000000000'"),
      () => sql("UPDATE typed SET n = st.f1"), () => merged("'5'", "named_struct('f0', 1, 'f1', 'a')"),
      () => sql("INSERT INTO typed (n, id) VALUES ('5', 2)")).foreach(written =>
      assert(
        message(written()).contains("The column n has the type string in the rows to write and int in the table, " +
          "and spark.sql.storeAssignmentPolicy = ANSI")))
    assertEquals(rows("typed"), Seq("[1,1,[1,a]]"))
    sql("UPDATE typed SET n = CAST('5' AS INT), st = named_struct('f0', 2, 'f1', 'b')")
    assertEquals(rows("typed"), Seq("[1,5,[2,b]]"))
    merged("6L", "named_struct('f0', 3L, 'f1', 'c')")
    assertEquals(rows("typed"), Seq("[1,6,[3,c]]"))
    merged("7", "struct(4, 'd')")
    assertEquals(rows("typed"), Seq("[1,7,[4,d]]"))
    sql("UPDATE typed SET st = struct(5, 'e')")
    assertEquals(rows("typed"), Seq("[1,7,[5,e]]"))
    set("spark.sql.storeAssignmentPolicy" -> "STRICT") {
      Seq("7L", "'7'").foreach(value =>
        assert(message(sql(s"UPDATE typed SET n = $value")).contains("spark.sql.storeAssignmentPolicy = STRICT")))
    }
    sql("DROP TABLE typed")
  }

  test("a text that a statement writes for a number, a time or a truth value is that value, as in Apache Hudi") {
    sql("CREATE TABLE texts (id INT, n BIGINT, x DECIMAL(5, 2), d DATE, at TIMESTAMP, b BOOLEAN, t STRING) " +
      "USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    sql("INSERT INTO texts (id, n) VALUES (1, 1)")
    sql("UPDATE texts SET n = '1697516137', x = ' 1.25 ', d = '2024-02-29', at = '2024-02-29 01:02:03', b = 'true', " +
      "t = '5'")
    val values = Seq("[1,1697516137,1.25,2024-02-29,2024-02-29 01:02:03.0,true,5]")
    assertEquals(rows("texts"), values)
    Seq("n = '1.5'", "n = ''", "d = '2023-02-29'", "at = 'soon'", "b = 'maybe'", "x = '12345'").foreach(set =>
      assertEquals(intercept[InvalidInput](sql(s"UPDATE texts SET $set")).condition, "INCOMPATIBLE_TYPE", set))
    assertEquals(rows("texts"), values)
    sql("MERGE INTO texts t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = '7', d = NULL")
    sql(
      "MERGE INTO texts t USING (SELECT 2 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, n) VALUES ('2', '8')")
    assertEquals(sql("SELECT id, n, d FROM texts ORDER BY id").map(_.toString), Seq("[1,7,null]", "[2,8,null]"))
    sql("DROP TABLE texts")
  }

  test("SERDEPROPERTIES are properties of the table, as Apache Hudi takes them") {
    table
    sql("ALTER TABLE trips SET SERDEPROPERTIES ('note' = \"it's (b)\", 'hoodie.parquet.compression.codec' = 'zstd')")
    def kept(name: String): Seq[String] =
      sql("SHOW TBLPROPERTIES trips").filter(_.getString(0).endsWith(name)).map(_.getString(1))
    assertEquals(kept("note"), Seq("it's (b)"))
    assertEquals(kept("compression.codec"), Seq("zstd"))
    assert(refusal("ALTER TABLE trips SET SERDEPROPERTIES ('hoodie.parquet.compression.codec' = 'x')").contains("x"))
    assert(refusal("ALTER TABLE trips SET SERDEPROPERTIES ('hoodie.note' = 'x')").contains("UNKNOWN_OPTION"))
    sql("ALTER TABLE trips UNSET SERDEPROPERTIES IF EXISTS ('note', 'hoodie.parquet.compression.codec')")
    assertEquals(kept("note") ++ kept("compression.codec"), Nil)
  }

  test("MERGE leaves rows of one key apart where they are not rows of one record") {
    table
    val before = rows("trips")
    val pairs = "(SELECT * FROM VALUES (1, 5.0D, 7, 'a', false), (1, 6.0D, 6, 'a', true) AS s(id, fare, ts, p, ok))"
    sql(s"MERGE INTO trips t USING $pairs s ON t.id = s.id AND s.ok WHEN MATCHED THEN UPDATE SET fare = s.fare")
    assertEquals(sql("SELECT fare FROM trips WHERE id = 1").map(_.getDouble(0)), Seq(6.0), "the other does not match")
    sql(
      s"MERGE INTO trips t USING $pairs s ON t.id = s.id AND s.ok WHEN NOT MATCHED BY SOURCE AND t.id = 1 THEN DELETE")
    assertEquals(rows("trips").size, before.size)
    val news =
      "(SELECT CAST(NULL AS INT) AS of, * FROM VALUES (21, 1.0D, 1, 'a'), (22, 1.0D, 1, 'a') AS s(id, fare, ts, p))"
    sql(s"MERGE INTO trips t USING $news s ON t.id = s.of WHEN NOT MATCHED THEN INSERT (id, fare, ts, p) " +
      "VALUES (s.id, s.fare, s.ts, s.p)")
    assertEquals(rows("trips").size, before.size + 2, "their keys are others than the one that was looked for")
    sql("DELETE FROM trips WHERE id > 20")
    sql("CREATE TABLE generated (id INT, v INT, p STRING) USING hudilite PARTITIONED BY (p) " +
      "TBLPROPERTIES (preCombineField = 'v')")
    sql("INSERT INTO generated VALUES (1, 1, 'a'), (2, 1, 'a')")
    sql("MERGE INTO generated t USING (SELECT * FROM VALUES (1, 2, 'a'), (2, 3, 'a'), (3, 4, 'a') AS s(id, v, p)) s " +
      "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
    assertEquals(rows("generated"), Seq("[1,2,a]", "[2,3,a]", "[3,4,a]"))
    sql("DROP TABLE generated")
  }

  test("ADD PARTITION changes nothing, and a managed table gets another name where its files are") {
    table
    val path = registered("trips").path
    sql("ALTER TABLE trips ADD IF NOT EXISTS PARTITION (p = 'z')")
    assertEquals(sql("SHOW PARTITIONS trips").map(_.getString(0)).sorted, Seq("p=a", "p=b"))
    assertEquals(condition("ALTER TABLE trips ADD PARTITION (p = 'z') LOCATION '/x'"), "STATEMENT_NOT_SUPPORTED")
    sql("ALTER TABLE trips RENAME TO rides")
    assertEquals((registered("rides").path, registered("rides").isManaged), (path, true))
    assertEquals(rows("rides").size, 3)
    assertEquals(condition("SELECT * FROM trips"), "TABLE_OR_VIEW_NOT_FOUND")
    sql("ALTER TABLE rides RENAME TO trips")
    sql("INSERT INTO trips VALUES (4, 4.0, 1, 'a')")
    assertEquals(rows("trips").size, 4)
    sql("DELETE FROM trips WHERE id = 4")
  }

  test("a new table under the old name of another one lies beside its files, and each goes with its own") {
    sql("CREATE TABLE swapped (id INT, v INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    sql("INSERT INTO swapped VALUES (1, 1)")
    sql("ALTER TABLE swapped RENAME TO swapped_old")
    sql("CREATE TABLE swapped USING hudilite TBLPROPERTIES (primaryKey = 'id') AS SELECT 2 AS id, 2 AS v")
    sql("ALTER TABLE swapped RENAME TO swapped_then")
    spark.range(3, 4).selectExpr("CAST(id AS INT) id", "3 AS v").write.format("hudilite")
      .option("hoodie.datasource.write.recordkey.field", "id").saveAsTable("swapped")
    sql("INSERT INTO swapped VALUES (4, 4)")
    val names = Seq("swapped_old", "swapped_then", "swapped")
    assertEquals(names.map(registered(_).path).distinct.size, 3)
    assert(names.forall(registered(_).isManaged))
    assertEquals(names.map(rows), Seq(Seq("[1,1]"), Seq("[2,2]"), Seq("[3,3]", "[4,4]")))
    sql("DROP TABLE swapped")
    assertEquals(names.init.map(rows), Seq(Seq("[1,1]"), Seq("[2,2]")))
    sql("DROP TABLE swapped_old")
    assertEquals(rows("swapped_then"), Seq("[2,2]"))
    sql("CREATE TABLE swapped (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    assertEquals(rows("swapped"), Nil)
    Seq("swapped", "swapped_then").foreach(name => sql(s"DROP TABLE $name"))
  }
}
