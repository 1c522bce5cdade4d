package io.hudilite.spark.service

import io.hudilite.filegroup.FileSlice
import io.hudilite.index.BucketIndex
import io.hudilite.service.cluster.ClusteringCall
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.spark.procedure.{ClusteringRun, ServiceCall}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration

/** Tables with a bucket index that are moved to another number of buckets. */
class BucketMoveSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark

  private def in(buckets: Int): Map[String, String] =
    Map("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> buckets.toString)

  private def table(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def slices(path: String): Seq[FileSlice] = table(path).allSlices().values.flatten.toSeq

  private def write(path: String, from: Int, until: Int, value: Int, buckets: Int, kind: String): Unit =
    spark.range(from, until).selectExpr("concat('k', id, ',') id", "concat('p ', id % 2) p", s"$value v")
      .write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p")
      .option("hoodie.datasource.write.table.type", kind).option("hoodie.compact.inline", "false")
      .options(in(buckets)).mode("append").save(path)

  private def rows(path: String): Seq[String] = spark.read.format("hudilite").load(path)
    .select("_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_record_key", "_hoodie_partition_path", "id", "p",
      "v")
    .collect().map(_.toString).sorted.toSeq

  private def move(path: String, from: Int, to: Int): Unit = {
    ClusteringRun(ServiceCall(spark, path, in(from)), ClusteringCall(buckets = Some(to))).start().result()
    ()
  }

  for ((kind, from, to) <- Seq(("COPY_ON_WRITE", 4, 2), ("MERGE_ON_READ", 2, 5)))
    test(s"$kind: a table of $from buckets has the same rows in $to, and is written by the new number alone") {
      val path = Files.createTempDirectory("hudilite-buckets").resolve("t").toString
      write(path, 0, 40, 1, from, kind)
      write(path, 10, 15, 2, from, kind)
      val before = rows(path)
      val old = slices(path).map(_.fileId).toSet
      assertEquals(slices(path).exists(_.logs.nonEmpty), kind == "MERGE_ON_READ")
      move(path, from, to)
      assertEquals(rows(path), before)
      val index = BucketIndex(to, Seq("id"))
      assertEquals(slices(path).map(_.fileId).filter(old), Nil)
      slices(path).foreach { slice =>
        val keys = spark.read.parquet(s"$path/${slice.base.get.relativePath}").select("_hoodie_record_key").collect()
          .map(_.getString(0)).toSeq
        assertEquals(keys.map(index.bucketOf).distinct, BucketIndex.bucketOfFile(slice.fileId).toSeq)
        assertEquals(keys, keys.sorted)
      }
      val refused = Raised.by(write(path, 0, 1, 3, from, kind))
      assert(refused.getMessage.contains(s"the table has $to buckets"), refused.getMessage)
      write(path, 10, 50, 3, to, kind)
      assertEquals(spark.read.format("hudilite").load(path).where("v = 3").count(), 40L)
      assertEquals(rows(path).size, 50)
    }

  test("a move that cannot be done right is refused before anything is planned") {
    val path = Files.createTempDirectory("hudilite-buckets").resolve("t").toString
    write(path, 0, 20, 1, 3, "COPY_ON_WRITE")
    val before = table(path).timeline
    def refused(options: Map[String, String], call: ClusteringCall): String =
      Raised.by(ClusteringRun(ServiceCall(spark, path, options), call).start().result()).condition
    val move = ClusteringCall(buckets = Some(6))
    assertEquals(refused(in(3), move.copy(buckets = Some(3))), "INVALID_OPTION_VALUE")
    assertEquals(refused(in(3), move.copy(buckets = Some(0))), "INVALID_OPTION_VALUE")
    assertEquals(refused(in(2), move), "INVALID_OPTION_VALUE")
    assertEquals(refused(in(3), move.copy(partitions = Some(Seq("p 0")))), "CLUSTERING_NOT_POSSIBLE")
    assertEquals(refused(Map("hoodie.index.type" -> "SIMPLE"), move), "INVALID_OPTION_VALUE")
    assertEquals(table(path).timeline, before)
  }
}
