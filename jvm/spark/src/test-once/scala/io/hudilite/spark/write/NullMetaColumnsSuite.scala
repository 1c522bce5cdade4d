package io.hudilite.spark.write

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.FooterCache
import io.hudilite.record.MetaFields
import io.hudilite.spark.Interpreted
import io.hudilite.storage.CountingFileSystem

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.Row

import scala.collection.JavaConverters._

/** Tables whose meta columns are null: keys are made of the columns of the rows. */
final class NullMetaColumnsSuite extends MergeOnReadFixture with Interpreted {

  private def facts(kind: String): Seq[(String, String)] =
    (options(9) ++ Map(
      "hoodie.populate.meta.fields" -> "false", "hoodie.datasource.write.table.type" -> kind)).toSeq

  private def made(kind: String): String = {
    val path = newPath()
    write(rows(0 until 20, 10, "old"), path, "bulk_insert", facts(kind): _*)
    path
  }

  private def at(path: String, options: (String, String)*) =
    spark.read.format("hudilite").options(options.toMap).load(path)

  private def shown(path: String, ids: String*): Seq[Row] = at(path).where(s"id IN ('${ids.mkString("','")}')")
    .select("id", "p", "ts", "v").orderBy("id", "p", "v").collect().toSeq

  private def refused(condition: String, told: String)(body: => Any): Unit = {
    val e = intercept[HudiliteException](body)
    assertEquals(e.condition, condition, e.getMessage)
    assert(e.getMessage.contains(told) && !e.getMessage.contains("\n"), e.getMessage)
  }

  private def checkBare(path: String): Unit = {
    val all = MetaFields.all.map(name => s"$name IS NULL").mkString(" AND ")
    assertEquals(at(path).where(all).count(), at(path).count())
    files(path, _.endsWith(".parquet")).foreach { file =>
      val facts = FooterCache.metadata(new Configuration(), file.toString, Files.size(file)).getFileMetaData
      assert(MetaFields.all.forall(facts.getSchema.containsField), file.toString)
      val told = facts.getKeyValueMetaData.keySet.asScala
      assertEquals(told.filter(k => k.contains("record_key") || k.contains("bloom") || k.startsWith("hudilite")).toSet,
        Set.empty[String])
    }
  }

  test("rows of a copy-on-write table are found by keys that are made of their columns, and a key stays unique") {
    val path = made("COPY_ON_WRITE")
    val first = table(path).timeline.writes.last.time
    write(rows(18 until 24, 11, "new"), path, "upsert")
    write(rows(4 until 6, 9, "late"), path, "upsert")
    assertEquals(versions(path), Map("old" -> 18L, "new" -> 6L))
    write(rows(23 until 25, 11, "x"), path, "delete")
    val groups = table(path).allSlices().values.map(_.size).sum
    write(rows(22 until 32, 11, "in"), path, "insert", "hoodie.datasource.insert.dup.policy" -> "drop")
    write(rows(32 until 34, 11, "in"), path, "insert")
    assertEquals(table(path).allSlices().values.map(_.size).sum, groups) // packed into small files
    spark.sql(s"UPDATE hudilite.`$path` SET v = 'set' WHERE id = 'k0001'")
    spark.sql(s"DELETE FROM hudilite.`$path` WHERE v = 'new' AND id < 'k0020'")
    spark.sql(s"""MERGE INTO hudilite.`$path` t USING (SELECT * FROM VALUES ('k0002', 'p0', 12L, 'merged'),
      ('k0040', 'p0', 12L, 'merged') AS s(id, p, ts, v)) s ON t.id = s.id
      WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *""")
    assertEquals(versions(path), Map("old" -> 16L, "new" -> 3L, "in" -> 11L, "set" -> 1L, "merged" -> 2L))
    assertEquals(at(path).select("id").distinct().count(), at(path).count())
    assertEquals(at(path, "as.of.instant" -> first).count(), 20L)
    refused("PARTITION_CHANGED", "k0001")(spark.sql(s"UPDATE hudilite.`$path` SET p = 'p0' WHERE id = 'k0001'"))
    refused("INVALID_OPTION_VALUE", "SIMPLE")(
      write(rows(0 until 1, 20, "x"), path, "upsert", "hoodie.index.type" -> "BLOOM"))
    checkBare(path)
  }

  test("a key of several columns is made anew, also where two rows of it were inserted") {
    val path = newPath()
    spark.sql(s"""CREATE TABLE hudilite.`$path` (id INT, at TIMESTAMP, v STRING) USING hudilite
      TBLPROPERTIES (primaryKey = 'id,at', 'hoodie.populate.meta.fields' = 'false')""")
    val values = "(1, TIMESTAMP '2026-01-01 00:00:00', 'a'), (1, TIMESTAMP '2026-01-02 00:00:00', 'b')"
    (1 to 2).foreach(_ => spark.sql(s"INSERT INTO hudilite.`$path` VALUES $values"))
    assertEquals(at(path).count(), 4L)
    write(spark.sql(s"SELECT * FROM VALUES (1, TIMESTAMP '2026-01-02 00:00:00', 'c'), (2, now(), 'd') r(id, at, v)"),
      path, "upsert")
    assertEquals(at(path).select("id", "v").orderBy("id", "v").collect().map(_.toString).toSeq,
      Seq("[1,a]", "[1,a]", "[1,c]", "[1,c]", "[2,d]"))
    spark.sql(s"DELETE FROM hudilite.`$path` WHERE v = 'c'")
    assertEquals(at(path).count(), 3L)
    refused("OPTION_CONTRADICTS_TABLE", "hoodie.populate.meta.fields")(write(spark.table(s"hudilite.`$path`"), path,
        "insert", "hoodie.populate.meta.fields" -> "true"))
    checkBare(path)
  }

  test("a merge-on-read table takes new rows, and its services go on; changes and incremental reads are refused") {
    val path = made("MERGE_ON_READ")
    write(rows(20 until 30, 11, "new"), path, "insert", "hoodie.metadata.enable" -> "true",
      "hoodie.metadata.index.column.stats.enable" -> "true")
    write(rows(0 until 2, 11, "again"), path, "insert", "hoodie.metadata.enable" -> "true")
    val before = versions(path)
    assertEquals(before, Map("old" -> 20L, "new" -> 10L, "again" -> 2L))
    assertEquals(at(path).where("ts > 10").count(), 12L)
    val commits = table(path).timeline.completed.size
    refused("INVALID_OPTION_VALUE", "merge-on-read")(write(rows(0 until 2, 12, "x"), path, "upsert"))
    refused("INVALID_OPTION_VALUE", "merge-on-read")(write(rows(0 until 2, 12, "x"), path, "delete"))
    Seq("UPDATE" -> "SET v = 'x' WHERE ts = 10", "DELETE FROM" -> "WHERE ts = 10").foreach { case (verb, rest) =>
      refused("STATEMENT_NOT_SUPPORTED", "merge-on-read")(spark.sql(s"$verb hudilite.`$path` $rest"))
    }
    refused("STATEMENT_NOT_SUPPORTED", "merge-on-read")(spark.sql(
        s"MERGE INTO hudilite.`$path` t USING (SELECT 'k1' id, 'p1' p, 1L ts, 'x' v) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *"))
    refused("UNSUPPORTED_TABLE_FEATURE", "incremental")(at(path, "hoodie.datasource.query.type" -> "incremental",
        "hoodie.datasource.read.begin.instanttime" -> "0").count())
    refused("INVALID_OPTION_VALUE", "meta columns")(write(rows(40 until 41, 12, "x"), path, "insert",
        "hoodie.metadata.global.record.level.index.enable" -> "true"))
    assertEquals(table(path).timeline.completed.size, commits)
    spark.sql(s"CALL hudilite.system.run_compaction(table => '$path')")
    spark.sql(s"CALL hudilite.system.run_clustering(table => '$path')")
    assertEquals(table(path).allSlices().values.map(_.size).toSeq, Seq(1, 1))
    spark.sql(s"CALL hudilite.system.run_clustering(table => '$path', order => 'v')")
    assertEquals(versions(path), before)
    assertEquals(at(path).where("p = 'p1' AND v = 'again'").select("id").collect().map(_.getString(0)).toSeq,
      Seq("k0001"))
    spark.sql(s"CALL hudilite.system.run_clean(table => '$path', retain_commits => 1)")
    spark.sql(s"ALTER TABLE hudilite.`$path` DROP PARTITION (p = 'p1')")
    assertEquals(at(path).where("p = 'p1'").count(), 0L)
    spark.sql(s"INSERT OVERWRITE hudilite.`$path` VALUES ('k0', 'p0', 1L, 'over')")
    assertEquals(shown(path, "k0", "k0000"), Seq(Row("k0", "p0", 1L, "over")))
    checkBare(path)
  }

  test("a write of new rows to a merge-on-read table lists no other partition") {
    CountingFileSystem.configure(spark.sparkContext.hadoopConfiguration)
    val path = newPath()
    def some(ids: Range, v: String) = rows(ids, 10, v).selectExpr("id", "concat('q', substr(id, 5)) p", "ts", "v")
    write(some(0 until 10, "old"), path, "bulk_insert", facts("MERGE_ON_READ"): _*)
    val (_, calls) = CountingFileSystem.during(
      write(some(23 until 24, "new"), CountingFileSystem.path(path), "insert"))
    val listed = calls.paths("list").flatMap(p => "/(q[0-9])".r.findFirstMatchIn(p).map(_.group(1))).distinct
    assertEquals(listed.filterNot(_ == "q3"), Nil, calls.details)
    assertEquals(at(path).where("p = 'q3'").groupBy("v").count().count(), 2L)
  }
}
