package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.spark.read.BootstrappedTable

import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.spark.sql.DataFrame

import scala.collection.JavaConverters._

/** Writes to tables whose rows lie half in files that were there before. */
class BootstrappedWritesSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(10, "min")

  private val spark = SharedSession.spark
  private val AsFolders = Map("hoodie.datasource.write.hive_style_partitioning" -> "true",
    "hoodie.datasource.write.partitionpath.urlencode" -> "true")
  private val MergeOnRead = Map("hoodie.datasource.write.table.type" -> "MERGE_ON_READ")
  private val columns = Seq("id", "ts", "fare", "nums", "s", "at", "price", "dt")

  /** A table and what it should hold. */
  private final class Life(facts: Map[String, String]) {
    val made = new BootstrappedTable(AsFolders ++ facts.filterNot(_._1.startsWith("hoodie.metadata")))
    val name: String = s"hudilite.`${made.table}`"
    private val sources = BootstrappedWritesSuite.state(made.source)
    private val upkeep = Seq("hoodie.metadata.enable", "hoodie.metadata.index.column.stats.enable",
      "hoodie.metadata.global.record.level.index.enable")
      .map(name => name -> facts.getOrElse(name, "false")).toMap
    private var wanted: DataFrame = made.rows

    def read: DataFrame = spark.read.format("hudilite").load(made.table.toString)

    def upsert(rows: DataFrame, operation: String = "upsert", options: Map[String, String] = Map.empty): Unit =
      rows.write.format("hudilite").option("hoodie.datasource.write.operation", operation)
        .options(upkeep ++ options).mode("append").save(made.table.toString)

    def becomes(change: DataFrame => DataFrame): Unit = {
      wanted = spark.createDataFrame(change(wanted).collect().toSeq.asJava, made.rows.schema)
      check()
    }

    def check(): Unit = {
      val filters = Seq("true", "fare < 0", "dt = 'c%'", "id = 'k0123'", "ts BETWEEN 240 AND 310", "s.a > 550")
      def found(rows: DataFrame): Seq[String] =
        texts(
          filters.zipWithIndex.map { case (f, n) => rows.where(f).selectExpr(s"$n" +: columns: _*) }.reduce(_ union _))
      assertEquals(found(read), found(wanted))
      val summary = Seq("count(*)", "min(ts)", "max(ts)", "count(fare)", "min(_hoodie_record_key)")
      assertEquals(texts(read.selectExpr(summary: _*)), texts(wanted.selectExpr(summary.init :+ "min(id)": _*)))
      assertEquals(BootstrappedWritesSuite.state(made.source), sources)
    }

    def skeletons: Int = slices(read).count(_.endsWith("_00000000000001.parquet"))

    def sql(text: String): Unit = { spark.sql(text).collect(); () }

    def forgetSources(): Unit =
      BootstrappedWritesSuite.all(made.source).filter(Files.isRegularFile(_)).foreach(Files.delete)
  }

  private def slices(rows: DataFrame): Seq[String] =
    rows.selectExpr("_metadata.file_name").distinct().collect().toSeq.map(_.getString(0))

  private def texts(rows: DataFrame): Seq[String] = rows.collect().toSeq.map(_.toString).sorted

  private def newer(life: Life, condition: String, fare: String): DataFrame =
    life.made.rows.where(condition).withColumn("fare", org.apache.spark.sql.functions.expr(fare))

  private def changed(condition: String, fare: String)(rows: DataFrame): DataFrame =
    rows.withColumn("fare", org.apache.spark.sql.functions.expr(s"CASE WHEN $condition THEN $fare ELSE fare END"))

  test("a rewritten slice of a copy-on-write table is a base file of whole rows") {
    val life = new Life(Map.empty)
    life.check()
    assertEquals(life.skeletons, 3)
    life.upsert(newer(life, "ts IN (5, 7)", "-1.0D"))
    life.becomes(changed("ts IN (5, 7)", "-1.0D"))
    assertEquals(life.skeletons, 2)
    life.sql(s"UPDATE ${life.name} SET fare = -2 WHERE ts = 255 OR id = 'k0006'")
    life.becomes(changed("ts IN (6, 255)", "-2.0D"))
    assertEquals(life.skeletons, 1)
    life.sql(s"DELETE FROM ${life.name} WHERE ts IN (8, 301)")
    life.becomes(_.where("ts NOT IN (8, 301)"))
    assertEquals(life.skeletons, 0)
    life.sql(s"MERGE INTO ${life.name} t USING (SELECT * FROM ${life.name} WHERE ts = 9) s ON t.id = s.id " +
      "WHEN MATCHED THEN UPDATE SET fare = -3")
    life.becomes(changed("ts = 9", "-3.0D"))
    assertEquals(texts(spark.sql(s"SELECT count(*), min(fare) FROM ${life.name} VERSION AS OF '00000000000001'")),
      Seq("[600,0.0]"))
    life.forgetSources()
    assertEquals(texts(life.read.selectExpr("count(fare)", "count(DISTINCT dt)")), Seq("[598,3]"))
  }

  test("logs over skeletons are merged, compacted, folded into whole rows") {
    val life = new Life(MergeOnRead)
    life.upsert(newer(life, "ts IN (5, 255, 400)", "-1.0D"))
    life.becomes(changed("ts IN (5, 255, 400)", "-1.0D"))
    life.sql(s"DELETE FROM ${life.name} WHERE ts IN (8, 301)")
    life.becomes(_.where("ts NOT IN (8, 301)"))
    life.sql(s"UPDATE ${life.name} SET fare = -2 WHERE id IN ('k0006', 'k0302')")
    life.becomes(changed("ts IN (6, 302)", "-2.0D"))
    life.sql(
      s"MERGE INTO ${life.name} t USING (SELECT * FROM ${life.name} WHERE ts IN (10, 11, 310)) s ON t.id = s.id " +
        "WHEN MATCHED AND s.ts <> 11 THEN DELETE WHEN MATCHED THEN UPDATE SET fare = -4")
    life.becomes(rows => changed("ts = 11", "-4.0D")(rows).where("ts NOT IN (10, 310)"))
    life.sql(s"CALL hudilite.system.run_compaction(op => 'run', path => '${life.made.table}')")
    life.check()
    assertEquals(life.skeletons, 0)
    assertEquals(texts(spark.sql(s"SELECT count(*), min(fare) FROM ${life.name} VERSION AS OF '00000000000001'")),
      Seq("[600,0.0]"))
    life.forgetSources()
    assertEquals(texts(life.read.selectExpr("count(fare)", "count(DISTINCT dt)")), Seq("[596,3]"))
  }

  Seq(Map.empty[String, String], MergeOnRead).foreach { facts =>
    test(s"clusterings copy and sort skeletons, and cleaning leaves sources alone: $facts") {
      Seq("", ", order => 'ts'").foreach { order =>
        val life = new Life(facts)
        val more = life.made.rows.selectExpr("concat(id, 'x') AS id", "ts", "fare", "nums", "s", "at", "price", "dt")
        life.upsert(more, "bulk_insert")
        life.becomes(_.union(more))
        life.sql(s"CALL hudilite.system.run_clustering(path => '${life.made.table}'$order)")
        life.check()
        assertEquals(life.skeletons, 0)
        life.upsert(newer(life, "ts IN (5, 255, 400)", "-1.0D"))
        life.becomes(changed("ts IN (5, 255, 400) AND id NOT LIKE '%x'", "-1.0D"))
        life.sql(s"CALL hudilite.system.run_clean(path => '${life.made.table}', retain_commits => 1)")
        life.check()
      }
    }
  }

  test("inserts go into the file of a small skeleton or beside it, partitions are dropped and overwritten") {
    val life = new Life(Map.empty)
    val others = "timestamp'2020-01-01 00:00:01' AS at, 1.5BD AS price"
    val fresh = s"'k9', 9000L, 1.0D, array(1L), named_struct('a', 1L), $others"
    life.sql(s"INSERT INTO ${life.name} SELECT $fresh, 'a b'")
    life.becomes(_.union(spark.sql(s"SELECT $fresh, 'a b'")))
    life.sql(s"ALTER TABLE ${life.name} DROP PARTITION (dt = 'default')")
    life.becomes(_.where("dt <> 'default'"))
    life.upsert(spark.sql("SELECT 'k1' AS id, 1L AS ts, 2.0D AS fare, array(1L) AS nums, named_struct('a', 1L) AS s, " +
        s"$others, 'c%' AS dt"), "insert_overwrite")
    life.becomes(
      _.where("dt <> 'c%'").union(spark.sql(s"SELECT 'k1', 1L, 2.0D, array(1L), named_struct('a', 1L), $others, 'c%'")))
    val newest =
      spark.sql(s"CALL hudilite.system.show_commits(path => '${life.made.table}', limit => 1)").head().getString(0)
    life.sql(s"CALL hudilite.system.rollback_to_instant(path => '${life.made.table}', instant_time => '$newest')")
    life.becomes(_.where("dt <> 'c%'").union(life.made.rows.where("dt = 'c%'")))
  }

  test("skeletons stay when the bootstrap has left the active timeline") {
    val life = new Life(Map.empty)
    val soon = Map("hoodie.keep.min.commits" -> "2", "hoodie.keep.max.commits" -> "3",
      "hoodie.clean.commits.retained" -> "1")
    (1 to 5).foreach { i =>
      life.upsert(newer(life, s"ts = $i", s"-${i}.0D"), options = soon)
      life.becomes(changed(s"ts = $i", s"-${i}.0D"))
    }
    assert(!Files.exists(life.made.table.resolve(".hoodie/00000000000001.commit")))
    assertEquals(life.skeletons, 2)
    life.upsert(newer(life, "ts IN (255, 400)", "-9.0D"), options = soon)
    life.becomes(changed("ts IN (255, 400)", "-9.0D"))
    assertEquals(life.skeletons, 0)
  }

  test("statistics in a metadata table say nothing of skeletons, and keep all rows of them beside a record index") {
    val life = new Life(MergeOnRead ++ Map("hoodie.metadata.enable" -> "true",
      "hoodie.metadata.index.column.stats.enable" -> "true",
      "hoodie.metadata.global.record.level.index.enable" -> "true"))
    Seq("-1.0D", "-3.0D").foreach { fare =>
      life.upsert(newer(life, "ts IN (5, 255)", fare))
      life.becomes(changed("ts IN (5, 255)", fare))
    }
    life.sql(s"CALL hudilite.system.run_clustering(path => '${life.made.table}', order => 'ts', " +
      "predicate => \"dt = 'a b'\")")
    life.check()
    assertEquals(life.skeletons, 2)
    val wrong = spark.sql(s"CALL hudilite.system.validate_metadata(path => '${life.made.table}')").collect()
    assertEquals(wrong.toSeq, Nil)
  }

  test("a write that needs a source that is gone fails, and leaves the table as it was") {
    val life = new Life(Map.empty)
    def row(number: Int, dt: String): DataFrame = spark.sql(
      s"SELECT 'k0$number' AS id, ${number}L AS ts, -1.0D AS fare, array(1L) AS nums, named_struct('a', 1L) AS s, " +
        s"NULL AS at, NULL AS price, '$dt' AS dt")
    Files.delete(life.made.first)
    val before = BootstrappedWritesSuite.state(life.made.table.resolve("dt=a b"))
    val error = Raised.by(life.upsert(row(255, "default").union(row(100, "a b"))))
    assertEquals(error.parameters("path"), s"file:${life.made.first}")
    assertEquals(BootstrappedWritesSuite.state(life.made.table.resolve("dt=a b")), before)
    life.upsert(row(255, "default"))
    assertEquals(texts(life.read.where("dt = 'default' AND fare < 0").select("ts")), Seq("[255]"))
  }
}

private object BootstrappedWritesSuite {

  def all(folder: Path): Seq[Path] = {
    val walked = Files.walk(folder)
    try walked.iterator.asScala.toList
    finally walked.close()
  }

  /** Files below a folder, with their sizes and times. */
  def state(
      folder: Path): Set[String] = all(folder).filter(Files.isRegularFile(_)).filterNot(_.toString.endsWith(".crc"))
    .map(p => s"$p ${Files.size(p)} ${Files.getLastModifiedTime(p)}").toSet
}
