package io.hudilite.spark.service

import io.hudilite.error.InvalidInput
import io.hudilite.service.clean.FinishedCleaning
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.spark.procedure.{CleaningProcedures, ServiceCall}
import io.hudilite.storage.{HadoopStorage, Temporaries}
import io.hudilite.table.Table
import io.hudilite.timeline.Action

import java.nio.file.{Files, Path, Paths}
import java.nio.file.attribute.FileTime

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.functions.lit

import scala.collection.JavaConverters._

/** Cleanings that follow writes, and those that are called. */
class CleaningSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark

  private def write(path: String, partitions: Int, value: Int, more: (String, String)*): Unit =
    spark.range(partitions.toLong).selectExpr("cast(id AS string) id", "concat('p', id) p").withColumn("v", lit(value))
      .write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").options(more.toMap).mode("append").save(path)

  private def newPath(): String = Files.createTempDirectory("hudilite-clean").resolve("t").toString

  private def baseFiles(path: String): Int = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator.asScala.count((f: Path) => f.toString.endsWith(".parquet") && !f.toString.contains(".hoodie/"))
    finally walk.close()
  }

  private def table(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def values(path: String): Seq[Int] =
    spark.read.format("hudilite").load(path).select("v").distinct().collect().map(_.getInt(0)).toSeq

  private def clean(path: String, options: (String, String)*): Seq[FinishedCleaning] =
    CleaningProcedures.start(ServiceCall(spark, path, options.toMap)).result()

  test("a table that is written again and again keeps the files of its last commits, without any option") {
    val path = newPath()
    (1 to 14).foreach(write(path, 1, _))
    val timeline = table(path).timeline
    assertEquals(baseFiles(path), 11, "ten commits, and what a reader at the first of them sees")
    assertEquals(timeline.completed.count(_.action == Action.Clean), 3)
    assertEquals(timeline.pending, Nil)
    assertEquals(values(path), Seq(14))
    def asOf(instant: String): Seq[Int] = spark.read.format("hudilite").option("as.of.instant", instant).load(path)
      .select("v").collect().map(_.getInt(0)).toSeq
    assertEquals(asOf(timeline.writes(4).time), Seq(5))
    assertEquals(intercept[InvalidInput](asOf(timeline.writes(1).time)).condition, "STATE_NOT_RETAINED")
  }

  test("a cleaning that is called for deletes what killed writers were about to name, too") {
    val path = newPath()
    (1 to 4).foreach(write(path, 1, _, "hoodie.clean.automatic" -> "false"))
    val left = Paths.get(path, ".hoodie", "timeline", Temporaries.nameFor("20260101000000000.commit"))
    Files.write(left, Array.emptyByteArray)
    Files.setLastModifiedTime(left, FileTime.fromMillis(0L))
    write(path, 1, 5, "hoodie.clean.automatic" -> "false")
    assert(Files.exists(left), "this process has just looked")
    assertEquals(clean(path, "hoodie.clean.commits.retained" -> "1").size, 1)
    assert(!Files.exists(left))
  }

  test("a table does not clean itself when it is told so, and by the policy that the write names") {
    val path = newPath()
    val two = "hoodie.clean.commits.retained" -> "2"
    for ((off, n) <- Seq("hoodie.clean.automatic", "hudilite.services", "hoodie.table.services.enabled").zipWithIndex)
      (1 to 2).foreach(i => write(path, 1, n * 2 + i, two, off -> "false"))
    assertEquals(baseFiles(path), 6)
    write(path, 1, 7, "hoodie.cleaner.fileversions.retained" -> "4")
    assertEquals(baseFiles(path), 4)
    write(path, 1, 8, two)
    assertEquals(baseFiles(path), 3)
    assertEquals(values(path), Seq(8))
  }

  test("a policy that nobody knows fails the write before anything is touched") {
    val path = newPath()
    write(path, 1, 1)
    for (bad <- Seq("hoodie.clean.policy" -> "KEEP_ALL", "hoodie.clean.commits.retained" -> "0",
        "hoodie.clean.retain" ->
          "1")) intercept[InvalidInput](write(path, 1, 2, bad))
    assertEquals(values(path), Seq(1))
    assertEquals(table(path).timeline.instants.size, 1)
  }

  test("many files are deleted in tasks, and a preview deletes none") {
    val path = newPath()
    val off = "hoodie.clean.automatic" -> "false"
    (1 to 3).foreach(write(path, 70, _, off))
    val one = "hoodie.clean.fileversions.retained" -> "1"
    val preview = CleaningProcedures.preview(ServiceCall(spark, path, Map(one)))
    assertEquals(preview.flatMap(_._2.files.values.flatten).size, 140)
    assertEquals(baseFiles(path), 210)
    val finished = clean(path, one)
    assertEquals(finished.flatMap(_.partitions).map(_.deleted.size).sum, 140)
    assertEquals(finished.flatMap(_.partitions).flatMap(_.failed), Nil)
    assertEquals(baseFiles(path), 70)
    assertEquals(values(path), Seq(3))
    assertEquals(clean(path, one), Nil)
  }
}
