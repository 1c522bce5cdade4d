package io.hudilite.spark.plan

import io.hudilite.spark.SharedSession
import io.hudilite.spark.SharedSession.withConf
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.Files

import org.apache.spark.sql.{DataFrame, SaveMode}

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** Rows whose partition changes: which rows there are afterwards, and in how many files. */
class MovedRowsSuite extends FunSuite {

  override val munitTimeout: Duration = 10.minutes

  private lazy val spark = SharedSession.spark

  private val options = Map(
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "p",
    "hoodie.datasource.write.precombine.field" -> "ts")
  private val global = Seq("hoodie.index.type" -> "GLOBAL_SIMPLE")

  private def write(rows: DataFrame, path: String, operation: String, more: (String, String)*): Unit =
    rows.write.format("hudilite").options(options).option("hoodie.datasource.write.operation", operation)
      .options(more.toMap).mode(SaveMode.Append).save(path)

  private def rows(from: Long, until: Long, p: String, ts: Long): DataFrame =
    spark.range(from, until).selectExpr("concat('k', lpad(id, 6, '0')) id", s"$p p", s"${ts}L ts", s"'at $ts' v")

  /** Rows in the partition `from` in four files. */
  private def table(tableType: String, count: Long, more: (String, String)*): String = {
    val path = Files.createTempDirectory("hudilite-moves").resolve("t").toString
    write(rows(0, count, "'from'", 1).repartition(4), path, "bulk_insert",
      ("hoodie.datasource.write.table.type" -> tableType) +: more: _*)
    path
  }

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def groups(path: String): Map[String, Int] =
    Table.open(new HadoopStorage(spark.sparkContext.hadoopConfiguration), path).allSlices().map {
      case (partition, slices) => partition -> slices.size
    }

  private val moves = Seq[(String, String => Unit)](
    "UPDATE" ->
      (path =>
        spark.sql(s"UPDATE hudilite.`$path` SET p = concat('to', int(substr(id, 2)) % 40), v = 'moved'")),
    "MERGE" -> { path =>
      rows(0, 4000, "concat('to', id % 40)", 2).createOrReplaceTempView("moving")
      spark.sql(s"""MERGE INTO hudilite.`$path` t USING moving s ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET p = s.p, v = 'moved'""")
    },
    "upsert" ->
      (path =>
        write(rows(0, 4000, "concat('to', id % 40)", 2).selectExpr("id", "p", "ts", "'moved' v"), path, "upsert",
          global: _*)))

  for {
    (name, move) <- moves
    tableType = if (name == "MERGE") "MERGE_ON_READ" else "COPY_ON_WRITE"
  }
    test(s"4,000 rows that move to 40 partitions make a file in each, $name, $tableType") {
      val path = table(tableType, 4000)
      move(path)
      val found = read(path).where("p = concat('to', int(substr(id, 2)) % 40) AND v = 'moved' " +
        "AND p = _hoodie_partition_path").select("id").distinct()
      assertEquals((found.count(), read(path).count()), (4000L, 4000L))
      val made = groups(path) - "from"
      assertEquals((made.size, made.values.toSet), (40, Set(1)))
    }

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"rows that move go to a small file group of their new partition, $tableType") {
      val path = table(tableType, 400)
      write(rows(1000, 1100, "'to'", 1), path, "insert", "hoodie.parquet.small.file.limit" -> "0")
      val before = groups(path)
      assertEquals(before("to"), 1)
      spark.sql(s"UPDATE hudilite.`$path` SET p = 'to' WHERE id < 'k000050'")
      write(rows(50, 100, "'to'", 2), path, "upsert", global: _*)
      assertEquals(groups(path), before)
      assertEquals(read(path).where("p = 'to'").count(), 200L)
      assertEquals(read(path).select("id").distinct().count(), 500L)
      assertEquals(read(path).count(), 500L)
    }

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"a row that comes too late does not move, and one that a statement moves keeps its values, $tableType") {
      val path = table(tableType, 20, "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING")
      write(rows(0, 10, "'to'", 0), path, "upsert", global: _*)
      assertEquals(read(path).where("p = 'from' AND ts = 1").count(), 20L)
      write(rows(0, 5, "'to'", 2), path, "upsert", global: _*)
      assertEquals(read(path).where("p = 'to' AND ts = 2").count(), 5L)
      spark.sql(s"UPDATE hudilite.`$path` SET p = 'away' WHERE id < 'k000010'")
      assertEquals(read(path).where("p = 'away' AND ts = 2 AND v = 'at 2'").count(), 5L)
      assertEquals(read(path).where("p = 'away' AND ts = 1").count(), 5L)
      assertEquals(read(path).count(), 20L)
    }

  for {
    tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")
    mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")
    adaptive <- Seq("true", "false")
  }
    test(s"a key that is in several partitions does not come twice into one, $tableType, $mode, adaptive=$adaptive") {
      withConf("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.shuffle.partitions" -> "4") {
        val path = table(tableType, 40, "hoodie.record.merge.mode" -> mode)
        // Keys 0 to 9 in three partitions, 10 to 19 in two and one of them twice, 20 to 29 in two.
        for ((from, until, p) <- Seq((0L, 10L, "'to'"), (0L, 10L, "'third'"), (10L, 20L, "'third'"),
            (10L, 20L, "'third'"), (20L, 30L, "'to'")))
          write(rows(from, until, p, 1), path, "bulk_insert")
        write(rows(0, 35, "'to'", 2), path, "upsert", global: _*)
        val found = read(path).selectExpr("id", "p", "_hoodie_partition_path", "ts", "v").collect().map(_.mkString(" "))
        val expected = (0 until 40).map(i => if (i < 35) f"k$i%06d to to 2 at 2" else f"k$i%06d from from 1 at 1")
        assertEquals(found.sorted.toSeq, expected)
      }
    }

  test("of a key in several partitions the newest version is left where a later one than the change is there") {
    val path = table("COPY_ON_WRITE", 4, "hoodie.record.merge.mode" -> "EVENT_TIME_ORDERING")
    write(rows(0, 4, "'to'", 9), path, "bulk_insert")
    write(rows(0, 2, "'to'", 5), path, "upsert", global: _*)
    val found = read(path).selectExpr("id", "p", "ts").collect().map(_.mkString(" ")).sorted.toSeq
    assertEquals(found,
      Seq("k000000 to 9", "k000001 to 9", "k000002 from 1", "k000002 to 9", "k000003 from 1",
        "k000003 to 9"))
  }

  test("20,000 rows that move to 100 partitions make a file in each, and so do 20,000 of a statement") {
    val path = table("COPY_ON_WRITE", 20000)
    write(rows(0, 20000, "concat('to', id % 100)", 2), path, "upsert", global: _*)
    assertEquals((groups(path) - "from").values.toSeq, Seq.fill(100)(1))
    spark.sql(s"UPDATE hudilite.`$path` SET p = concat('away', int(substr(id, 2)) % 100)")
    assertEquals(groups(path).collect { case (p, n) if p.startsWith("away") => n }.toSeq, Seq.fill(100)(1))
    assertEquals((read(path).count(), read(path).select("id").distinct().count()), (20000L, 20000L))
  }
}
