package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, Raised, SharedSession}

import java.nio.file.Files

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, SaveMode}

import scala.concurrent.duration.{Duration, DurationInt}

/** Writes of an application that numbers them: what comes twice is done once. */
class SeenVersionsSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 5.minutes

  private val spark = SharedSession.spark

  private def newTable(): String = Files.createTempDirectory("hudilite-seen").resolve("t").toString

  private def rows(ids: Range, v: String): DataFrame =
    spark.range(ids.head.toLong, ids.last + 1L).selectExpr("id", s"'$v' AS v", "id % 2 AS p")

  private def write(rows: DataFrame, path: String, options: (String, String)*): Unit =
    write(rows, path, SaveMode.Append, options: _*)

  private def write(rows: DataFrame, path: String, mode: SaveMode, options: (String, String)*): Unit =
    rows.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").options(options.toMap).mode(mode).save(path)

  private def version(number: Int): Seq[(String, String)] = Seq("txnAppId" -> "App", "txnVersion" -> number.toString)

  private def commits(path: String): Long = spark.sql(s"SELECT * FROM hudilite.`$path`.history").count()

  private def refused(condition: String)(body: => Any): Unit = assertEquals(Raised.by(body).condition, condition)

  private def values(path: String): Map[Long, String] =
    spark.read.format("hudilite").load(path).select("id", "v").collect().map(r => r.getLong(0) -> r.getString(1)).toMap

  test("a DataFrame is written once for each version of its application, whatever its save mode and operation") {
    val path = newTable()
    write(rows(0 until 4, "one"), path, version(1): _*)
    write(rows(0 until 4, "again"), path, version(1): _*)
    write(rows(0 until 1, "again"), path, SaveMode.Overwrite, version(0): _*)
    write(rows(0 until 4, ""), path, version(1) :+ ("hoodie.datasource.write.operation" -> "delete"): _*)
    write(rows(9 until 10, "again"), path, version(1) :+ ("hoodie.datasource.write.operation" -> "bulk_insert"): _*)
    assertEquals((values(path).values.toSet, commits(path)), (Set("one"), 1L))
    write(rows(3 until 5, "two"), path, version(2): _*)
    write(rows(3 until 5, "other"), path, "txnAppId" -> "app", "txnVersion" -> "1")
    assertEquals(values(path), Map(0L -> "one", 1L -> "one", 2L -> "one", 3L -> "other", 4L -> "other"))
  }

  test("statements go by the versions that the session sets") {
    val path = newTable()
    write(rows(0 until 4, "one"), path)
    def run(number: Int): Unit = SharedSession.withConf(version(number).map { case (name, text) =>
      s"spark.datasource.hudilite.$name" -> text
    }: _*) {
      spark.sql(s"INSERT INTO hudilite.`$path` VALUES (${10 + number}, 'inserted', 0)")
      spark.sql(s"UPDATE hudilite.`$path` SET v = 'updated' WHERE id = 0")
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE id = 1")
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE p = 1")
      spark.sql(s"MERGE INTO hudilite.`$path` t USING (SELECT 2 AS id) s ON t.id = s.id " +
        "WHEN MATCHED THEN UPDATE SET v = 'merged'")
      ()
    }
    val before = values(path)
    run(1) // the first of them takes the version
    assertEquals(values(path), before + (11L -> "inserted"))
    run(1)
    assertEquals(values(path), before + (11L -> "inserted"))
    run(2)
    assertEquals(commits(path), 3L)
  }

  test("archiving forgets neither versions nor the checkpoint of a streamer") {
    val path = newTable()
    val short = Seq("hoodie.keep.min.commits" -> "2", "hoodie.keep.max.commits" -> "3",
      "hoodie.clean.commits.retained" ->
        "1")
    write(rows(0 until 2, "one"), path,
      version(7) ++ Seq("deltastreamer.checkpoint.key" -> "topic,0:5",
        "hoodie.datasource.write.commitmeta.key.prefix" -> "deltastreamer."): _*)
    (0 until 5).foreach(n => write(rows(0 until 2, s"$n"), path, short: _*))
    assert(commits(path) <= 3)
    write(rows(0 until 2, "again"), path, version(7): _*)
    assertEquals(values(path)(0L), "4")
    val said = spark.sql(s"SELECT metadata FROM hudilite.`$path`.history LIMIT 1").head().getMap[String, String](0)
    assertEquals(said.toMap, Map("deltastreamer.checkpoint.key" -> "topic,0:5"))
  }

  test("options that begin as the session or the write says are entries of the commit, which history shows") {
    val path = newTable()
    def said: Map[String, String] =
      spark.sql(s"SELECT metadata FROM hudilite.`$path`.history LIMIT 1").head().getMap[String, String](0).toMap
    write(rows(0 until 2, "one"), path, "_Job" -> "Nightly run", "_empty" -> "")
    assertEquals(said, Map("_Job" -> "Nightly run", "_empty" -> ""))
    SharedSession.withConf("spark.datasource.hudilite.hoodie.datasource.write.commitmeta.key.prefix" -> "Job.") {
      write(rows(0 until 2, "two"), path, "job.Id" -> "5")
      assertEquals(said, Map("job.Id" -> "5"))
      refused("UNKNOWN_OPTION")(write(rows(0 until 2, "three"), path, "_Job" -> "5"))
    }
    refused("UNKNOWN_OPTION")(spark.read.format("hudilite").option("_Job", "x").load(path).count())
    refused("INVALID_OPTION_VALUE")(write(rows(0 until 2, "four"), path, "txnAppId" -> "x"))
    refused("INVALID_OPTION_VALUE")(write(rows(0 until 2, "four"), path, "txnVersion" -> "1"))
    refused("INVALID_OPTION_VALUE")(
      write(rows(0 until 2, "four"), path, "txnAppId" -> "x", "txnVersion" -> "1.5"))
    assertEquals(values(path)(0L), "two")
  }

  test("history says that rows were overwritten, and that a clustering inserts none") {
    val path = newTable()
    write(rows(0 until 4, "one"), path)
    write(rows(0 until 2, "two"), path, SaveMode.Overwrite)
    write(rows(0 until 2, "three"), path, SaveMode.Overwrite, "partitionOverwriteMode" -> "dynamic",
      "hoodie.datasource.write.operation" -> "upsert")
    spark.sql(s"CALL hudilite.system.run_clustering(path => '$path', `order` => 'v')").collect()
    val told = spark.sql(s"SELECT operation, inserts, updates, deletes FROM hudilite.`$path`.history").collect()
    assertEquals(told.toSeq.map(r => (r.getString(0), r.getLong(1))),
      Seq(("CLUSTER", 0L), ("INSERT_OVERWRITE", 2L),
        ("INSERT_OVERWRITE_TABLE", 2L), ("UPSERT", 4L)))
  }
}
