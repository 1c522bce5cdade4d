package io.hudilite.spark.read

import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.DataFrame

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** A base file that a commit names and that is gone ends whatever needs it, by name. */
class MissingFilesSuite extends FunSuite with Interpreted {

  override def munitTimeout: Duration = 5.minutes

  private val spark = SharedSession.spark
  private val buckets = Map("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "1")
  private val mergeOnRead = Map("hoodie.datasource.write.table.type" -> "MERGE_ON_READ")

  private def rows(ids: Range, v: String): DataFrame = spark.range(ids.start.toLong, ids.end.toLong)
    .selectExpr("concat('k', id) id", "cast(id % 2 as string) p", "cast(id % 7 as int) n", s"'$v' v")

  private def write(frame: DataFrame, path: String, operation: String, more: Map[String, String] = Map.empty): Unit =
    frame.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p")
      .option("hoodie.datasource.write.operation", operation).options(more).mode("append").save(path)

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def baseFiles(path: String): Seq[Path] = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator.asScala.filter(_.getFileName.toString.endsWith(".parquet")).toList
    finally walk.close()
  }

  private def newest(path: String, partition: String): Path =
    baseFiles(path).filter(_.getParent.getFileName.toString == partition).maxBy(_.getFileName.toString.split('_').last)

  private def delete(file: Path): Unit = {
    Files.delete(file)
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    ()
  }

  /** A table of three commits whose newest base file of the partition 0 is gone, and that file. */
  private def damaged(more: Map[String, String]): (String, Path) = {
    val path = Files.createTempDirectory("hudilite-missing").resolve("t").toString
    write(rows(0 until 40, "old"), path, "insert", more)
    if (more != mergeOnRead) write(rows(0 until 4, "new"), path, "upsert", more)
    write(rows(1 until 2, "new"), path, "upsert", more)
    val file = newest(path, "0")
    delete(file)
    (path, file)
  }

  private def lost(file: Path)(body: => Any): Unit = {
    val error = Raised.by(body)
    assertEquals(error.condition, "CORRUPT_FILE")
    assert(error.parameters("path").endsWith(file.getFileName.toString), error.toString)
    assertEquals(error.toString.linesIterator.size, 1)
  }

  private def reads(path: String): Seq[() => Any] = Seq(
    () => read(path).collect(), () => read(path).count(), () => read(path).where("id = 'k2'").collect(),
    () => read(path).where("p = '0'").collect(), () => read(path).selectExpr("min(n)").collect(),
    () => spark.read.format("hudilite").option("as.of.instant", "20990101000000000").load(path).collect(),
    () =>
      spark.read.format("hudilite").option("hoodie.datasource.query.type", "incremental")
        .option("hoodie.datasource.read.begin.instanttime", "0").load(path).collect())

  private def upserts(path: String, more: Map[String, String]): Unit = write(rows(2 until 3, "x"), path, "upsert", more)

  for ((name, more) <- Seq("copy-on-write" -> Map.empty[String, String], "in buckets" -> buckets,
      "merge-on-read" -> mergeOnRead)) {

    test(s"$name: reads of every kind and writes that need it say which base file is gone") {
      val (path, file) = damaged(more)
      reads(path).foreach(look => lost(file)(look()))
      lost(file)(upserts(path, more))
      if (more.isEmpty)
        lost(file)(spark.sql(s"UPDATE hudilite.`$path` SET v = 'set' WHERE p = '0'"))
      assertEquals(read(path).where("p = '1'").count(), 20L, "what lies elsewhere is read")
    }

    // A write into buckets looks at what there is of them.
    if (more != buckets) test(s"$name: rows that are lost are given up by an overwrite of their partition") {
      val (path, _) = damaged(more)
      write(rows(0 until 1, "again"), path, "insert_overwrite", more)
      assertEquals(read(path).count(), 21L)
    }
  }

  test("a compaction whose base file is gone says so") {
    val (path, file) = damaged(mergeOnRead)
    lost(file)(CompactionRun(ServiceCall(spark, path)).start().result())
  }

  test("a file that goes between the listing and the task that opens it is an error of one line") {
    val path = Files.createTempDirectory("hudilite-missing").resolve("t").toString
    // More than what is kept of a file that was looked into.
    write(spark.range(20000).selectExpr("concat('k', id) id", "'0' p", "sha2(cast(id as string), 256) v"), path,
      "bulk_insert")
    for (setting <- Seq("true", "false")) {
      spark.conf.set("spark.sql.files.ignoreMissingFiles", setting)
      try {
        val copy = Files.createTempDirectory("hudilite-missing").resolve("t")
        val walk = Files.walk(Paths.get(path))
        try walk.iterator.asScala.foreach(p => Files.copy(p, copy.resolve(Paths.get(path).relativize(p).toString)))
        finally walk.close()
        val planned = read(copy.toString).selectExpr("max(v)")
        assert(planned.queryExecution.executedPlan.toString.nonEmpty)
        planned.queryExecution.sparkPlan.collectLeaves().foreach(_.outputPartitioning)
        val file = baseFiles(copy.toString).head
        delete(file)
        lost(file)(planned.collect())
      } finally spark.conf.unset("spark.sql.files.ignoreMissingFiles")
    }
  }
}
