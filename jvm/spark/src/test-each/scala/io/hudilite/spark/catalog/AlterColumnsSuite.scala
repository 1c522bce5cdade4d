package io.hudilite.spark.catalog

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.shim.NewerCapabilities
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.SparkSession

import scala.concurrent.duration.{Duration, DurationInt}

/** ALTER TABLE of columns, with rows written before, between and after the changes. */
class AlterColumnsSuite extends FunSuite with Interpreted {

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
    sql(s"""CREATE TABLE hudilite.`$path` (id INT, ts BIGINT, n INT, v STRING, st STRUCT<x: INT, y: STRING>, day STRING)
           |USING hudilite PARTITIONED BY (day) TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts', type = '$kind',
           |'hoodie.write.table.version' = '$version')""".stripMargin)
    sql(s"INSERT INTO hudilite.`$path` VALUES (1, 1, 10, 'v1', named_struct('x', 1, 'y', 'y1'), 'a'), " +
      "(2, 1, 20, 'v2', named_struct('x', 2, 'y', 'y2'), 'b')")
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
      assertEquals(spark.table(t).columns.toSeq, Seq("id", "n", "ts", "w", "st", "day"))
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
      val point = if (version == 6) "time" else "completion_time"
      val written = spark.sql(s"SELECT $point FROM $t.history WHERE time = '$first'").head().getString(0)
      def changes(range: String): Seq[String] =
        sql(s"SELECT id, n, w, st.xx, st.z FROM hudi_table_changes('$path', 'latest_state', $range)")
      val present = Seq("[1,null,v1,7,0.5]", "[2,null,w2,2,null]", "[3,n3,w3,null,null]")
      assertEquals(changes("'earliest'"), present)
      assertEquals(changes(s"'$written'"), present) // a change of columns alone is no row's
      assertEquals(changes(s"'earliest', '$written'"), Seq("[1,null,v1,1,null]", "[2,null,v2,2,null]"))
    }
  }

  test("columns that are only added need no ids, so that readers without schema-on-read find them") {
    val path = s"$home/added"
    val t = create(path, "cow", 9)
    sql(s"ALTER TABLE $t ADD COLUMNS (extra INT COMMENT 'c', more STRUCT<p: INT>)")
    sql(s"ALTER TABLE $t ALTER COLUMN v COMMENT 'text'")
    sql(s"ALTER TABLE $t ALTER COLUMN n TYPE BIGINT")
    assertEquals(table(path).schema.flatMap(_.byId), None)
    sql(s"INSERT INTO $t VALUES (3, 1, 4000000000, 'v3', NULL, 5, named_struct('p', 1), 'a')")
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
      assertEquals(condition(s"ALTER TABLE $t $change"), "STATEMENT_NOT_SUPPORTED", change))
    assertEquals(condition(s"ALTER TABLE $t REPLACE COLUMNS (id INT)"), "STATEMENT_NOT_SUPPORTED")
    intercept[Exception](sql(s"ALTER TABLE $t ADD COLUMN V INT"))
    intercept[Exception](sql(s"ALTER TABLE $t ALTER COLUMN v TYPE INT"))
    assertEquals(table(path).timeline.writes.size, before)
  }

  for (kind <- Seq("cow", "mor"))
    test(s"a statement WITH SCHEMA EVOLUTION adds columns and fields, and widens, where Spark acts upon it: $kind") {
      assume(NewerCapabilities.schemaEvolution.isDefined)
      val path = s"$home/evolving-$kind"
      val t = create(path, kind, 9)
      val whole = s"$t t USING (SELECT id, 'a' AS day, 2L AS ts, 5000000000L AS n, 'm' AS v, " +
        "named_struct('x', 9, 'y', 'y9', 'in', array(named_struct('z', 1))) AS st, 'e' AS extra FROM VALUES (1), (3) AS s(id)) s " +
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
      sql(s"MERGE WITH SCHEMA EVOLUTION INTO $whole")
      val merged = "2,5000000000,m,[9,y9,ArraySeq([1])],a,e]"
      val old = "[2,1,20,v2,[2,y2,null],b,null]"
      assertEquals(sql(s"SELECT * FROM $t"), Seq(s"[1,$merged", old, s"[3,$merged"))
      assertEquals(spark.table(t).schema("st").dataType.simpleString,
        "struct<x:int,y:string,in:array<struct<z:int>>>")
      val commits = table(path).timeline.writes.size
      sql(s"MERGE WITH SCHEMA EVOLUTION INTO ${whole.replace("VALUES (1), (3)", "VALUES (1)")}")
      assertEquals(table(path).timeline.writes.size, commits + 1) // nothing was left to add
      sql(s"INSERT WITH SCHEMA EVOLUTION INTO $t BY NAME SELECT 4 AS id, 'b' AS day, 1L AS ts, 1L AS n, 'v4' AS v, " +
        "named_struct('x', 4, 'y', 'y4', 'in', array()) AS st, 'e4' AS extra, 7 AS more")
      assertEquals(sql(s"SELECT * FROM $t WHERE id IN (2, 4)"),
        Seq("[2,1,20,v2,[2,y2,null],b,null,null]", "[4,1,1,v4,[4,y4,ArraySeq()],b,e4,7]"))
      // A key would change its type, and a column would become narrower.
      for ((is, was) <-
          Seq("SELECT 1L AS id," -> "SELECT id,", "2 AS ts" -> "2L AS ts", "5 AS n" -> "5000000000L AS n"))
        assertEquals(condition(s"MERGE WITH SCHEMA EVOLUTION INTO ${whole.replace(was, is)}"),
          "STATEMENT_NOT_SUPPORTED", is)
    }
}
