package io.hudilite.spark.write

import io.hudilite.config.BucketRule
import io.hudilite.index.BucketIndex
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame

/** Tables whose partitions have numbers of buckets of their own. */
class BucketsByPartitionSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark

  private val index = BucketIndex(2, Seq("id"), BucketRule.of("p1,3;p[23],5"))
  private val options = Map("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "2",
    "hoodie.bucket.index.partition.expressions" -> index.rule.text)

  private def table(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def rows(from: Int, until: Int, v: Int, partitions: Int = 5): DataFrame =
    spark.range(from, until).selectExpr("cast(id as string) id", s"concat('p', id % $partitions) p", s"$v v")

  private def write(path: String, rows: DataFrame, options: Map[String, String] = Map.empty): Unit =
    rows.write.format("hudilite").options(options).mode("append").save(path)

  /** Each row lies in the one file group of its bucket. */
  private def assertDealt(path: String, count: Long): Unit = {
    val found = spark.read.format("hudilite").load(path).selectExpr("id", "p", "_hudilite_file_id").collect()
    assertEquals(found.length.toLong, count)
    for (row <- found) assertEquals(BucketIndex.bucketOfFile(row.getString(2)),
      Option(index.in(row.getString(1)).bucketOf(row.getString(0))), row.toString)
    val groups = found.map(row => row.getString(1) -> row.getString(2)).distinct
    assertEquals(groups.length, groups.map { case (p, id) => p -> BucketIndex.bucketOfFile(id) }.distinct.length)
  }

  for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"$kind: rows go to the buckets that their partition has, and later writes need not say which") {
      val path = Files.createTempDirectory("hudilite-rule").resolve("t").toString
      write(path, rows(0, 300, 1),
        options ++ Map("hoodie.datasource.write.recordkey.field" -> "id",
          "hoodie.datasource.write.partitionpath.field" -> "p", "hoodie.datasource.write.table.type" -> kind))
      assertDealt(path, 300)
      assertEquals(table(path).statedBuckets, Some(index))
      write(path, rows(100, 400, 2))
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE id = '7'")
      spark.sql(s"UPDATE hudilite.`$path` SET v = 9 WHERE id < '2'")
      write(path, rows(400, 480, 3, partitions = 12)) // partitions that are new, with a rule and without
      assertDealt(path, 479)
      assertEquals(spark.read.format("hudilite").load(path).where("id = '150'").head().getAs[Int]("v"), 9)
      assertEquals(spark.sql(s"CALL hudilite.system.doctor(path => '$path', deep => true)").count(), 0L)
      val before = table(path).timeline
      for ((option, value) <- Seq("hoodie.bucket.index.num.buckets" -> "3",
          "hoodie.bucket.index.partition.expressions" -> "p1,3"))
        assertEquals(Raised.by(write(path, rows(0, 3, 4), Map("hoodie.index.type" -> "BUCKET", option -> value)))
            .parameters.get("option"), Some(option))
      assertEquals(Raised.by(spark.sql(s"CALL hudilite.system.run_clustering(path => '$path', buckets => 4)"))
          .condition, "CLUSTERING_NOT_POSSIBLE")
      assertEquals(table(path).timeline, before)
    }
}
