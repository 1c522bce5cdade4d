package io.hudilite.spark.plan.layout

import io.hudilite.spark.Compiled
import io.hudilite.spark.SharedSession.withConf
import io.hudilite.spark.plan.PartitionedTables

import java.nio.file.Files

import org.apache.spark.sql.DataFrame

/** How many file groups new rows go to, by how many rows there are and not by what was estimated. */
class PackedInsertsSuite extends PartitionedTables with Compiled {

  override protected def facts: Map[String, String] = super.facts +
    ("hoodie.index.bloom.num_entries" -> "1000") + ("hoodie.bloom.index.filter.dynamic.max.entries" -> "2000")
  private val small = 8

  private def rows(ids: DataFrame, ts: Long): DataFrame =
    ids.selectExpr("concat('k', lpad(id, 9, '0')) id", "concat('p', id % 2) p", s"${ts}L ts", "md5(string(id)) v")

  /** Two partitions with eight small file groups each. */
  private def table(more: (String, String)*): String = {
    val path = Files.createTempDirectory("hudilite-packed").resolve("t").toString
    val ids = spark.range(0, 400).toDF("id").repartition(small)
    write(rows(ids, 1), path, "bulk_insert", more: _*)
    assertEquals(groups(path), Map("p0" -> small, "p1" -> small))
    path
  }

  /** Files that the last write wrote, by partition. */
  private def touched(path: String): Map[String, Int] = {
    val found = opened(path)
    found.store.readCommits(found.timeline.writes.takeRight(1)).head._2.allStats.groupBy(_.partitionPath)
      .map { case (partition, stats) => partition -> stats.size }
  }

  private def count(path: String): Long = read(path).count()

  /** Twenty new rows, ten in each partition, that Spark takes for ten million. */
  private def few: DataFrame = rows(spark.range(10000000).where("id % 1000000 in (0, 500001)").toDF("id"), 2)
    .selectExpr("concat('new', id) id", "p", "ts", "v")

  private val operations = Seq[(String, (String, DataFrame) => Unit)](
    "an insert" -> ((path, frame) => write(frame, path, "insert")),
    "an upsert" -> ((path, frame) => write(frame, path, "upsert")),
    "an upsert by a global index" ->
      ((path, frame) =>
        write(frame, path, "upsert", "hoodie.index.type" -> "GLOBAL_SIMPLE")),
    "INSERT INTO" -> { (path, frame) =>
      frame.createOrReplaceTempView("packing")
      spark.sql(s"INSERT INTO hudilite.`$path` SELECT * FROM packing")
    },
    "MERGE" -> { (path, frame) =>
      frame.createOrReplaceTempView("packing")
      spark.sql(s"MERGE INTO hudilite.`$path` t USING packing s ON t.id = s.id AND t.p = s.p " +
        "WHEN NOT MATCHED THEN INSERT *")
    })

  for (adaptive <- Seq("true", "false"))
    test(s"few rows that Spark takes for many rewrite one file of each partition, adaptive=$adaptive") {
      withConf("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.shuffle.partitions" -> "4") {
        val path = table()
        for (((name, write), i) <- operations.zipWithIndex) {
          write(path, few.selectExpr(s"concat(id, 'by$i') id", "p", "ts", "v"))
          assertEquals(touched(path), Map("p0" -> 1, "p1" -> 1), name)
          assertEquals(count(path), 400L + 20L * (i + 1), name)
        }
        assertEquals(groups(path), Map("p0" -> small, "p1" -> small))
      }
    }

  test("few rows that Spark takes for many rewrite one file of each partition of a merge-on-read table") {
    val path = table("hoodie.datasource.write.table.type" -> "MERGE_ON_READ")
    for (operation <- Seq("insert", "upsert")) {
      write(few.selectExpr(s"concat('$operation', id) id", "p", "ts", "v"), path, operation,
        "hoodie.merge.small.file.group.candidates.limit" -> "8")
      assertEquals(touched(path), Map("p0" -> 1, "p1" -> 1), operation)
    }
    assertEquals(groups(path), Map("p0" -> small, "p1" -> small))
  }

  /** Files of two megabytes, by what is asked some 8,000 rows. */
  private val sizes = Seq("hoodie.parquet.max.file.size" -> "2000000", "hoodie.parquet.small.file.limit" -> "1500000",
    "hoodie.record.size.estimation.threshold" -> "100", "hoodie.copyonwrite.record.size.estimate" -> "250")

  for (operation <- Seq("insert", "upsert"))
    test(s"many rows that Spark takes for few go to as many small files as they fill, $operation") {
      val path = table()
      val many = rows(spark.range(1).selectExpr("explode(sequence(1000000, 1039999)) id"), 2)
      write(many, path, operation, sizes: _*)
      for ((partition, files) <- touched(path)) assert(files >= 3 && files <= 6, s"$files files of $partition")
      assertEquals(groups(path), Map("p0" -> small, "p1" -> small))
      assertEquals(count(path), 40400L)
    }

  test("a partition that gets few rows has few files rewritten, however many rows others get") {
    val path = table()
    val ids = spark.range(1000000, 1040000).where("id % 2 = 0 or id < 1000020").toDF("id")
    write(rows(ids, 2), path, "upsert", sizes: _*)
    val files = touched(path)
    assertEquals(files("p1"), 1)
    assert(files("p0") >= 3, files.toString)
    assertEquals(count(path), 400L + 20000 + 10)
  }
}
