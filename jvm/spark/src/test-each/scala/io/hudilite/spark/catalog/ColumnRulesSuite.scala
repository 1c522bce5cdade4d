package io.hudilite.spark.catalog

import io.hudilite.spark.Logged

import org.apache.spark.sql.Row

/** Lengths of texts, default values and NOT NULL of tables by name, in statements and DataFrames. */
class ColumnRulesSuite extends NamedSession {

  override protected val database: String = "rules"

  private val key = "TBLPROPERTIES (primaryKey = 'id')"

  private def create(table: String, columns: String): Unit = {
    sql(s"CREATE TABLE $table ($columns) USING hudilite $key")
    ()
  }

  private def message(body: => Any): String = {
    val raised = intercept[Exception](body)
    Iterator.iterate[Throwable](raised)(_.getCause).takeWhile(_ != null).map(_.getMessage).mkString(" ")
  }

  test("texts are stored as strings, and their length is checked in each way to write them") {
    create("lengths", "id INT, c VARCHAR(3), d CHAR(4), st STRUCT<x: VARCHAR(2)>")
    val types = Seq("int", "varchar(3)", "char(4)", "struct<x:varchar(2)>")
    assertEquals(sql("DESCRIBE lengths").map(_.getString(1)), types)
    assertEquals(sql("DESCRIBE EXTENDED lengths").map(_.getString(1)).take(4), types)
    assert(sql("DESCRIBE lengths c").exists(row => row.getString(1) == "varchar(3)"))
    assertEquals(registered("lengths").entry.schema("c").dataType.simpleString, "string")
    sql("INSERT INTO lengths VALUES (1, 'abc', 'x', named_struct('x', 'ab'))")
    assertEquals(sql("SELECT c, length(d), st.x FROM lengths"), Seq(Row("abc", 4, "ab")))
    Seq("INSERT INTO lengths VALUES (2, 'abcd', 'x', NULL)", "INSERT INTO lengths (id, c) VALUES (2, 'abcd')",
      "INSERT INTO lengths VALUES (2, 'a', 'x', named_struct('x', 'abc'))", "UPDATE lengths SET c = 'abcd'",
      "INSERT OVERWRITE lengths VALUES (2, 'abcd', 'x', NULL)",
      "MERGE INTO lengths t USING (SELECT 1 AS id, 'abcd' AS c) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET c = s.c",
      "MERGE INTO lengths t USING (SELECT 2 AS id, 'abcd' AS c) s ON t.id = s.id " +
        "WHEN NOT MATCHED THEN INSERT (id, c) VALUES (s.id, s.c)").foreach { statement =>
      val raised = message(sql(statement))
      assert(raised.contains("length limit"), s"$statement: $raised")
    }
    val frame = spark.sql("SELECT 2 AS id, 'abcd' AS c, 'x' AS d, named_struct('x', 'ab') AS st")
    assert(message(frame.writeTo("lengths").append()).contains("length limit"))
    assert(message(frame.write.format("hudilite").mode("append").saveAsTable("lengths")).contains("length limit"))
    frame.selectExpr("id", "'ab' AS c", "d", "st").writeTo("lengths").append()
    assertEquals(sql("SELECT id, c FROM lengths ORDER BY id"), Seq(Row(1, "abc"), Row(2, "ab")))
  }

  test("a changed table keeps the lengths of its other columns, and says all of them in SHOW CREATE TABLE") {
    create("changed", "id INT, c VARCHAR(3) COMMENT 'short', n INT DEFAULT 3, v INT NOT NULL")
    sql("ALTER TABLE changed RENAME COLUMN c TO e")
    sql("ALTER TABLE changed ADD COLUMNS (f CHAR(2), g TINYINT)")
    assertEquals(
      sql("DESCRIBE changed").map(row => s"${row.getString(0)} ${row.getString(1)}"),
      Seq("id int", "e varchar(3)", "n int", "v int", "f char(2)", "g int"))
    assertEquals(message(sql("INSERT INTO changed (id, v, f) VALUES (1, 1, 'abc')")).contains("length limit"), true)
    sql("ALTER TABLE changed ALTER COLUMN e TYPE VARCHAR(4)")
    sql("INSERT INTO changed (id, v, e) VALUES (1, 1, 'abcd')")
    intercept[Exception](sql("ALTER TABLE changed ALTER COLUMN e TYPE VARCHAR(2)"))
    val text = sql("SHOW CREATE TABLE changed").head.getString(0)
    Seq("e VARCHAR(4) COMMENT 'short'", "n INT DEFAULT 3", "v INT NOT NULL", "f CHAR(2)").foreach(part =>
      assert(text.contains(part), text))
    sql("DROP TABLE changed")
    sql(text)
    assertEquals(sql("SHOW CREATE TABLE changed").head.getString(0), text)
    sql(s"CREATE TABLE alike LIKE changed")
    assertEquals(sql("DESCRIBE alike").map(_.getString(1)), sql("DESCRIBE changed").map(_.getString(1)))
    assertEquals(condition("INSERT INTO alike (id) VALUES (1)"), "MISSING_COLUMN")
  }

  test("columns that a row leaves out have their default values") {
    create("defaults", "id INT, v INT DEFAULT 3, t STRING DEFAULT 'it' || 's', w INT")
    sql("INSERT INTO defaults (id) VALUES (1)")
    sql("INSERT INTO defaults VALUES (2, DEFAULT, DEFAULT, DEFAULT)")
    sql("INSERT INTO defaults (t, id, v) VALUES ('x', 3, NULL)")
    sql("MERGE INTO defaults t USING (SELECT 4 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)")
    assertEquals(rows("defaults"), Seq("[1,3,its,null]", "[2,3,its,null]", "[3,null,x,null]", "[4,3,its,null]"))
    sql("ALTER TABLE defaults ALTER COLUMN v SET DEFAULT 5")
    sql("ALTER TABLE defaults ALTER COLUMN t DROP DEFAULT")
    sql("INSERT INTO defaults (id) VALUES (5)")
    sql("UPDATE defaults SET v = DEFAULT WHERE id = 3")
    assertEquals(sql("SELECT id, v, t FROM defaults WHERE id IN (3, 5) ORDER BY id"),
      Seq(Row(3, 5, "x"), Row(5, 5, null)))
    intercept[Exception](sql("ALTER TABLE defaults ALTER COLUMN v SET DEFAULT 'five'"))
    assertEquals(condition("ALTER TABLE defaults ADD COLUMN x INT DEFAULT 3"), "STATEMENT_NOT_SUPPORTED")
  }

  test("a column that is NOT NULL refuses nulls in each way to write them") {
    create("filled", "id INT, v INT NOT NULL, w INT")
    sql("INSERT INTO filled VALUES (1, 1, NULL)")
    Seq("INSERT INTO filled VALUES (2, NULL, 1)", "INSERT INTO filled SELECT 2, nullif(id, 1), 1 FROM filled",
      "UPDATE filled SET v = w", "UPDATE filled SET v = NULL",
      "MERGE INTO filled t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = t.w",
      "MERGE INTO filled t USING (SELECT 2 AS id, CAST(NULL AS INT) AS v, 1 AS w) s ON t.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")
      .foreach(statement => assertEquals(condition(statement), "NULL_IN_REQUIRED_COLUMN", statement))
    val leftOut = condition(
      "MERGE INTO filled t USING (SELECT 2 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)")
    // Before 4.3 Spark itself has filled the column in.
    assert(Set("MISSING_COLUMN", "NULL_IN_REQUIRED_COLUMN")(leftOut), leftOut)
    assertEquals(condition("INSERT INTO filled (id) VALUES (2)"), "MISSING_COLUMN")
    sql("UPDATE filled SET w = 2")
    assertEquals(rows("filled"), Seq("[1,1,2]"))
    sql("ALTER TABLE filled ALTER COLUMN v DROP NOT NULL")
    sql("INSERT INTO filled (id) VALUES (2)")
    assertEquals(rows("filled"), Seq("[1,1,2]", "[2,null,null]"))
    assertEquals(condition("ALTER TABLE filled ALTER COLUMN v SET NOT NULL"), "STATEMENT_NOT_SUPPORTED")
  }

  test("a column that is NOT NULL is added while there are no rows that lack it") {
    create("grows", "id INT, v INT")
    sql("ALTER TABLE grows ADD COLUMNS (a INT NOT NULL COMMENT 'new')")
    sql("ALTER TABLE grows ADD COLUMNS (b INT NOT NULL AFTER id)")
    assertEquals(condition("INSERT INTO grows VALUES (1, NULL, 1, 1)"), "NULL_IN_REQUIRED_COLUMN")
    assertEquals(condition("INSERT INTO grows VALUES (1, 1, 1, NULL)"), "NULL_IN_REQUIRED_COLUMN")
    sql("INSERT INTO grows VALUES (1, 2, 3, 4)")
    assertEquals(rows("grows"), Seq("[1,2,3,4]"))
    assertEquals(condition("ALTER TABLE grows ADD COLUMNS (c INT NOT NULL)"), "STATEMENT_NOT_SUPPORTED")
    assertEquals(rows("grows"), Seq("[1,2,3,4]"))
  }

  test("a table by path has nothing to keep rules in, and refuses each of them") {
    def at(columns: String): String = s"CREATE TABLE hudilite.`$home/by_path` ($columns) USING hudilite $key"
    assertEquals(condition(at("id INT, c VARCHAR(3)")), "UNSUPPORTED_COLUMN_TYPE")
    assertEquals(condition(at("id INT, c INT DEFAULT 3")), "OPTION_NOT_SUPPORTED")
    assertEquals(condition(at("id INT, c INT NOT NULL")), "STATEMENT_NOT_SUPPORTED")
    val told = Logged.during("io.hudilite.spark.catalog.ColumnRules")(sql(at("id INT, c TINYINT, d SMALLINT")))
    assert(!Logged.isHeard || told.size == 1 && told.head.contains("INT for c TINYINT, d SMALLINT"), told)
    assertEquals(condition(s"ALTER TABLE hudilite.`$home/by_path` ADD COLUMN d CHAR(3)"), "UNSUPPORTED_COLUMN_TYPE")
  }

  test("columns that are added come before the partition columns at the end, and where they are put") {
    sql(s"CREATE TABLE grown (id INT, v INT, town STRING) USING hudilite PARTITIONED BY (town) $key")
    sql("INSERT INTO grown VALUES (1, 1, 'oslo')")
    sql("ALTER TABLE grown ADD COLUMN x INT")
    sql("ALTER TABLE grown ADD COLUMNS (y INT, f INT FIRST, z INT)")
    sql("INSERT INTO grown VALUES (5, 2, 2, 3, 4, 6, 'rome')")
    assertEquals(sql("SHOW COLUMNS IN grown").map(_.getString(0)), Seq("f", "id", "v", "x", "y", "z", "town"))
    assertEquals(rows("grown"), Seq("[5,2,2,3,4,6,rome]", "[null,1,1,null,null,null,oslo]"))
  }

  test("a primary key of Spark 4.1 and later is the record key") {
    assume(!spark.version.startsWith("3.") && !spark.version.startsWith("4.0"))
    sql("CREATE TABLE keyed (id INT, v INT, PRIMARY KEY (id)) USING hudilite")
    sql("INSERT INTO keyed VALUES (1, 1)")
    sql("CREATE TABLE keyed_twice (id INT PRIMARY KEY, v INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    assertEquals(sql("SELECT _hoodie_record_key FROM keyed").map(_.getString(0)), Seq("1"))
    assert(sql("SHOW CREATE TABLE keyed").head.getString(0).contains("primaryKey = 'id'"))
    assertEquals(
      condition("CREATE TABLE other (id INT, v INT, PRIMARY KEY (id)) USING hudilite TBLPROPERTIES (primaryKey = 'v')"),
      "INVALID_OPTION_VALUE")
    intercept[Exception](sql("CREATE TABLE other (id INT, PRIMARY KEY (id), CHECK (id > 0)) USING hudilite"))
  }
}
