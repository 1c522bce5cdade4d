package io.hudilite.spark.write

import io.hudilite.index.{BucketIndex, HashRing, HashRings}
import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.spark.read.PlanProbe
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{RingFiles, Table}

import java.nio.file.{Files, Paths}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame

import scala.collection.JavaConverters._

/** Tables whose buckets are those of hash rings. */
class HashRingsSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark

  private val engine = "hoodie.index.bucket.engine" -> "CONSISTENT_HASHING"
  private val byBuckets = "hoodie.index.type" -> "BUCKET"
  private val options = Map(byBuckets, engine, "hoodie.bucket.index.num.buckets" -> "4",
    "hoodie.datasource.write.recordkey.field" -> "id", "hoodie.datasource.write.partitionpath.field" -> "p",
    "hoodie.datasource.write.table.type" -> "MERGE_ON_READ")

  private def newPath(): String = Files.createTempDirectory("hudilite-rings").resolve("t").toString

  private def table(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def rows(from: Int, until: Int, v: Int, partitions: Int = 2): DataFrame =
    spark.range(from, until).selectExpr("cast(id as string) id", s"concat('p', id % $partitions) p", s"$v v")

  private def write(path: String, rows: DataFrame, options: Map[String, String] = Map.empty): Unit =
    rows.write.format("hudilite").options(options).mode("append").save(path)

  private def read(path: String, options: (String, String)*): DataFrame =
    spark.read.format("hudilite").options(options.toMap).load(path)

  private def files(path: String): Seq[String] = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator().asScala.filter(Files.isRegularFile(_)).map(_.toString).toList.sorted
    finally walk.close()
  }

  /** Each row lies in the file group of its node, by the ring that lies with the table. */
  private def assertDealt(path: String, count: Long, nodes: Int = 4): Unit = {
    val found = read(path).selectExpr("id", "p", "_hudilite_file_id").collect()
    assertEquals(found.length.toLong, count)
    val rings = RingFiles(table(path)).of(found.map(_.getString(1)).distinct.toSeq).map { case (p, r) => p -> r.ring }
    assert(rings.values.forall(_.size == nodes), rings.toString)
    val index = BucketIndex(nodes, Seq("id"), rings = Some(HashRings(rings, othersAreNew = false)))
    for (row <- found) {
      val own = index.in(row.getString(1))
      assertEquals(own.bucketOfFile(row.getString(2)), Option(own.bucketOf(row.getString(0))), row.toString)
    }
  }

  private def refused(condition: String, mentions: String*)(write: => Any): Unit = {
    val error = Raised.by(write)
    assertEquals(error.condition, condition, error.getMessage)
    mentions.foreach(word => assert(error.getMessage.contains(word), error.getMessage))
  }

  /** The file groups that a filter leaves, of those of the partitions that it leaves. */
  private def left(path: String, filter: String, options: (String, String)*): (Long, Long, Int) = {
    val frame = read(path, options: _*).where(filter)
    val rows = frame.collect().length
    val listed = PlanProbe.metric(frame, "filesListed")
    (listed - PlanProbe.metric(frame, "filesPrunedByBucket"), listed, rows)
  }

  private lazy val made: String = {
    val path = newPath()
    write(path, rows(0, 200, 1), options)
    path
  }

  test("rows of any write go to the nodes of their partition's ring, and a table keeps to its rings") {
    assertDealt(made, 200)
    write(made, rows(100, 250, 2))
    write(made, rows(250, 260, 2), Map(byBuckets, "hoodie.datasource.write.operation" -> "insert"))
    write(made, rows(260, 270, 2), Map("hoodie.datasource.write.operation" -> "bulk_insert"))
    write(made, rows(0, 3, 9), Map("hoodie.datasource.write.operation" -> "delete"))
    spark.sql(s"UPDATE hudilite.`$made` SET v = 3 WHERE id = '7'")
    spark.sql(s"DELETE FROM hudilite.`$made` WHERE id IN ('8', '9')")
    rows(195, 280, 5, partitions = 3).createOrReplaceTempView("source")
    spark.sql(s"MERGE INTO hudilite.`$made` t USING source s ON t.id = s.id AND t.p = s.p " +
      "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *")
    spark.sql(s"INSERT INTO hudilite.`$made` VALUES ('x', 'p0', 7)")
    val expected = read(made).selectExpr("count(*)", "count(distinct id, p)").head()
    assertEquals(expected.getLong(0), expected.getLong(1))
    assertDealt(made, expected.getLong(0))
    assertEquals(read(made).where("id = '7'").head().getAs[Int]("v"), 3)
    assertEquals(table(made).partitions(), Seq("p0", "p1", "p2"))
    assertEquals(spark.sql(s"CALL hudilite.system.doctor(path => '$made', deep => true)").count(), 0L)
  }

  test("an equality leaves one node of each partition where commits or the reader vouch for the rings") {
    val count = read(made).count()
    assertEquals(left(made, "id = '7'"), (3L, 12L, 1))
    assertEquals(left(made, "id = '7' AND p = 'p1'"), (1L, 4L, 1))
    assertEquals(left(made, "v >= 0")._3.toLong, count)
    assertEquals(left(made, "id IN ('7', '120') AND p = 'p1'")._3, 1)
    val before = table(made).timeline.lastCompleted.get.time
    assertEquals(left(made, "id = '7'", "as.of.instant" -> before)._1, 12L)
  }

  test("neither an overwrite, nor another index, nor a clustering takes the file groups of rings") {
    val before = files(made)
    refused("INVALID_OPTION_VALUE", "hash rings")(write(made, rows(0, 3, 4), Map("hoodie.index.type" -> "SIMPLE")))
    refused("INVALID_OPTION_VALUE", "hash rings")(write(made, rows(0, 3, 4),
        Map(byBuckets, "hoodie.index.bucket.engine" -> "SIMPLE")))
    for (operation <- Seq("insert_overwrite", "insert_overwrite_table", "delete_partition"))
      refused("UNSUPPORTED_TABLE_FEATURE", "overwrite")(write(made, rows(0, 3, 4),
          Map("hoodie.datasource.write.operation" -> operation)))
    refused("UNSUPPORTED_TABLE_FEATURE", "overwrite")(spark.sql(s"TRUNCATE TABLE hudilite.`$made`"))
    refused("UNSUPPORTED_TABLE_FEATURE", "overwrite")(spark.sql(
        s"CALL hudilite.system.drop_partition(path => '$made', partition => 'p0')"))
    refused("UNSUPPORTED_TABLE_FEATURE", "overwrite")(
      rows(0, 3, 4).write.format("hudilite").mode("overwrite").save(made))
    for (other <- Seq("hoodie.index.type" -> "BLOOM", "hoodie.datasource.write.recordkey.field" -> "v"))
      refused("UNSUPPORTED_TABLE_FEATURE", "overwrite")(
        rows(0, 3, 4).write.format("hudilite").options(Map(other)).mode("overwrite").save(made))
    refused("CLUSTERING_NOT_POSSIBLE", "hash rings")(spark.sql(
        s"CALL hudilite.system.run_clustering(path => '$made')"))
    refused("CLUSTERING_NOT_POSSIBLE", "hash rings")(spark.sql(
        s"CALL hudilite.system.run_clustering(path => '$made', buckets => 8)"))
    assertEquals(files(made), before)
    val advice = spark.sql(s"CALL hudilite.system.advise(path => '$made')").head().toString
    assert(!advice.contains("move it"), advice)
  }

  test("compactions and cleanings leave the rows of a ring where they are") {
    val path = newPath()
    write(path, rows(0, 100, 1), options)
    for (v <- 2 to 4) {
      write(path, rows(50, 100 + v, v))
      spark.sql(s"CALL hudilite.system.run_compaction(path => '$path')")
    }
    spark.sql(s"CALL hudilite.system.run_clean(path => '$path', retain_commits => 1)")
    assertDealt(path, 104)
    assertEquals(left(path, "id = '60'"), (2L, 8L, 1))
    val damaged = Paths.get(path, ".hoodie", ".bucket_index", "consistent_hashing_metadata", "p0",
      "00000000000000.hashing_meta")
    Files.write(damaged, "{".getBytes)
    assertEquals(left(path, "id = '60'"), (8L, 8L, 1)) // its checksum is wrong
    Files.delete(damaged.resolveSibling(s".${damaged.getFileName}.crc"))
    assertEquals(left(path, "id = '60'"), (8L, 8L, 1))
    refused("CORRUPT_FILE", "hashing_meta")(write(path, rows(0, 2, 5)))
    write(path, rows(0, 2, 5).where("p = 'p1'"))
    assertEquals(read(path).count(), 104L)
  }

  test("a first write that fails leaves no rings, and a copy-on-write table gets none") {
    val path = newPath()
    val bad = rows(0, 10, 1).selectExpr("id", "p", "if(id = '7', raise_error('no'), v) v")
    intercept[Throwable](write(path, bad, options))
    assert(!Files.exists(Paths.get(path)) || files(path).isEmpty, files(path).toString)
    refused("INVALID_OPTION_VALUE", "merge-on-read")(write(path, rows(0, 3, 1),
        options + ("hoodie.datasource.write.table.type" -> "COPY_ON_WRITE")))
    write(path, rows(0, 100, 1), options + ("hoodie.bucket.index.num.buckets" -> "3"))
    assertDealt(path, 100, nodes = 3)
  }

  test("rings that a first write left as it died do not bind the next one, in a table that a statement made") {
    val path = newPath()
    spark.sql(s"CREATE TABLE hudilite.`$path` (id STRING, p STRING, v INT) PARTITIONED BY (p) " +
      "TBLPROPERTIES (primaryKey = 'id', type = 'mor', 'hoodie.datasource.write.hive_style_partitioning' = 'false')")
    Seq("p0", "p9").foreach(p =>
      RingFiles.begin(new HadoopStorage(new Configuration()), path, p, HashRing.initial(p, 7)))
    write(path, rows(0, 60, 1), Map(byBuckets, engine, "hoodie.bucket.index.num.buckets" -> "2"))
    assertDealt(path, 60, nodes = 2)
    assert(!files(path).exists(_.contains("/p9/")), files(path).toString)
  }
}
