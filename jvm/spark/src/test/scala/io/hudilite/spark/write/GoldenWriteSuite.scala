package io.hudilite.spark.write

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{GoldenAnswers, GoldenTables, SharedSession}

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.functions.{col, lit}

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Writes to tables that Apache Hudi made. */
class GoldenWriteSuite extends FunSuite {

  override val munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def write(frame: DataFrame, path: String, options: (String, String)*): Unit =
    frame.write.format("hudilite").options(options.toMap).mode(SaveMode.Append).save(path)

  private def files(path: String): Set[String] = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator.asScala.filter(Files.isRegularFile(_)).map((p: Path) => Paths.get(path).relativize(p).toString)
        .filterNot(n => n.endsWith(".crc") || n.contains(".hudilite.lock")).toSet
    finally walk.close()
  }

  for (version <- Seq(6, 8, 9); index <- Seq("SIMPLE", "BLOOM"))
    test(
      s"an upsert with the index $index updates the rows of cow-basic-v$version in place, without an option repeated") {
      val path = GoldenAnswers.copy(s"cow-basic-v$version")
      val before = read(path)
      val (count, groups) = (before.count(), before.select("_hudilite_file_id").distinct().count())
      val changes = before.where("n % 3 = 0").withColumn("ts", lit(1000L)).withColumn("colour", lit("changed"))
      val changed = changes.count()
      assert(changed > 0)
      write(changes, path, "hoodie.index.type" -> index)
      val after = read(path)
      assertEquals(after.count(), count)
      assertEquals(after.where("colour = 'changed'").count(), changed)
      assertEquals(after.select("_hudilite_file_id").distinct().count(), groups)
      assertEquals(after.where("colour = 'changed'").select("_hoodie_commit_time").distinct().count(), 1L)
    }

  test("late rows lose against the rows of a table ordered by event time, and ties go to the later write") {
    val path = GoldenAnswers.copy("cow-basic-v9")
    val late = read(path).withColumn("ts", col("ts") - 1).withColumn("colour", lit("late"))
    write(late, path)
    assertEquals(read(path).where("colour = 'late'").count(), 0L)
    val tie = read(path).limit(3).withColumn("colour", lit("tie"))
    write(tie, path)
    assertEquals(read(path).where("colour = 'tie'").count(), 3L)
  }

  test("keys of several fields, null partitions and encoded folders are found again") {
    for (version <- Seq(6, 9)) {
      val path = GoldenAnswers.copy(s"cow-complex-key-v$version")
      val count = read(path).count()
      write(read(path).withColumn("ts", lit(99L)).withColumn("price", lit(-1.0)), path, "hoodie.index.type" -> "BLOOM")
      assertEquals(read(path).count(), count)
      assertEquals(read(path).where("price = -1.0").count(), count)
    }
  }

  for (feature <- Seq("cdc-v9" -> "change data capture"))
    test(s"${feature._1} is not written to, and stays as it was") {
      val path = GoldenAnswers.copy(feature._1)
      val (rows, before) = (read(path), files(path))
      val error = intercept[HudiliteException](write(rows, path))
      assertEquals(error.condition, "UNSUPPORTED_TABLE_FEATURE")
      assertEquals(error.parameters("feature"), feature._2)
      assertEquals(files(path), before)
    }

  test("an error in a task takes everything back that the write had done") {
    val path = GoldenAnswers.copy("cow-basic-v9")
    val before = files(path)
    val fails = org.apache.spark.sql.functions.udf { (n: Long) =>
      if (n >= 0) throw new IllegalStateException("no luck"); n
    }
    intercept[Exception](write(read(path).withColumn("n", fails(col("n"))), path))
    intercept[Exception](write(read(path).withColumn("id", lit(null).cast("string")), path))
    assertEquals(files(path).filter(_.endsWith(".parquet")), before.filter(_.endsWith(".parquet")))
    assertEquals(read(path).count(), GoldenTables.rows("cow-basic-v9", "snapshot").get.size.toLong)
  }
}
