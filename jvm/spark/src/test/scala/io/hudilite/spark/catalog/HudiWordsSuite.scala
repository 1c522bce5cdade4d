package io.hudilite.spark.catalog

import io.hudilite.spark.Logged

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, SparkSession}

/** Statements of Apache Hudi's users mean what they mean there. */
final class HudiWordsSuite extends NamedSession {

  override protected val database = "words"

  private val key = "TBLPROPERTIES (primaryKey = 'id', 'hoodie.clean.automatic' = 'false')"

  private def strings(query: String): Seq[String] = sql(query).map(_.toString).sorted

  private def warnings(name: String)(statement: String): Seq[String] = {
    val lines = Logged.during(name)(sql(statement))
    if (Logged.isHeard) lines else Nil
  }

  Seq("ordered" -> "(id STRING, day STRING, name STRING) USING hudilite PARTITIONED BY (day) $K",
    "hudilite.`$P/ordered`" -> "(id STRING, day STRING, name STRING) USING hudilite PARTITIONED BY (day) $K",
    "ordered" -> "USING hudilite PARTITIONED BY (day) $K AS SELECT '0' AS id, 'd' AS day, 'n' AS name WHERE false",
    "hudilite.`$P/ordered`" -> ("USING hudilite PARTITIONED BY (day) $K " +
      "AS SELECT '0' AS id, 'd' AS day, 'n' AS name WHERE false")).foreach { case (name, rest) =>
    test(s"partition columns come last, are in the names of folders, and a line says so: $name $rest") {
      val table = name.replace("$P", home.toString)
      val lines = warnings("io.hudilite.spark.catalog.ColumnOrder")(s"CREATE TABLE $table ${rest.replace("$K", key)}")
      assertEquals(lines.map(_.contains("id, name, day")), Seq(true).filter(_ => Logged.isHeard))
      sql(s"INSERT INTO $table VALUES ('1', 'ann', '2026-01-01')")
      assertEquals(strings(s"SELECT id, name, day, _hoodie_partition_path FROM $table"),
        Seq("[1,ann,2026-01-01,day=2026-01-01]"))
      assertEquals(rows(table), Seq("[1,ann,2026-01-01]"))
      val dropped = if (name.contains('/')) s"path => '$home/ordered'" else "table => 'words.ordered'"
      sql(s"CALL hudilite.system.drop_partition($dropped, partition => '2026-01-01')")
      assertEquals(rows(table), Nil)
      if (name == "ordered") sql("DROP TABLE ordered") else delete("ordered")
    }
  }

  test("a table whose statement has the order of the table, or no partitions, says nothing") {
    Seq("CREATE TABLE quiet (id INT, v INT, day INT) USING hudilite PARTITIONED BY (day) " + key,
      s"CREATE TABLE quiet (id INT, v INT) USING hudilite $key").foreach { statement =>
      assertEquals(warnings("io.hudilite.spark.catalog.ColumnOrder")(statement), Nil, statement)
      sql("DROP TABLE quiet")
    }
  }

  test("names of folders are as an option says, and as the table has them that is there or alike") {
    sql("CREATE TABLE plain (id INT, day STRING, v INT) USING hudilite PARTITIONED BY (day) " +
      "TBLPROPERTIES (primaryKey = 'id', 'hoodie.datasource.write.hive_style_partitioning' = 'false')")
    sql("INSERT INTO plain VALUES (1, 1, 'a'), (2, 2, 'b')")
    assert(Files.isDirectory(home.resolve("plain/a")))
    sql(s"CREATE TABLE again (id INT, day STRING, v INT) USING hudilite PARTITIONED BY (day) LOCATION '$home/plain'")
    frame("SELECT 1 AS id, 'a' AS day, 1 AS v").write.format("hudilite").partitionBy("day")
      .option("hoodie.datasource.write.recordkey.field", "id").save(s"$home/frame")
    sql(s"CREATE TABLE copy LIKE hudilite.`$home/frame` USING hudilite")
    sql("INSERT INTO copy SELECT * FROM again")
    assertEquals(rows("copy"), Seq("[1,1,a]", "[2,2,b]"))
    assert(Files.isDirectory(home.resolve("copy/a")))
    assertEquals(rows(s"hudilite.`$home/frame`"), Seq("[1,a,1]"))
    sql("CALL hudilite.system.drop_partition(table => 'words.again', partition => 'day=a')")
    assertEquals(rows("plain"), Seq("[2,2,b]"))
    Seq("again", "copy", "plain").foreach(table => sql(s"DROP TABLE $table"))
  }

  private def frame(query: String): DataFrame = {
    SparkSession.setActiveSession(spark)
    spark.sql(query)
  }

  private def delete(folder: String): Unit = {
    val paths = Files.walk(home.resolve(folder))
    try paths.sorted(java.util.Comparator.reverseOrder[java.nio.file.Path]()).forEach(path => Files.delete(path))
    finally paths.close()
  }
}
