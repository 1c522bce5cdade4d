package io.hudilite.spark.catalog

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{Raised, SharedSession}
import io.hudilite.spark.shim.NewerCapabilities

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row, SparkSession}
import org.apache.spark.sql.connector.catalog.DelegatingCatalogExtension
import org.apache.spark.sql.functions.lit

/** DataFrames by names: of hudilite's tables, of tables of other formats, and of columns. */
final class NamedFramesSuite extends NamedSession {

  override protected val database = "frames"

  private val keys = Map("hoodie.datasource.write.recordkey.field" -> "id")
  private val facts = "USING hudilite TBLPROPERTIES (primaryKey = 'id')"

  private def frame(query: String): DataFrame = {
    SparkSession.setActiveSession(spark)
    spark.sql(query)
  }

  private def writer(query: String, mode: String): DataFrameWriter[Row] =
    frame(query).write.format("hudilite").options(keys).mode(mode)

  /** Beginning of an error's text, which is one line. */
  private def said(body: => Any): String = {
    val e = Raised.by(body)
    assert(!e.getMessage.contains('\n'), e.getMessage)
    e.getMessage
  }

  /** Newer Sparks ask what is to become of a table of another format while it is there. */
  private val keepsOthers = spark.version >= "4.3"

  test(
    "saveAsTable in mode overwrite over a table of another format makes a Hudi table, where Spark has dropped that") {
    sql("CREATE TABLE over USING parquet AS SELECT 7 AS x")
    def save(query: String): DataFrameWriter[Row] = writer(query, "overwrite").partitionBy("day")
    if (keepsOthers) {
      assert(said(save("SELECT 1 AS id, 'a' AS day").saveAsTable("over")).contains("[STATEMENT_NOT_SUPPORTED]"))
      assertEquals(rows("over"), Seq("[7]"))
    } else {
      save("SELECT 1 AS id, 'a' AS day").saveAsTable("over")
      assertEquals(rows("over"), Seq("[1,a]"))
      assertEquals(registered("over").provider, "hudilite")
      assert(Files.isDirectory(home.resolve("over/day=a")))
      sql("DROP TABLE over")
      sql("CREATE TABLE over USING parquet AS SELECT 7 AS x")
      writer("SELECT 2 AS id", "overwrite").option("path", s"$home/elsewhere").saveAsTable("frames.over")
      assertEquals(rows(s"hudilite.`$home/elsewhere`"), Seq("[2]"))
      sql("DROP TABLE over")
      assert(Files.exists(home.resolve("elsewhere/.hoodie")))
      sql("CREATE TABLE over USING parquet AS SELECT 7 AS x")
      frame("SELECT 1 AS id").write.format("hudilite").mode("overwrite").saveAsTable("over")
      assertEquals(rows("over"), Seq("[1]"), "without a key its rows get generated ones")
    }
    sql("DROP TABLE IF EXISTS over")
  }

  test("saveAsTable in other modes leaves a table of another format as it is") {
    sql("CREATE TABLE plain USING parquet AS SELECT 7 AS id")
    writer("SELECT 1 AS id", "ignore").saveAsTable("plain")
    val append = intercept[Exception](writer("SELECT 1 AS id", "append").saveAsTable("plain"))
    assert(append.getMessage.contains("format"), append)
    val create = intercept[Exception](writer("SELECT 1 AS id", "error").saveAsTable("plain"))
    assert(create.getMessage.contains("already exists"), create)
    assertEquals(rows("plain"), Seq("[7]"))
    sql("DROP TABLE plain")
  }

  test("saveAsTable over a name of Spark's own catalog says which catalog makes names of Hudi tables") {
    val other = SharedSession.spark.newSession()
    other.conf.set("spark.sql.catalog.spark_catalog", classOf[OtherSessionCatalog].getName)
    SparkSession.setActiveSession(other)
    other.sql(s"CREATE TABLE frames.theirs USING parquet LOCATION '$home/theirs' AS SELECT 7 AS id")
    Seq("append", "overwrite").foreach { mode =>
      val e = intercept[Exception](other.sql("SELECT 1 AS id").write.format("hudilite").options(keys).mode(mode)
          .saveAsTable("frames.theirs"))
      assert(e.getMessage.contains("spark.sql.catalog.spark_catalog") || e.getMessage.contains("format"), e)
    }
    sql("CREATE TABLE named (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    SparkSession.setActiveSession(other)
    Seq("CREATE TABLE frames.mine (id INT) USING hudilite", "CREATE TABLE frames.mine USING hudilite AS SELECT 1 AS id",
      "SELECT * FROM frames.named", "INSERT INTO frames.named VALUES (1)").foreach { statement =>
      val e: HudiliteException = Raised.by(other.sql(statement).collect())
      assertEquals(e.condition, "EXTENSION_NOT_LOADED", statement)
    }
    assert(!other.catalog.tableExists("frames.mine"))
    sql("DROP TABLE named")
  }

  test("an append by a name with an option of columns may bring others than the table has") {
    sql(s"CREATE TABLE grown (id INT, v INT, w STRING) $facts")
    sql("INSERT INTO grown VALUES (1, 1, 'a')")
    val bringing = frame("SELECT 2 AS id, 2 AS v, 'b' AS w, 'new' AS x")
    val names = Seq("grown", "frames.grown", "spark_catalog.frames.grown", "hudilite.frames.grown")
    def append(name: String): Unit = bringing.writeTo(name).option("mergeSchema", "true").append()
    // A Spark that asks rules before it resolves names has this, too.
    if (spark.version.startsWith("3.")) names.foreach(name =>
      assert(intercept[Exception](append(name)).getMessage.contains("TOO_MANY_DATA_COLUMNS")))
    else {
      intercept[Exception](bringing.writeTo("grown").append())
      assertEquals(rows("grown"), Seq("[1,1,a]"))
      names.foreach(append)
      assertEquals(rows("grown"), "[1,1,a,null]" +: Seq.fill(4)("[2,2,b,new]"))
      bringing.write.format("hudilite").mode("append").option("mergeSchema", "TRUE").saveAsTable("grown")
      assertEquals(rows("grown").size, 6) // it inserts, as without the option
      frame("SELECT 3 AS id, 3 AS v, 'c' AS w, 'y' AS y").writeTo(s"hudilite.`$home/grown`")
        .option("mergeSchema", "true").option("hoodie.write.set.null.for.missing.columns", "true")
        .option("hoodie.datasource.write.operation", "upsert").append()
      assertEquals(rows("grown").last, "[3,3,c,null,y]")
      frame("SELECT 4 AS id, 4L AS v").writeTo("grown").option("hoodie.write.set.null.for.missing.columns", "true")
        .overwritePartitions()
      assertEquals(rows("grown"), Seq("[4,4,null,null,null]"))
      assertEquals(sql("SELECT * FROM grown").head.schema("v").dataType.sql, "BIGINT")
      frame("SELECT 5 AS id, 5 AS z").writeTo("grown").option("mergeSchema", "true")
        .option("hoodie.write.set.null.for.missing.columns", "true").overwrite(lit(true))
      assertEquals(rows("grown"), Seq("[5,null,null,null,null,5]"))
      frame("SELECT 9 AS id").createOrReplaceTempView("grown")
      intercept[Exception](append("grown"))
      spark.catalog.dropTempView("grown")
    }
    if (NewerCapabilities.schemaEvolution.isEmpty) assert(spark.version < "4.1")
    sql("DROP TABLE grown")
  }

  test("a LOCATION is one as Spark's own formats take it") {
    val at = "USING hudilite LOCATION '$L' TBLPROPERTIES (primaryKey = 'id')"
    Seq("CREATE TABLE placed (id INT) ", "CREATE TABLE placed ", "CREATE OR REPLACE TABLE placed ").foreach { begin =>
      val query = if (begin.contains("(")) "" else " AS SELECT 1 AS id"
      assert(said(sql(begin + at.replace("$L", "") + query)).contains("LOCATION"), begin)
      assert(said(sql(begin + at.replace("$L", "  ") + query)).contains("LOCATION"), begin)
      sql(begin + at.replace("$L", "rel/ative") + query)
      assertEquals(registered("placed").path, s"file:$home/rel/ative", begin)
      assert(Files.exists(home.resolve("rel/ative/.hoodie/hoodie.properties")), begin)
      if (begin.contains("REPLACE")) sql(begin + at.replace("$L", "rel/ative") + query) // the place that it has
      sql("DROP TABLE placed")
      Files.move(home.resolve("rel"), home.resolve(s"moved-${begin.length}"))
    }
    assert(said(sql(s"CREATE TABLE hudilite.`$home/p` (id INT) ${at.replace("$L", "")}")).contains("LOCATION"))
    sql(s"CREATE TABLE hudilite.frames.placed (id INT) ${at.replace("$L", "rel")}")
    sql("CREATE TABLE placed_like LIKE placed USING hudilite LOCATION 'like'")
    assert(Files.exists(home.resolve("rel/.hoodie")) && Files.exists(home.resolve("like/.hoodie")))
    writer("SELECT 1 AS id", "error").option("path", "saved").saveAsTable("placed_saved")
    assert(Files.exists(home.resolve("saved/.hoodie")))
    Seq("placed", "placed_like", "placed_saved").foreach(table => sql(s"DROP TABLE $table"))
  }

  test("an option names columns as the session tells names apart, and the table keeps their own spelling") {
    val said = "TBLPROPERTIES (primaryKey = 'ID, Code', orderingFields = 'TS', 'hoodie.index.type' = 'BUCKET', " +
      "'hoodie.bucket.index.num.buckets' = '2', 'hoodie.bucket.index.hash.field' = 'CODE')"
    sql(s"CREATE TABLE spelt (id INT, code INT, day STRING, ts INT) USING hudilite PARTITIONED BY (DAY) $said")
    sql("INSERT INTO spelt VALUES (1, 1, 1, 'a')")
    frame("SELECT 1 AS ID, 1 AS CODE, 'a' AS Day, 2 AS Ts").write.format("hudilite")
      .option("hoodie.datasource.write.recordkey.field", "ID,CODE").option("hoodie.index.type", "BUCKET")
      .option("hoodie.bucket.index.num.buckets", "2").option("hoodie.bucket.index.hash.field", "COdE")
      .option("hoodie.datasource.write.operation", "upsert").partitionBy("DAY").mode("append").save(s"$home/spelt")
    assertEquals(rows("spelt"), Seq("[1,1,2,a]"))
    val facts = sql("SHOW TBLPROPERTIES spelt").map(_.toString)
    Seq("recordkey.fields,id,code", "ordering.fields,ts", "partition.fields,day").foreach(fact =>
      assert(facts.contains(s"[hoodie.table.$fact]"), facts))
    sql(s"CREATE TABLE spelt_again USING hudilite LOCATION '$home/spelt' TBLPROPERTIES (primaryKey = 'ID,CODE')")
    sql(s"CREATE TABLE spelt_key (Id INT NOT NULL, v INT) $facts0")
    sql("CREATE TABLE spelt_query USING hudilite PARTITIONED BY (DAY) TBLPROPERTIES (primaryKey = 'ID', " +
      "'hoodie.datasource.write.partitionpath.field' = 'day') AS SELECT 1 AS id, 'a' AS Day")
    assertEquals(sql("SHOW PARTITIONS spelt_query").map(_.getString(0)), Seq("Day=a"))
    spark.conf.set("spark.sql.caseSensitive", "true")
    try {
      Seq("(id INT)", "(id INT NOT NULL)").foreach(columns =>
        assertEquals(condition(s"CREATE TABLE spelt_not $columns $facts0"), "MISSING_COLUMN", columns))
      assertEquals(condition(s"CREATE TABLE spelt_not USING hudilite LOCATION '$home/spelt' $id"),
        "OPTION_CONTRADICTS_TABLE")
    } finally spark.conf.unset("spark.sql.caseSensitive")
    assertEquals(condition(s"CREATE TABLE spelt_not (id INT, v STRUCT<x: INT NOT NULL>) $facts0"),
      "STATEMENT_NOT_SUPPORTED")
    assertEquals(
      condition("CREATE TABLE spelt_not (`dot.ted` INT) USING hudilite TBLPROPERTIES (primaryKey = 'dot.ted')"),
      "INVALID_COLUMN_NAME")
    Seq("spelt_again", "spelt", "spelt_key", "spelt_query").foreach(table => sql(s"DROP TABLE $table"))
  }

  private val id = "TBLPROPERTIES (primaryKey = 'ID')"
  private def facts0: String = s"USING hudilite $id"

  test("a view of a path takes rows as the table of a statement does") {
    sql(s"CREATE TABLE hudilite.`$home/viewed` (id INT, v STRING) $facts")
    def look(): Unit = spark.read.format("hudilite").load(s"$home/viewed").createOrReplaceTempView("viewed")
    look()
    sql("INSERT INTO viewed VALUES (1, 'a'), (2, 'b')")
    sql("INSERT INTO viewed (v, id) VALUES ('c', 3)")
    frame("SELECT 4 AS x, 'd' AS y").write.insertInto("viewed")
    assertEquals(rows(s"hudilite.`$home/viewed`"), Seq("[1,a]", "[2,b]", "[3,c]", "[4,d]"))
    look() // as the view saw the table it is replaced, or not at all
    sql("INSERT OVERWRITE viewed VALUES (5, 'e')")
    assertEquals(rows(s"hudilite.`$home/viewed`"), Seq("[5,e]"))
    spark.catalog.dropTempView("viewed")
  }

  test("saveAsTable onto a folder with a table that has no name says how it gets one") {
    sql(s"CREATE TABLE hudilite.`$home/nameless` (id INT) $facts")
    assert(said(writer("SELECT 1 AS id", "append").option("path", s"$home/nameless").saveAsTable("nameless"))
        .contains(s"CREATE TABLE ... USING hudilite LOCATION 'file:$home/nameless'"))
    assertEquals(rows(s"hudilite.`$home/nameless`"), Nil)
  }
}

/** A session catalog that somebody else has set. */
final class OtherSessionCatalog extends DelegatingCatalogExtension
