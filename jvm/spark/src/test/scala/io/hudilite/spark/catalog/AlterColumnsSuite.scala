package io.hudilite.spark.catalog

import io.hudilite.error.HudiliteException
import io.hudilite.spark.SharedSession
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

import scala.concurrent.duration.{Duration, DurationInt}

/** ALTER TABLE of columns, with rows written before, between and after the changes. */
class AlterColumnsSuite extends FunSuite {

  override val munitTimeout: Duration = 10.minutes

  private lazy val spark: SparkSession = SharedSession.spark
  private lazy val home: String = Files.createTempDirectory("hudilite-alter").toString

  private def sql(statement: String): Seq[String] = {
    SparkSession.setActiveSession(spark)
    spark.sql(statement).collect().toSeq.map(_.toString).sorted
  }

  private def condition(statement: String): String = {
    val raised = intercept[Exception](sql(statement))
    Iterator.iterate[Throwable](raised)(_.getCause).takeWhile(_ != null).collectFirst {
      case e: HudiliteException => e.condition
    }.getOrElse(raised.getMessage.takeWhile(_ != '\n'))
  }

  private def table(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def create(path: String, kind: String, version: Int): String = {
    sql(s"""CREATE TABLE hudilite.`$path` (id INT, day STRING, ts BIGINT, n INT, v STRING, st STRUCT<x: INT, y: STRING>)
           |USING hudilite PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = '$kind',
           |'hoodie.write.table.version' = '$version')""".stripMargin)
    sql(s"INSERT INTO hudilite.`$path` VALUES (1, 'a', 1, 10, 'v1', named_struct('x', 1, 'y', 'y1')), " +
      "(2, 'b', 1, 20, 'v2', named_struct('x', 2, 'y', 'y2'))")
    s"hudilite.`$path`"
  }

  for ((kind, version) <- Seq("cow" -> 9, "mor" -> 9, "mor" -> 6)) {
    test(s"columns are renamed, dropped, added again, moved and retyped between writes: $kind, version $version") {
      val path = s"$home/$kind$version"
      val t = create(path, kind, version)
      val first = table(path).lastInstant.get.time
      sql(s"ALTER TABLE $t RENAME COLUMN v TO w")
      assertEquals(sql(s"SELECT id, w FROM $t"), Seq("[1,v1]", "[2,v2]"))
      sql(s"UPDATE $t SET w = 'w2' WHERE id = 2")
      sql(s"ALTER TABLE $t DROP COLUMN n")
      sql(s"ALTER TABLE $t ADD COLUMN n STRING COMMENT 'again' AFTER id")
      assertEquals(spark.table(t).columns.toSeq, Seq("id", "n", "day", "ts", "w", "st"))
      assertEquals(sql(s"SELECT id, n, w FROM $t"), Seq("[1,null,v1]", "[2,null,w2]"))
      sql(s"INSERT INTO $t (id, n, day, ts, w, st) VALUES (3, 'n3', 'a', 1, 'w3', NULL)")
      sql(s"ALTER TABLE $t RENAME COLUMN st.x TO xx")
      sql(s"ALTER TABLE $t ALTER COLUMN st.xx TYPE BIGINT")
      sql(s"ALTER TABLE $t ADD COLUMN st.z DOUBLE")
      sql(s"UPDATE $t SET st = named_struct('xx', 7L, 'y', 'y7', 'z', 0.5D), ts = 2 WHERE id = 1")
      assertEquals(sql(s"SELECT id, n, w, st.xx, st.y, st.z FROM $t"),
        Seq("[1,null,v1,7,y7,0.5]", "[2,null,w2,2,y2,null]", "[3,n3,w3,null,null,null]"))
      assertEquals(sql(s"SELECT id FROM $t WHERE st.xx > 5 OR n = 'n3'"), Seq("[1]", "[3]"))
      assertEquals(sql(s"SELECT id, n, v, st.x FROM $t VERSION AS OF '$first'"), Seq("[1,10,v1,1]", "[2,20,v2,2]"))
      assertEquals(spark.table(t).schema("n").getComment(), Some("again"))
    }
  }

  test("columns that are only added need no ids, so that readers without schema-on-read find them") {
    val path = s"$home/added"
    val t = create(path, "cow", 9)
    sql(s"ALTER TABLE $t ADD COLUMNS (extra INT COMMENT 'c', more STRUCT<p: INT>)")
    sql(s"ALTER TABLE $t ALTER COLUMN v COMMENT 'text'")
    sql(s"ALTER TABLE $t ALTER COLUMN n TYPE BIGINT")
    assertEquals(table(path).schema.flatMap(_.byId), None)
    sql(s"INSERT INTO $t VALUES (3, 'a', 1, 4000000000, 'v3', NULL, 5, named_struct('p', 1))")
    assertEquals(sql(s"SELECT id, n, extra, more.p FROM $t"),
      Seq("[1,10,null,null]", "[2,20,null,null]",
        "[3,4000000000,5,1]"))
  }

  test("what would break keys or readers is refused, with nothing changed") {
    val path = s"$home/refused"
    val t = create(path, "cow", 9)
    val before = table(path).timeline.writes.size
    Seq("RENAME COLUMN id TO key", "DROP COLUMN day", "ALTER COLUMN ts TYPE STRING",
      "ADD COLUMN x INT NOT NULL").foreach(change =>
      assertEquals(condition(s"ALTER TABLE $t $change"), "OPTION_NOT_SUPPORTED", change))
    assertEquals(condition(s"ALTER TABLE $t REPLACE COLUMNS (id INT)"), "STATEMENT_NOT_SUPPORTED")
    intercept[Exception](sql(s"ALTER TABLE $t ADD COLUMN V INT"))
    intercept[Exception](sql(s"ALTER TABLE $t ALTER COLUMN v TYPE INT"))
    assertEquals(table(path).timeline.writes.size, before)
  }
}
