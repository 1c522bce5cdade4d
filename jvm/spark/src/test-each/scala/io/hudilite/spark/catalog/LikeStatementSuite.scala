package io.hudilite.spark.catalog

import java.nio.file.{Files, Path}
import java.util.Properties

import org.apache.spark.sql.connector.catalog.TableCatalog

/** CREATE TABLE LIKE with a Hudi table on either side or both. */
final class LikeStatementSuite extends NamedSession {

  override protected val database = "likes"

  private def facts(folder: Path): Properties = {
    val found = new Properties()
    val in = Files.newInputStream(folder.resolve(".hoodie/hoodie.properties"))
    try found.load(in)
    finally in.close()
    found
  }

  private def fact(table: String, name: String): String = facts(home.resolve(table)).getProperty("hoodie." + name)

  private def create(table: String): Unit =
    sql(s"CREATE TABLE $table (id INT, day STRING COMMENT 'of the ride', v DOUBLE) USING hudilite " +
      "PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'v', type = 'mor', " +
      "'hoodie.datasource.write.hive_style_partitioning' = 'true', 'hoodie.write.table.version' = '8', " +
      "'hoodie.index.type' = 'BUCKET', 'hoodie.bucket.index.num.buckets' = '2')")

  test("a table is made with the columns and facts of another one, and none of its rows") {
    create("model")
    sql("INSERT INTO model VALUES (1, 1.0D, 'a')")
    Seq("CREATE TABLE alike LIKE model", "CREATE TABLE by_path LIKE hudilite.`$P/model` USING hudilite",
      "CREATE TABLE hudilite.`$P/at_path` LIKE model",
      "CREATE TABLE elsewhere LIKE model LOCATION '$P/over there 100%'")
      .foreach(statement => sql(statement.replace("$P", home.toString)))
    Seq("alike", "by_path", "at_path", "over there 100%").foreach { folder =>
      Seq("table.type", "table.recordkey.fields", "table.partition.fields", "table.version", "record.merge.mode",
        "datasource.write.hive_style_partitioning").foreach(name =>
        assertEquals(fact(folder, name), fact("model", name), s"$folder $name"))
    }
    assertEquals(registered("alike").kept, registered("model").kept)
    assertEquals(registered("alike").entry.comment, None: Option[String])
    assertEquals(sql("DESCRIBE alike").map(_.toString), sql("DESCRIBE model").map(_.toString))
    assertEquals(rows("alike"), Nil)
    sql("INSERT INTO alike SELECT * FROM model")
    assertEquals(rows("alike"), rows("model"))
    assert(!registered("elsewhere").isManaged && registered("alike").isManaged)
    sql("CREATE TABLE IF NOT EXISTS alike LIKE model")
    assertEquals(condition("CREATE TABLE alike LIKE model"), "TABLE_OR_VIEW_ALREADY_EXISTS")
    assertEquals(rows("alike"), rows("model"))
  }

  test("what the statement says outranks the facts of the other table") {
    create("ordered")
    sql("CREATE TABLE plain LIKE ordered TBLPROPERTIES (type = 'cow', primaryKey = 'id,day', preCombineField = 'id', " +
      "'hoodie.bucket.index.num.buckets' = '4')")
    assertEquals(fact("plain", "table.type"), "COPY_ON_WRITE")
    assertEquals(fact("plain", "table.recordkey.fields"), "id,day")
    assertEquals(registered("plain").kept.get("hoodie.bucket.index.num.buckets"), Some("4"): Option[String])
    assertEquals(condition("CREATE TABLE wrong LIKE ordered TBLPROPERTIES (primaryKey = 'nowhere')"), "MISSING_COLUMN")
    assertEquals(condition("CREATE TABLE wrong LIKE ordered TBLPROPERTIES ('hoodie.datasource.write.no' = '1')"),
      "UNKNOWN_OPTION")
    assert(!spark.catalog.tableExists("wrong") && !Files.exists(home.resolve("wrong")))
  }

  test("a table of another format gives its columns, and the statement the key") {
    sql("CREATE TABLE files (id INT, day STRING, n DECIMAL(10, 2)) USING parquet PARTITIONED BY (day)")
    sql("CREATE TABLE keyed LIKE files USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    assertEquals(fact("keyed", "table.partition.fields"), "day")
    sql("INSERT INTO keyed (id, day, n) VALUES (1, 'a', 2.5)")
    assertEquals(rows("keyed").size, 1)
    assertEquals(sql("SELECT id, n, day FROM keyed").map(_.toString), Seq("[1,2.50,a]"))
    sql("CREATE TABLE keyless LIKE files USING hudilite")
    sql("INSERT INTO keyless (id, day, n) VALUES (1, 'a', 2.5), (1, 'a', 2.5)")
    assertEquals(rows("keyless").size, 2, "rows get keys of their own")
    sql("CREATE TEMPORARY VIEW seen AS SELECT 1 AS id, 'x' AS name")
    sql("CREATE TABLE viewed LIKE seen USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    assertEquals(sql("SHOW COLUMNS IN viewed").map(_.getString(0)), Seq("id", "name"))
    sql("CREATE TABLE valued (id INT, v INT DEFAULT 3) USING parquet")
    sql("CREATE TABLE worth LIKE valued USING hudilite TBLPROPERTIES (primaryKey = 'id')")
    sql("INSERT INTO worth (id) VALUES (1)")
    assertEquals(rows("worth"), Seq("[1,3]"))
  }

  test("a table of another format has the columns of a Hudi table") {
    create("hudis")
    val like = "CREATE TABLE plainly LIKE hudis USING parquet"
    // Spark 4.2 asks catalogs for it, and its own one has no answer.
    if (classOf[TableCatalog].getMethods.exists(_.getName == "createTableLike")) {
      assertEquals(condition(like), "STATEMENT_NOT_SUPPORTED")
      sql("CREATE TABLE plainly USING parquet AS SELECT * FROM hudis LIMIT 0")
    } else sql(like)
    assertEquals(sql("SHOW COLUMNS IN plainly").map(_.getString(0)).toSet, Set("id", "day", "v"))
    sql("INSERT INTO plainly SELECT id, v, day FROM hudis")
    sql("CREATE TABLE other LIKE plainly")
    assertEquals(rows("other"), Nil)
  }
}
