package io.hudilite.spark.catalog

import io.hudilite.spark.SharedSession
import io.hudilite.spark.catalog.statement.ReadsRule

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/** Tables that give way to others as a whole, at the same place and under the same name. */
final class ReplacedTablesSuite extends NamedSession {

  override protected val database = "replaced"

  private val facts = "PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v', type = '$TYPE')"
  private val first = "SELECT 1 AS id, 1.0D AS v, 'n' AS name, 'a' AS day UNION ALL SELECT 2, 2.0D, 'm', 'b'"
  private val second = "SELECT 1 AS id, 'x' AS name, 9 AS n, 'p' AS town, 'a' AS day " +
    "UNION ALL SELECT 2, 'y', 8, 'q', 'a'"

  override def afterEach(context: AfterEach): Unit =
    Seq("columns", "whole", "doors", "kept", "keyless", "sixth").foreach(table => sql(s"DROP TABLE IF EXISTS $table"))

  private def make(table: String, kind: String): Unit = {
    sql(s"CREATE TABLE $table USING hudilite ${facts.replace("$TYPE", kind)} AS $first")
    sql(s"UPDATE $table SET name = 'changed' WHERE id = 2") // a log of a merge-on-read table
  }

  private def frame(query: String): DataFrame = {
    SparkSession.setActiveSession(spark)
    spark.sql(query)
  }

  private def byPath(path: String, query: String, options: (String, String)*): Unit =
    frame(query).write.format("hudilite").options(options.toMap).mode("overwrite").save(path)

  private def properties(table: String): Map[String, String] =
    sql(s"SHOW TBLPROPERTIES $table").map(row => row.getString(0) -> row.getString(1)).toMap

  private def instants(table: String): Seq[String] =
    sql(s"SELECT time FROM hudilite.replaced.$table.history ORDER BY time").map(_.getString(0))

  private def read(path: String): Seq[String] =
    SharedSession.spark.newSession().read.format("hudilite").load(path).collect().map(_.toString).sorted.toSeq

  private val unordered = "hoodie.datasource.write.precombine.field" -> ""

  test("a read by path goes by the settings of its own session, whichever is active") {
    make("doors", "cow")
    val (asked, plain) = (spark.newSession(), spark.newSession())
    val setting = "spark.datasource.hudilite.as.of.instant"
    asked.conf.set(setting, instants("doors").head)
    def names(session: SparkSession, active: SparkSession): Seq[String] = {
      SparkSession.setActiveSession(active)
      try
        session.read.format("hudilite").load(s"$home/doors").orderBy("id").collect().map(_.getAs[String]("name")).toSeq
      finally SparkSession.setActiveSession(spark)
    }
    for (active <- Seq(asked, plain, spark)) {
      assertEquals(names(asked, active), Seq("n", "m"))
      assertEquals(names(plain, active), Seq("n", "changed"))
    }
    // Spark 4 reads in the session itself.
    val read = asked.read.format("hudilite").load(s"$home/doors").queryExecution.analyzed
    ReadsRule(plain)(read) match {
      case again: DataSourceV2Relation =>
        assert(again.table.asInstanceOf[HudiliteTable].session eq plain)
        assertEquals(again.schema, read.schema)
      case other => fail(other.toString)
    }
  }

  for (kind <- Seq("cow", "mor"))
    test(s"other columns replace those of a $kind table in one commit, and earlier states keep theirs") {
      make("columns", kind)
      val opened = frame("SELECT id, name FROM columns ORDER BY id")
      opened.queryExecution.executedPlan
      val before = instants("columns").last
      sql("CREATE OR REPLACE TABLE columns USING hudilite AS SELECT 3 AS id, 7.0D AS v, 'new' AS extra, 'c' AS day")
      assertEquals(sql("DESCRIBE columns").take(4).map(_.getString(0)), Seq("id", "v", "extra", "day"))
      assertEquals(rows("columns"), Seq("[3,7.0,new,c]"))
      assertEquals(rows(s"columns VERSION AS OF '$before'"), Seq("[1,1.0,n,a]", "[2,2.0,changed,b]"))
      assertEquals(instants("columns").size, 3)
      assertEquals(opened.collect().map(_.toString).toSeq, Seq("[1,n]", "[2,changed]"))
      byPath(s"$home/columns", "SELECT '4' AS extra, 4 AS id, 'd' AS day, 1.5F AS v")
      assertEquals(read(s"$home/columns"), Seq("[4,4,d,1.5]")) // another type of an ordering column is another fact
      sql("INSERT INTO columns BY NAME SELECT 5 AS id, 1.0F AS v, 'e' AS extra, 'd' AS day")
      sql("MERGE INTO columns t USING (SELECT 4 AS id, 'd' AS day, 'merged' AS extra) s ON t.id = s.id AND " +
        "t.day = s.day WHEN MATCHED THEN UPDATE SET extra = s.extra")
      assertEquals(sql("SELECT id, extra FROM columns ORDER BY id").map(_.toString), Seq("[4,merged]", "[5,e]"))
      assertEquals(registered("columns").entry.schema.fieldNames.toSet, Set("id", "v", "extra", "day"))
    }

  private val key = Seq("hoodie.datasource.write.recordkey.field" -> "name")

  /** A fact, the types of table on which it is tried, options that state another one, and properties afterwards. */
  private val changes: Seq[(String, Seq[String], Seq[(String, String)], Map[String, String])] = Seq(
    ("key", Seq("cow"), key :+ unordered, Map("hoodie.table.recordkey.fields" -> "name")),
    ("partitions", Seq("mor"), Seq("hoodie.datasource.write.partitionpath.field" -> "town", unordered),
      Map("hoodie.table.partition.fields" -> "town")),
    ("ordering", Seq("mor"), Seq("hoodie.datasource.write.precombine.field" -> "n"),
      Map("hoodie.table.ordering.fields" -> "n")),
    ("type", Seq("cow", "mor"), Seq("hoodie.datasource.write.table.type" -> "$OTHER", unordered),
      Map("hoodie.table.type" -> "$OTHER")),
    ("index", Seq("mor"), Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2", unordered),
      Map.empty),
    ("two keys", Seq("cow"), Seq("hoodie.datasource.write.recordkey.field" -> "id,name", unordered),
      Map("hoodie.table.recordkey.fields" -> "id,name")))

  for ((fact, kinds, options, stated) <- changes; kind <- kinds)
    test(s"another $fact replaces a $kind table as a whole, and states before it are refused") {
      val other = if (kind == "cow") "MERGE_ON_READ" else "COPY_ON_WRITE"
      val asked = options.map { case (name, value) => name -> value.replace("$OTHER", other) }
      make("whole", kind)
      val opened = frame("SELECT id, name, day FROM whole ORDER BY id")
      opened.queryExecution.executedPlan
      val before = instants("whole").last
      byPath(s"$home/whole", second, asked: _*)
      assertEquals(sql("SELECT id, name, n, town, day FROM whole ORDER BY id").map(_.toString),
        Seq("[1,x,9,p,a]", "[2,y,8,q,a]"))
      val found = properties("whole")
      stated.foreach { case (name, value) => assertEquals(found.get(name), Some(value.replace("$OTHER", other))) }
      assertEquals(condition(s"SELECT * FROM whole VERSION AS OF '$before'"), "STATE_NOT_RETAINED")
      assertEquals(opened.collect().map(_.toString).toSeq, Seq("[1,n,a]", "[2,changed,b]"))
      // An upsert by the new facts, services, and another replacement.
      frame("SELECT 2 AS id, 'y' AS name, 10 AS n, 'q' AS town, 'a' AS day").write.format("hudilite").mode("append")
        .save(s"$home/whole")
      assertEquals(sql("SELECT id, n FROM whole ORDER BY id").map(_.toString), Seq("[1,9]", "[2,10]"), fact)
      assertEquals(sql("CALL hudilite.system.doctor(table => 'replaced.whole', deep => true)"), Nil)
      if (sql("SHOW TBLPROPERTIES whole").exists(_.toString.contains("MERGE_ON_READ")))
        sql("CALL hudilite.system.run_compaction(op => 'run', table => 'replaced.whole')")
      sql("CALL hudilite.system.run_clean(table => 'replaced.whole', retain_commits => 1)")
      assertEquals(sql("SELECT id, n FROM whole ORDER BY id").map(_.toString), Seq("[1,9]", "[2,10]"), fact)
      sql("CREATE OR REPLACE TABLE whole USING hudilite PARTITIONED BY (day) " +
        s"TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v', type = '$kind') AS $first")
      assertEquals(sql("SELECT id, v, name, day FROM whole ORDER BY id").map(_.toString),
        Seq("[1,1.0,n,a]", "[2,2.0,m,b]"))
    }

  test("a statement without rows, writeTo and saveAsTable replace a table, by name and by path") {
    make("doors", "cow")
    sql("CREATE OR REPLACE TABLE doors (k STRING NOT NULL, w INT, day STRING) USING hudilite PARTITIONED BY (day) " +
      "TBLPROPERTIES (primaryKey = 'k', preCombineField = 'w', note = 'kept', 'hoodie.clean.automatic' = 'false') " +
      "COMMENT 'empty'")
    assertEquals(rows("doors"), Nil)
    assertEquals(sql("DESCRIBE doors").take(3).map(_.getString(0)), Seq("k", "w", "day"))
    val entry = registered("doors")
    assertEquals((entry.own.get("note"), entry.kept.get("hoodie.clean.automatic"), entry.entry.comment),
      (Some("kept"), Some("false"), Some("empty")): Any)
    sql("INSERT INTO doors VALUES ('k1', 1, 'a')")
    assertEquals(rows("doors"), Seq("[k1,1,a]"))
    frame("SELECT 'a' AS k, 'b' AS w, 'c' AS day, true AS flag").writeTo("doors").using("hudilite").createOrReplace()
    assertEquals(rows("doors"), Seq("[a,b,true,c]"))
    frame("SELECT 'z' AS k, 5L AS w, 'c' AS day").write.format("hudilite").mode("overwrite").saveAsTable("doors")
    assertEquals(rows("doors"), Seq("[z,5,c]"))
    sql(s"REPLACE TABLE hudilite.`$home/doors` (id INT, w INT, day STRING) USING hudilite " +
      "TBLPROPERTIES (primaryKey = 'id')")
    assertEquals(rows("doors"), Nil)
    assertEquals(properties("doors").get("hoodie.table.recordkey.fields"), Some("id"): Option[String])
  }

  test("a table in the place of another has the rules of its own columns, and none of the other's") {
    val facts = "USING hudilite TBLPROPERTIES (primaryKey = 'id')"
    sql(s"CREATE TABLE ruled (id INT, c VARCHAR(2) NOT NULL) $facts")
    sql(s"CREATE OR REPLACE TABLE ruled (id INT, c STRING, n INT NOT NULL) $facts")
    sql("INSERT INTO ruled VALUES (1, NULL, 1), (2, 'long', 2)")
    intercept[Exception](sql("INSERT INTO ruled VALUES (3, 'x', NULL)"))
    assertEquals(rows("ruled").size, 2)
    sql("CREATE OR REPLACE TABLE ruled USING hudilite AS SELECT 1 AS id, CAST(NULL AS INT) AS n")
    sql("INSERT INTO ruled VALUES (2, NULL)")
    assertEquals(rows("ruled").size, 2)
  }

  test("a replacement that fails or is refused leaves the table as it was, and an append still contradicts it") {
    make("kept", "mor")
    val before = rows("kept")
    val with_key = "USING hudilite TBLPROPERTIES (primaryKey = 'name', type = 'cow')"
    intercept[Exception](
      sql(s"CREATE OR REPLACE TABLE kept $with_key AS SELECT 'a' AS name, 1.0D AS v, raise_error('spilt') AS day"))
    Seq(
      s"CREATE OR REPLACE TABLE kept USING hudilite AS SELECT 'a' AS name" -> "MISSING_COLUMN",
      s"CREATE OR REPLACE TABLE kept USING hudilite TBLPROPERTIES ('hoodie.write.table.version' = '8') AS $first" ->
        "OPTION_CONTRADICTS_TABLE",
      s"CREATE OR REPLACE TABLE kept USING hudilite PARTITIONED BY (day, name) AS $first" -> "STATEMENT_NOT_SUPPORTED",
      "CREATE OR REPLACE TABLE kept USING hudilite" -> "STATEMENT_NOT_SUPPORTED",
      s"CREATE OR REPLACE TABLE hudilite.`$home/kept` (id INT, v DOUBLE NOT NULL, day STRING) USING hudilite" ->
        "STATEMENT_NOT_SUPPORTED").foreach { case (statement, expected) =>
      assertEquals(condition(statement), expected, statement)
    }
    sql("CALL hudilite.system.create_savepoint(table => 'replaced.kept')")
    assertEquals(condition(s"CREATE OR REPLACE TABLE kept $with_key AS $first"), "STATEMENT_NOT_SUPPORTED")
    assertEquals(rows("kept"), before)
    val append = intercept[Exception](frame(first).write.format("hudilite").options(key.toMap).mode("append")
        .save(s"$home/kept"))
    assert(append.getMessage.contains("mode overwrite"), append.getMessage)
    val dynamic = intercept[Exception](frame(first).write.format("hudilite").options(key.toMap).mode("overwrite")
        .option("partitionOverwriteMode", "dynamic").save(s"$home/kept"))
    assert(dynamic.getMessage.contains("OPTION_CONTRADICTS_TABLE"), dynamic.getMessage)
  }

  test("generated keys give way to keys of rows, buckets to none, and a metadata table follows") {
    sql(s"CREATE TABLE keyless USING hudilite TBLPROPERTIES ('hoodie.metadata.enable' = 'true') AS $first")
    assert(properties("keyless").get("hoodie.table.metadata.partitions").contains("files"))
    val buckets = "'hoodie.index.type' = 'BUCKET', 'hoodie.bucket.index.num.buckets' = '3'"
    sql(s"CREATE OR REPLACE TABLE keyless USING hudilite TBLPROPERTIES (primaryKey = 'id', $buckets) AS $first")
    assertEquals(sql("SELECT id, _hoodie_record_key FROM keyless ORDER BY id").map(_.toString), Seq("[1,1]", "[2,2]"))
    assert(properties("keyless").get("hoodie.table.metadata.partitions").contains("files"))
    assert(Files.isDirectory(home.resolve("keyless/.hoodie/metadata")))
    sql("MERGE INTO keyless t USING (SELECT 2 AS id, 5.0D AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v")
    sql("CREATE OR REPLACE TABLE keyless USING hudilite " +
      s"TBLPROPERTIES ('hoodie.index.type' = 'SIMPLE', primaryKey = 'name') AS $first")
    sql("MERGE INTO keyless t USING (SELECT 'm' AS name, 6.0D AS v) s ON t.name = s.name " +
      "WHEN MATCHED THEN UPDATE SET v = s.v")
    assertEquals(sql("SELECT name, v FROM keyless ORDER BY id").map(_.toString), Seq("[n,1.0]", "[m,6.0]"))
  }

  test("a table of version 6 gets other columns, and keeps its facts") {
    val old = "TBLPROPERTIES (primaryKey = 'id', 'hoodie.write.table.version' = '6')"
    sql(s"CREATE TABLE sixth USING hudilite $old AS SELECT 1 AS id, 'a' AS v")
    sql("CREATE OR REPLACE TABLE sixth USING hudilite AS SELECT 2 AS id, 5 AS w")
    assertEquals(rows("sixth"), Seq("[2,5]"))
    assertEquals(condition("CREATE OR REPLACE TABLE sixth USING hudilite TBLPROPERTIES (primaryKey = 'w') " +
        "AS SELECT 2 AS id, 5 AS w"), "STATEMENT_NOT_SUPPORTED")
  }
}
