package io.hudilite.spark.read

import io.hudilite.Folders
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}

import java.nio.file.{Files, Path, Paths}

import org.apache.spark.sql.DataFrame

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Whoever opens a base file says which one is damaged, and why. */
class DamagedBaseFileSuite extends FunSuite with Interpreted {

  override def munitTimeout: Duration = 5.minutes

  private val spark = SharedSession.spark

  private def rows(ids: Range, v: String): DataFrame =
    spark.range(ids.start.toLong, ids.end.toLong).selectExpr("concat('k', id) id", "cast(id % 7 as int) n", s"'$v' v")

  private def write(frame: DataFrame, path: String, operation: String, more: Map[String, String]): Unit =
    frame.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.operation", operation).options(more).mode("append").save(path)

  private def baseFile(path: String): Path = {
    val entries = Files.list(Paths.get(path))
    try entries.iterator.asScala.find(_.getFileName.toString.endsWith(".parquet")).get
    finally entries.close()
  }

  private val damages: Seq[(String, Array[Byte] => Array[Byte])] = Seq(
    "cut in the middle" -> (bytes => bytes.take(bytes.length / 2)),
    "cut by a byte" -> (_.dropRight(1)),
    "empty" -> (_ => Array.emptyByteArray),
    "a few bytes" -> (_.take(5)),
    "zeros" -> (bytes => new Array[Byte](bytes.length)),
    "another magic" -> (bytes => bytes.dropRight(4) ++ "PARX".getBytes("US-ASCII")),
    "a footer of two gigabytes" -> (bytes => bytes.dropRight(8) ++ Array[Byte](-1, -1, -1, 127) ++ bytes.takeRight(4)),
    "a footer of no bytes" -> (bytes => bytes.dropRight(8) ++ Array[Byte](0, 0, 0, 0) ++ bytes.takeRight(4)),
    "a garbled footer" -> (bytes => bytes.dropRight(200) ++ Array.fill[Byte](192)(-1) ++ bytes.takeRight(8)))

  private val buckets = Map("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "1")
  private val mergeOnRead = Map("hoodie.datasource.write.table.type" -> "MERGE_ON_READ")

  private def made(options: Map[String, String]): Path = {
    val path = Files.createTempDirectory("hudilite-damaged").resolve("t")
    write(rows(0 until 50, "old"), path.toString, "insert", options)
    path
  }

  /** A copy of the table with its base file damaged, and that file. */
  private def damaged(whole: Path, change: Array[Byte] => Array[Byte]): (String, Path) = {
    val copy = Folders.copy(whole, Files.createTempDirectory("hudilite-damaged").resolve("t"))
    val file = baseFile(copy.toString)
    Files.write(file, change(Files.readAllBytes(file)))
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    (copy.toString, file)
  }

  private def check(whole: Path, operations: (String, String => Any)*): Unit =
    checkSome(whole, damages)(operations: _*)

  private def checkSome(whole: Path, damages: Seq[(String, Array[Byte] => Array[Byte])])(
      operations: (String, String => Any)*): Unit =
    for ((damage, change) <- damages; (name, operation) <- operations) {
      val (path, file) = damaged(whole, change)
      val error = Raised.by(operation(path))
      assertEquals(error.condition, "CORRUPT_FILE", s"$name, $damage")
      assert(error.parameters("path").endsWith(file.getFileName.toString), s"$name, $damage: $error")
      assert(error.parameters("reason").nonEmpty)
    }

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  test("reads of every kind") {
    check(made(Map.empty), "scan" -> (read(_).collect()), "key" -> (read(_).where("id = 'k3'").collect()),
      "min" -> (read(_).selectExpr("min(n)").collect()))
  }

  test("a count looks into a file that is not as large as the one that was counted, and into no other") {
    val whole = made(Map.empty)
    val bytes = Files.readAllBytes(baseFile(whole.toString))
    val (asLarge, others) = damages.partition { case (_, change) => change(bytes).length == bytes.length }
    checkSome(whole, others)("count" -> (read(_).count()))
    for ((damage, change) <- asLarge) assertEquals(read(damaged(whole, change)._1).count(), 50L, damage)
  }

  test("writes with a lookup, of new rows, and of statements") {
    check(made(Map.empty), "upsert" -> (write(rows(3 until 5, "new"), _, "upsert", Map.empty)),
      "insert into a small file" -> (write(rows(90 until 95, "new"), _, "insert", Map.empty)),
      "delete" -> (write(rows(3 until 5, "new"), _, "delete", Map.empty)),
      "statement" -> (path => spark.sql(s"UPDATE hudilite.`$path` SET v = 'set' WHERE n = 3")))
  }

  test("writes with a bucket index") {
    check(made(buckets), "upsert" -> (write(rows(3 until 5, "new"), _, "upsert", buckets)))
  }

  test("writes and reads of log files on top") {
    val whole = made(mergeOnRead)
    check(whole, "upsert" -> (write(rows(3 until 5, "new"), _, "upsert", mergeOnRead)))
    write(rows(3 until 5, "new"), whole.toString, "upsert", mergeOnRead)
    def compact(path: String): Any = CompactionRun(ServiceCall(spark, path)).start().result()
    check(whole, "scan" -> (read(_).collect()), "compaction" -> compact)
  }
}
