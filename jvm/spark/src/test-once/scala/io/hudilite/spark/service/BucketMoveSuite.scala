package io.hudilite.spark.service

import io.hudilite.config.BucketRule
import io.hudilite.filegroup.FileSlice
import io.hudilite.index.BucketIndex
import io.hudilite.service.cluster.ClusteringCall
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.spark.procedure.{ClusteringRun, ServiceCall}
import io.hudilite.spark.read.PlanProbe
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
    val some = move.copy(partitions = Some(Seq("p 0")))
    assertEquals(refused(in(3), some.copy(partitions = Some(Seq("p 0", "p 2")))), "INVALID_OPTION_VALUE")
    assertEquals(refused(in(3), some.copy(buckets = Some(3))), "INVALID_OPTION_VALUE")
    assertEquals(refused(in(3) + ("hoodie.bucket.index.partition.expressions" -> "p,4"), some), "INVALID_OPTION_VALUE")
    assertEquals(refused(in(3), some.copy(sortColumns = Some(Seq("v")))), "CLUSTERING_NOT_POSSIBLE")
    assertEquals(refused(in(3), some.copy(targetBytes = Some(9L))), "CLUSTERING_NOT_POSSIBLE")
    assertEquals(refused(Map("hoodie.index.type" -> "SIMPLE"), move), "INVALID_OPTION_VALUE")
    assertEquals(table(path).timeline, before)
  }

  private def dealt(path: String, index: BucketIndex): Unit =
    spark.read.format("hudilite").load(path).selectExpr("_hoodie_record_key", "_hoodie_partition_path",
      "_hudilite_file_id").collect().foreach { row =>
      assertEquals(BucketIndex.bucketOfFile(row.getString(2)),
        Option(index.in(row.getString(1)).bucketOf(row.getString(0))), row.toString)
    }

  private def counts(path: String): Map[String, Int] = slices(path).groupBy(_.partition).map { case (p, s) =>
    p -> s.size
  }

  private def moveSome(path: String, to: Int, partitions: String*): Unit = {
    ClusteringRun(ServiceCall(spark, path, Map.empty),
      ClusteringCall(buckets = Some(to), partitions = Some(partitions)))
      .start().result()
    ()
  }

  private def opened(path: String, filter: String): (Long, Long) = {
    val frame = spark.read.format("hudilite").load(path).where(filter)
    val found = frame.collect().length.toLong
    (found,
      PlanProbe.metric(frame, "filesListed") -
        PlanProbe.metric(frame, "filesPrunedByBucket"))
  }

  for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"$kind: some partitions get another number of buckets, by which they are read and written from then on") {
      val path = Files.createTempDirectory("hudilite-buckets").resolve("t").toString
      write(path, 0, 80, 1, 3, kind)
      write(path, 10, 15, 2, 3, kind)
      val before = rows(path)
      val stays = slices(path).filter(_.partition == "p 1").map(_.fileId).sorted
      moveSome(path, 7, "p 0")
      val index = BucketIndex(3, Seq("id"), BucketRule.of("^p 0$,7"))
      assertEquals(table(path).statedBuckets, Some(index))
      assertEquals(rows(path), before)
      assertEquals(counts(path), Map("p 0" -> 7, "p 1" -> 3))
      assertEquals(slices(path).filter(_.partition == "p 1").map(_.fileId).sorted, stays)
      dealt(path, index)
      assertEquals(opened(path, "id = 'k16,'"), (1L, 2L))
      assertEquals(opened(path, "id = 'k16,' AND p = 'p 0'"), (1L, 1L))
      val plain = Map("hoodie.datasource.write.recordkey.field" -> "id")
      spark.range(0, 90).selectExpr("concat('k', id, ',') id", "concat('p ', id % 2) p", "5 v")
        .write.format("hudilite").options(plain).mode("append").save(path)
      assertEquals((rows(path).size, counts(path)), (90, Map("p 0" -> 7, "p 1" -> 3)))
      dealt(path, index)
      assertEquals(opened(path, "id IN ('k16,', 'k17,') AND v = 5")._1, 2L)
      moveSome(path, 2, "p 1", "p 0")
      moveSome(path, 3, "p 1")
      assertEquals(table(path).statedBuckets.map(_.rule.text), Some("^p 1$,3;^p 0$,2"))
      assertEquals((rows(path).size, counts(path)), (90, Map("p 0" -> 2, "p 1" -> 3)))
      assertEquals(opened(path, "id = 'k16,'"), (1L, 2L))
      assertEquals(spark.sql(s"CALL hudilite.system.doctor(path => '$path', deep => true)").count(), 0L)
    }

  test("a plan for some partitions is given up once a later write has stated the former numbers") {
    val path = Files.createTempDirectory("hudilite-buckets").resolve("t").toString
    write(path, 0, 40, 1, 3, "COPY_ON_WRITE")
    val run = ClusteringRun(ServiceCall(spark, path, Map.empty),
      ClusteringCall(buckets = Some(5), partitions = Some(Seq("p 0"))))
    assert(run.schedule(dryRun = false).isDefined)
    spark.range(1, 9, 2).selectExpr("concat('k', id, ',') id", "'p 1' p", "2 v").write.format("hudilite")
      .option("hoodie.datasource.write.recordkey.field", "id").mode("append").save(path)
    run.start().result()
    assertEquals(table(path).statedBuckets.map(_.rule.text), Some("^p 0$,5"))
    assertEquals((rows(path).size, counts(path)), (40, Map("p 0" -> 5, "p 1" -> 3)))
    assertEquals(opened(path, "id = 'k3,'"), (1L, 2L))
  }

  test("a table without partitions is moved as a whole alone") {
    val path = Files.createTempDirectory("hudilite-buckets").resolve("t").toString
    spark.range(9).selectExpr("id", "1 v").write.format("hudilite").options(in(2))
      .option("hoodie.datasource.write.recordkey.field", "id").save(path)
    val refused = Raised.by(moveSome(path, 3, ""))
    assertEquals(refused.condition, "CLUSTERING_NOT_POSSIBLE")
    assert(refused.getMessage.contains("it has no partitions"), refused.getMessage)
  }
}
