package io.hudilite.spark.read

import io.hudilite.Folders
import io.hudilite.index.BucketIndex
import io.hudilite.spark.{GoldenTables, Interpreted, SharedSession}

import java.nio.file.{Files, Path, Paths}

import munit.FunSuite
import org.apache.spark.sql.{DataFrame, Row}

import scala.collection.JavaConverters._

/** Which file groups of a table with buckets a query reads, and that none of its rows is lost by that. */
class BucketPruningSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark

  private val Buckets = 8

  private def newPath(): String = Files.createTempDirectory("hudilite-pruning").resolve("t").toString

  private def write(path: String, rows: DataFrame, options: (String, String)*): Unit =
    rows.write.format("hudilite").options(options.toMap).mode("append").save(path)

  private def of(kind: String, keys: String, hashed: String, more: (String, String)*): Map[String, String] =
    Map("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> Buckets.toString,
      "hoodie.datasource.write.recordkey.field" -> keys, "hoodie.bucket.index.hash.field" -> hashed,
      "hoodie.datasource.write.table.type" -> kind) ++ more

  private def rows(from: Int, until: Int, v: Int): DataFrame =
    spark.range(from, until).selectExpr("cast(id as int) id", "concat('t', id % 3) text", "concat('p', id % 2) p",
      s"$v v")

  private def read(path: String, options: (String, String)*): DataFrame =
    spark.read.format("hudilite").options(options.toMap).load(path)

  private val withBucket = of("COPY_ON_WRITE", "id", "id") - "hoodie.datasource.write.table.type" -
    "hoodie.datasource.write.recordkey.field"

  /** The groups that the filter leaves, of those of the partitions that it leaves; its rows are those of a full read. */
  private def left(path: String, filter: String, options: (String, String)*): (Long, Long) = {
    def all = { val shown = read(path, options: _*); shown.select("_hoodie_record_key", shown.columns.toSeq: _*) }
    val frame = all.where(filter)
    val kept = all.collect()
    val expected = spark.createDataFrame(kept.toSeq.asJava, frame.schema).where(filter).collect()
    assertEquals(frame.collect().map(_.toString).toSeq.sorted, expected.map(_.toString).toSeq.sorted, filter)
    val listed = PlanProbe.metric(frame, "filesListed")
    (listed - PlanProbe.metric(frame, "filesPrunedByBucket"), listed)
  }

  for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"); version <- Seq("6", "9")) {
    lazy val path = {
      val made = newPath()
      val options = of(kind, "id", "id", "hoodie.datasource.write.partitionpath.field" -> "p",
        "hoodie.write.table.version" -> version)
      write(made, rows(0, 400, 1), options.toSeq: _*)
      write(made, rows(100, 200, 2), "hoodie.index.type" -> "BUCKET")
      made
    }

    test(s"$kind, version $version: an equality leaves one bucket of each partition, a list its own, others all") {
      assertEquals(left(path, "id = 150"), (2L, 16L))
      assertEquals(left(path, "id = 150 AND p = 'p0'"), (1L, 8L))
      assertEquals(left(path, "id <=> 150"), (2L, 16L))
      val some = Seq(10, 18, 26).map(id => BucketIndex(Buckets, Seq("id")).bucketOf(id.toString)).distinct.size
      assertEquals(left(path, "id IN (10, 18, 26)"), (2L * some, 16L))
      assertEquals(left(path, "id = 1 OR id = 2"), (4L, 16L))
      assertEquals(left(path, "_hoodie_record_key = '150'"), (2L, 16L))
      assertEquals(left(path, "id > 390"), (16L, 16L))
      assertEquals(left(path, "v = 2"), (16L, 16L))
      assertEquals(left(path, "id = 100000"), (2L, 16L))
      val scan = PlanProbe.scan(read(path).where("id = 150")).scan
      assert(scan.description().contains("files 16 in 2 partitions -> 2 by bucket"), scan.description())
    }

    test(s"$kind, version $version: what a join learns of its small side leaves the buckets of these keys") {
      read(path).createOrReplaceTempView("large")
      spark.range(400).selectExpr("cast(id as int) k", "id % 100 n").createOrReplaceTempView("small")
      val frame = spark.sql("SELECT /*+ BROADCAST(small) */ id, v FROM large JOIN small ON id = k WHERE n = 50")
      assertEquals(frame.collect().map(_.toString).toSeq.sorted, Seq("[150,2]", "[250,1]", "[350,1]", "[50,1]"))
      val scan = PlanProbe.scans(frame).head
      assert(scan.metrics("filesPrunedByBucket").value >= 8L, scan.toString)
    }

    test(s"$kind, version $version: states of the past and statements go by buckets, too") {
      val made = newPath()
      write(made, rows(0, 100, 1), of(kind, "id", "id", "hoodie.write.table.version" -> version).toSeq: _*)
      val first = read(made).selectExpr("max(_hoodie_commit_time)").head().getString(0)
      for (statement <- Seq(s"UPDATE hudilite.`$made` SET v = 5 WHERE id = 7",
          s"DELETE FROM hudilite.`$made` WHERE id = 8",
          s"MERGE INTO hudilite.`$made` t USING (SELECT 9 id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 6"))
        SharedSession.withConf("spark.datasource.hudilite.hoodie.index.type" -> "BUCKET")(spark.sql(statement))
      assertEquals(left(made, "id IN (7, 8, 9)")._2, Buckets.toLong)
      assertEquals(read(made).where("id IN (7, 8, 9)").select("id", "v").collect().toSet, Set(Row(7, 5), Row(9, 6)))
      assertEquals(left(made, "id = 8", "as.of.instant" -> first), (1L, Buckets.toLong))
    }
  }

  test("of two key fields the hashed one decides, with nulls and odd texts, and both where both are hashed") {
    val odd = Seq("null", "''", "'a,b'", "'a:b'", "',n:1'", "'x,text:y'", "'__null__'", "'é'", "'plain'")
    val keys = odd.zipWithIndex.map { case (text, n) => s"SELECT $text text, $n n, 0 v" }.mkString(" UNION ALL ")
    for (hashed <- Seq("text", "text,n"); kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")) {
      val path = newPath()
      write(path, spark.sql(keys), of(kind, "text,n", hashed).toSeq: _*)
      write(path, spark.sql(keys).selectExpr("text", "n", "1 v"), "hoodie.index.type" -> "BUCKET")
      for ((text, n) <- odd.zipWithIndex; test = if (text == "null") "text IS NULL" else s"text = $text") {
        val (of, all) = left(path, if (hashed == "text") test else s"$test AND n = $n")
        assert(of == 1 && all > 2, s"$of of $all for $test by $hashed")
      }
      assertEquals(left(path, "n = 3").productIterator.toSet.size, 1)
    }
  }

  test("a table of Apache Hudi's is pruned where the read says its buckets, and by a wrong number never") {
    for ((name, key) <- Seq("bucket-cow" -> "id", "bucket-mor" -> "id", "bucket-two-fields" -> "n2");
      version <- Seq(6, 8, 9)) {
      val path = GoldenTables.table(s"$name-v$version")
      val value = read(path).select(key).head().get(0) match { case text: String => s"'$text'"; case other => other }
      val filter = s"$key = $value"
      val number = if (name == "bucket-two-fields") "8" else "4"
      def told(count: String) = Seq("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> count,
        "hoodie.bucket.index.hash.field" -> key)
      val (unknown, all) = left(path, filter)
      assertEquals(unknown, all, name)
      val hashesText = name ==
        "bucket-two-fields" // the other key field is a text, which filters would have to fix, too
      val (right, _) = left(path, filter, told(number): _*)
      assert(if (hashesText) right == all else right < all, s"$right of $all in $name-v$version")
      for (wrong <- Seq("2", "3", "5", "16"))
        assertEquals(left(path, filter, told(wrong): _*)._1, all, s"$name, $wrong")
    }
  }

  test("rows of another writer in a table of ours end it, until they are replaced") {
    for (name <- Seq("bucket-cow-v9", "bucket-mor-v8")) {
      val path = copied(Paths.get(GoldenTables.table(name)))
      val some = read(path).limit(5)
      write(path, some.localCheckpoint(), "hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "4")
      val id = some.select("id").head().getString(0)
      val (before, all) =
        left(path, s"id = '$id'", withBucket.updated("hoodie.bucket.index.num.buckets", "4").toSeq: _*)
      assertEquals(before, all)
      read(path).localCheckpoint().write.format("hudilite").option("hoodie.index.type", "BUCKET").mode("overwrite")
        .option("hoodie.datasource.write.operation", "insert_overwrite_table").save(path)
      val (after, now) = left(path, s"id = '$id'")
      assert(after < now, s"$after of $now")
    }
  }

  private def copied(from: Path): String = Folders.copy(from, Paths.get(newPath())).toString
}
