package io.hudilite.spark.write

import io.hudilite.error.HudiliteException
import io.hudilite.index.BucketIndex
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.storage.{CountingFileSystem, HadoopStorage}
import io.hudilite.table.{StatedBuckets, Table}

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path, Paths}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame

import scala.collection.JavaConverters._

/** How many buckets a table has, and what becomes of writes by another number. */
class BucketNumberSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark
  private val kinds = Seq("COPY_ON_WRITE", "MERGE_ON_READ")

  private def newPath(): String = Files.createTempDirectory("hudilite-number").resolve("t").toString

  private def table(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def write(path: String, rows: DataFrame, options: (String, String)*): Unit =
    rows.write.format("hudilite").option("hoodie.index.type", "BUCKET").options(options.toMap).mode("append").save(path)

  /** A write whose options say nothing of an index. */
  private def append(path: String, rows: DataFrame): Unit = rows.write.format("hudilite").mode("append").save(path)

  private def in(buckets: Int): (String, String) = "hoodie.bucket.index.num.buckets" -> buckets.toString

  private def keys(from: Int, until: Int, v: Int): DataFrame =
    spark.range(from, until).selectExpr("cast(id as int) id", s"$v v")

  private def made(kind: String, rows: DataFrame, buckets: Int, version: Int = 9): String = {
    val path = newPath()
    write(path, rows, in(buckets), "hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.table.type" -> kind, "hoodie.write.table.version" -> version.toString)
    path
  }

  private def counts(path: String): (Long, Long) = {
    val shown = spark.read.format("hudilite").load(path)
    (shown.count(), shown.select("id").distinct().count())
  }

  private def found(path: String): Seq[String] =
    spark.sql(s"CALL hudilite.system.doctor(path => '$path', deep => true)").collect().toSeq
      .map(f => s"${f.getAs[String]("kind")}: ${f.getAs[String]("what")}")

  /** A copy of the table elsewhere, in whose commits, footers and names of files each of these texts stands in the place of
    * one of as many letters.
    */
  private def copied(path: String, replaced: (String, String)*): String = {
    val (from, to) = (Paths.get(path), Paths.get(newPath()))
    val files = Files.walk(from)
    try files.iterator().asScala.filterNot(_.getFileName.toString.endsWith(".crc")).toList.foreach { file =>
        val name = replaced.foldLeft(from.relativize(file).toString) { case (text, (a, b)) => text.replace(a, b) }
        copy(file, to.resolve(name), replaced)
      }
    finally files.close()
    to.toString
  }

  private def copy(file: Path, to: Path, replaced: Seq[(String, String)]): Unit =
    if (Files.isDirectory(file)) Files.createDirectories(to)
    else if (file.toString.endsWith("commit") || file.toString.endsWith(".parquet")) {
      val text = new String(Files.readAllBytes(file), ISO_8859_1)
      Files.write(to, replaced.foldLeft(text) { case (t, (a, b)) => t.replace(a, b) }.getBytes(ISO_8859_1))
      ()
    } else Files.copy(file, to)

  /** As another program would have left it. */
  private val unstated = StatedBuckets.Count -> StatedBuckets.Count.replace("hudilite", "somebody")

  private def reason(error: HudiliteException): String = error.parameters.getOrElse("reason", error.condition)

  for (kind <- kinds)
    test(s"$kind: a number that is not the table's is refused before anything is begun, and none need be named") {
      val path = made(kind, keys(1919, 2919, 1), 16)
      val before = table(path).timeline
      for (wrong <- Seq(1, 8, 15, 17, 32, 48, 256); operation <- Seq("upsert", "insert", "delete")) {
        val error =
          Raised.by(write(path, keys(1919, 2919, 2), in(wrong), "hoodie.datasource.write.operation" -> operation))
        assertEquals(error.parameters.get("option"), Some("hoodie.bucket.index.num.buckets"))
        assertEquals(reason(error), "the table has 16 buckets")
      }
      assertEquals(table(path).timeline, before)
      write(path, keys(1919, 2919, 2))
      write(path, keys(2000, 3000, 3), in(16))
      assertEquals(counts(path), (1081L, 1081L))
      assertEquals(table(path).statedBuckets, Some(BucketIndex(16, Seq("id"))))
      assertEquals(found(path), Nil)
      write(path, keys(0, 10, 4), in(3), "hoodie.datasource.write.operation" -> "insert_overwrite_table")
      assertEquals(table(path).statedBuckets, Some(BucketIndex(3, Seq("id"))))
      write(path, keys(0, 20, 5))
      assertEquals(counts(path), (20L, 20L))
    }

  test("hash fields that are not the table's are refused by name") {
    val path = newPath()
    val rows = spark.range(20).selectExpr("concat('s', id % 4) shop", "id code", "1 v")
    write(path, rows, in(4), "hoodie.datasource.write.recordkey.field" -> "shop,code",
      "hoodie.bucket.index.hash.field" -> "shop")
    write(path, rows)
    val error = Raised.by(write(path, rows, "hoodie.bucket.index.hash.field" -> "code,shop"))
    assertEquals(error.parameters.get("option"), Some("hoodie.bucket.index.hash.field"))
    assertEquals(spark.read.format("hudilite").load(path).count(), 20L)
  }

  for ((kind, version) <- Seq("COPY_ON_WRITE" -> 6, "MERGE_ON_READ" -> 9))
    test(s"$kind: of a table whose commits do not say it, the keys and file ids tell the number of buckets") {
      val path = copied(made(kind, keys(1919, 2919, 1), 16, version), unstated)
      assertEquals(table(path).statedBuckets, None)
      assertEquals(found(path), Nil)
      for (wrong <- Seq(8, 17, 32, 64)) {
        val said = reason(Raised.by(write(path, keys(1919, 2919, 2), in(wrong))))
        assert(said.contains(if (wrong < 16) "the table has the bucket" else "as with 16 buckets"), said)
      }
      append(path, keys(1919, 2919, 2))
      assertEquals(table(path).statedBuckets, Some(BucketIndex(16, Seq("id"))))
      append(path, keys(1919, 2919, 3))
      assertEquals(counts(path), (1000L, 1000L))
      assertEquals(found(path), Nil)
    }

  test("few files are asked for the number of buckets, and none once a commit states it") {
    CountingFileSystem.configure(spark.sparkContext.hadoopConfiguration)
    val path = copied(made("COPY_ON_WRITE", keys(0, 2000, 1), 64), unstated)
    def opened(v: Int): Int = {
      val (_, calls) = CountingFileSystem.during(append(CountingFileSystem.path(path), keys(7, 8, v)))
      calls.paths("get").filter(_.endsWith(".parquet")).distinct.size
    }
    val first = opened(2)
    assert(first > 1 && first <= 25, s"$first files")
    assertEquals(table(path).statedBuckets.map(_.count), Some(64))
    assertEquals(opened(3), 1)
    assertEquals(counts(path), (2000L, 2000L))
  }

  private val sixteen = BucketIndex(16, Seq("id"))

  /** Keys of one bucket. */
  private def of(bucket: Int, v: Int): DataFrame = {
    val ids = (0 until 600).filter(i => sixteen.bucketOf(i.toString) == bucket)
    spark.createDataset(ids.map(_.toInt))(org.apache.spark.sql.Encoders.scalaInt).selectExpr("value id", s"$v v")
  }

  test("files of another program that came since the number was stated are held against it") {
    val made = this.made("COPY_ON_WRITE", of(3, 1), 16)
    append(made, of(5, 1))
    val path = copied(made, "00000005-" -> "00000007-")
    val last =
      Paths.get(path, ".hoodie", "timeline").toFile.listFiles.filter(_.getName.endsWith(".commit")).maxBy(_.getName)
    copy(last.toPath, Paths.get(s"$last.new"), Seq(unstated)) // a write that states nothing
    Files.move(Paths.get(s"$last.new"), last.toPath, java.nio.file.StandardCopyOption.REPLACE_EXISTING)
    val error = Raised.by(append(path, of(3, 2)))
    assertEquals(error.condition, "KEY_IN_WRONG_BUCKET")
    assertEquals(Seq("bucket", "other", "count").map(error.parameters), Seq("7", "5", "16"))
    assertEquals(table(path).timeline.writes.size, 2)
  }

  for (kind <- kinds; others <- Seq(false, true)) {
    val whose = if (others) "of another program's" else "of ours"
    test(s"$kind: a write to a bucket $whose that holds a key of another one fails, and the doctor tells of it") {
      val wrong = copied(made(kind, of(3, 1), 16), "00000003-" -> "00000005-")
      // Keys are read where the footer does not say that each is there only once.
      val path = if (others) copied(wrong, "hudilite.unique.keys" -> "somebody.unique.keys") else wrong
      val error = Raised.by(write(path, of(5, 2)))
      assertEquals(error.condition, "KEY_IN_WRONG_BUCKET")
      assertEquals(Seq("bucket", "other", "count", "fields").map(error.parameters), Seq("5", "3", "16", "id"))
      assertEquals(table(path).timeline.writes.size, 1)
      val count = of(3, 1).count()
      val what = found(path).filter(_.startsWith("MISPLACED_KEYS"))
      assert(what.size == 1 && what.head.contains(s"$count row(s) in 1 file group(s)"), what.toString)
      assert(found(copied(path, unstated)).head.contains("as with no number"), "no number fits")
      val overwrite = "hoodie.datasource.write.operation" -> "insert_overwrite_table"
      write(path, spark.read.format("hudilite").load(path).select("id", "v"), overwrite)
      write(path, of(5, 2))
      assertEquals(found(path), Nil)
    }
  }
}
