package io.hudilite.spark.plan

import io.hudilite.spark.SharedSession
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
}
