package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, Raised, SharedSession}

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.DataFrame

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Partition values that are no plain names: what is written is listed and read back, and nothing lies elsewhere. */
class PartitionNamesSuite extends FunSuite with Interpreted {

  override def munitTimeout: Duration = 5.minutes

  private val spark = SharedSession.spark
  import spark.implicits._

  private val legal = Seq("plain", "a", "a/b", ".dot", "x/.dot", "a\\b", "x/a:b", "a%2Fb", "a%b", "tab\tx", "nl\nx",
    " lead", "trail ", "größe", "_temporary", "a?b", "a#b", "a*b", "{a", "[a]", "a,b", "a=b", "...", "~", "$a",
    "\ud83d\ude00", "__HIVE_DEFAULT_PARTITION__", "x.crc", "a/f-0_0-1-0_20260101000000000.parquet",
    "a/.f-0_20260101000000000.log.1_0-1-0", "ö" * 127)
  private val illegal = Seq("a//b", "/lead", "trail/", ".", "..", "a/../b", "a/./b", "/", "a:b", ".hoodie", ".hoodie/x",
    "nul\u0000x", ".x.crc", "x/.crc", "ö" * 128)
  private val alwaysIllegal = Set(".", "..", ".hoodie", ".x.crc", "ö" * 128)

  private def newPath(): String = Files.createTempDirectory("hudilite-names").resolve("t").toString

  private def rows(values: Seq[String], v: String): DataFrame =
    values.zipWithIndex.map { case (p, i) => (s"k$i", p, v) }.toDF("id", "p", "v")

  private def write(frame: DataFrame, path: String, operation: String, more: (String, String)*): Unit =
    frame.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").option("hoodie.datasource.write.operation", operation)
      .options(more.toMap).mode("append").save(path)

  private def read(path: String): Set[(String, String, String)] =
    spark.read.format("hudilite").load(path).select("id", "p", "v").as[(String, String, String)].collect().toSet

  private def expected(values: Seq[String], v: String): Set[(String, String, String)] =
    rows(values, v).as[(String, String, String)].collect().toSet

  private def everything(folder: Path): Set[String] = {
    val walk = Files.walk(folder)
    try walk.iterator.asScala.filter(Files.isRegularFile(_)).map(folder.relativize(_).toString)
        .filterNot(_.endsWith(".crc")).toSet
    finally walk.close()
  }

  private val urlEncoded = "hoodie.datasource.write.partitionpath.urlencode" -> "true"
  private val hiveStyle = "hoodie.datasource.write.hive_style_partitioning" -> "true"
  private val mergeOnRead = "hoodie.datasource.write.table.type" -> "MERGE_ON_READ"

  for ((name, settings, values) <- Seq(
      ("as they are", Nil, legal),
      ("as they are, in a merge-on-read table", Seq(mergeOnRead), legal),
      ("in hive style", Seq(hiveStyle),
        legal.filterNot(_.length > 100) :+ "." :+ ".." :+ "/lead" :+ ".hoodie" :+ ".x.crc"),
      ("url-encoded", Seq(urlEncoded), legal ++ illegal.filterNot(alwaysIllegal)),
      ("url-encoded, in a merge-on-read table", Seq(urlEncoded, mergeOnRead),
        legal ++ illegal.filterNot(alwaysIllegal))))
    test(s"odd values are written, found and changed $name") {
      val inTable = if (name.contains("hive")) values.filterNot(_.contains(':')) else values
      val path = newPath()
      write(rows(inTable, "new"), path, "insert", settings: _*)
      assertEquals(read(path), expected(inTable, "new"))
      val table = spark.read.format("hudilite").load(path)
      inTable.zipWithIndex.foreach { case (value, i) =>
        assertEquals(table.where($"p" === value).select("id").as[String].collect().toSeq, Seq(s"k$i"), value)
      }
      write(rows(inTable, "changed"), path, "upsert", settings: _*)
      assertEquals(read(path), expected(inTable, "changed"))
      write(rows(inTable, "").limit(inTable.size / 2), path, "delete", settings: _*)
      assertEquals(read(path), expected(inTable, "changed").filter(r => r._1.drop(1).toInt >= inTable.size / 2))
    }

  private def refused(value: String, path: String, operation: String, settings: (String, String)*): Unit = {
    val error = Raised.by(write(Seq(("k0", "plain", "v"), ("k1", value, "v")).toDF("id", "p", "v"), path, operation,
        settings: _*))
    assertEquals(error.condition, "ILLEGAL_PARTITION_PATH", value)
    assertEquals(error.parameters("columns"), "p")
    assertEquals(error.parameters("values"), s"'$value'")
  }

  test("values that would be listed elsewhere, or not at all, are refused by every operation, and nothing is left") {
    val path = newPath()
    write(rows(Seq("plain"), "old"), path, "insert")
    val before = everything(Paths.get(path).getParent)
    for ((value, i) <- illegal.zipWithIndex)
      refused(value, path, Seq("upsert", "insert", "bulk_insert", "insert_overwrite")(i % 4))
    assertEquals(read(path), Set(("k0", "plain", "old")))
    val left = everything(Paths.get(path).getParent) -- before
    assertEquals(left.filterNot(_.startsWith("t/.hoodie/")), Set.empty[String])
  }

  test("a first write with such a value makes no files, inside or outside") {
    for (value <- illegal) {
      val path = newPath()
      refused(value, path, "upsert")
      assertEquals(everything(Paths.get(path).getParent).filter(_.contains(".parquet")), Set.empty[String], value)
    }
  }

  test("url-encoding does not help where a whole value is a step or the folder of table files") {
    alwaysIllegal.foreach(refused(_, newPath(), "insert", urlEncoded))
  }

  test("a MERGE or an UPDATE that would write such a value is refused") {
    val path = newPath()
    write(rows(Seq("plain", "other"), "old"), path, "insert")
    Seq(("k9", "a//b", "new")).toDF("id", "p", "v").createOrReplaceTempView("odd_changes")
    assertEquals(
      Raised.by(spark.sql(s"MERGE INTO hudilite.`$path` t USING odd_changes s ON t.id = s.id " +
          "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *")).condition, "ILLEGAL_PARTITION_PATH")
    assertEquals(Raised.by(spark.sql(s"UPDATE hudilite.`$path` SET p = '../x' WHERE id = 'k0'")).condition,
      "ILLEGAL_PARTITION_PATH")
    assertEquals(read(path), expected(Seq("plain", "other"), "old"))
  }

  test("a filter on such a value finds nothing and fails nothing") {
    val path = newPath()
    write(rows(legal.take(3), "v"), path, "insert")
    val table = spark.read.format("hudilite").load(path)
    illegal.foreach(value => assertEquals(table.where($"p" === value && $"id" === "k0").count(), 0L, value))
    assertEquals(table.where($"p".isin(illegal: _*)).count(), 0L)
  }

  /** A table in which a folder beside it stands, by a link, for the partition `p`. */
  private def linked(settings: (String, String)*): (String, Path) = {
    val path = newPath()
    write(rows(Seq("p", "q"), "old"), path, "insert", settings: _*)
    val outside = Paths.get(path).resolveSibling("outside")
    Files.move(Paths.get(path, "p"), outside)
    Files.createSymbolicLink(Paths.get(path, "p"), outside)
    (path, outside)
  }

  test("a partition that is a link to a folder outside is read, and never written to") {
    for (settings <- Seq(Nil, Seq(mergeOnRead)); operation <- Seq("upsert", "insert", "delete")) {
      val (path, outside) = linked(settings: _*)
      val before = everything(outside)
      assertEquals(read(path), expected(Seq("p", "q"), "old"))
      val error = Raised.by(write(rows(Seq("p"), "new"), path, operation, settings: _*))
      assertEquals(error.condition, "PATH_OUTSIDE_TABLE")
      assertEquals(everything(outside), before)
      assertEquals(read(path), expected(Seq("p", "q"), "old"))
      write(Seq(("k1", "q", "new")).toDF("id", "p", "v"), path, "upsert", settings: _*)
      assertEquals(read(path), Set(("k0", "p", "old"), ("k1", "q", "new")))
    }
  }

  test("a loop of links is an error that names it") {
    val path = newPath()
    write(rows(Seq("p"), "old"), path, "insert")
    Files.createSymbolicLink(Paths.get(path, "p", "again"), Paths.get(path))
    assertEquals(Raised.by(read(path)).condition, "UNSUPPORTED_LINK")
  }

  test("nothing is deleted or written behind a link in the place of the folder of markers") {
    val path = newPath()
    write(rows(Seq("p"), "old"), path, "insert")
    val outside = Files.createDirectory(Paths.get(path).resolveSibling("outside"))
    Files.write(outside.resolve("theirs"), Array[Byte](1))
    val temp = Paths.get(path, ".hoodie", ".temp")
    Files.list(temp).iterator.asScala.foreach(Files.delete)
    Files.delete(temp)
    Files.createSymbolicLink(temp, outside)
    assertEquals(Raised.by(write(rows(Seq("p"), "new"), path, "upsert")).condition, "PATH_OUTSIDE_TABLE")
    assertEquals(everything(outside), Set("theirs"))
    assertEquals(read(path), expected(Seq("p"), "old"))
  }
}
