package io.hudilite.spark.plan

import io.hudilite.spark.{Interpreted, Raised, SharedSession}
import io.hudilite.table.StatedBuckets

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Paths}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.v2.V2ExistingTableWriteExec

import scala.collection.JavaConverters._

/** Writes into buckets of rows that lie in buckets: which of them have an exchange, and what they write with it and without. */
final class DealtWritesSuite extends UpsertPlans with Interpreted {

  private val WithExchange = "spark.sql.optimizer.excludedRules" -> "io.hudilite.spark.scan.rule.DealtWrites"
  private val ById = Map("hoodie.datasource.write.recordkey.field" -> "id")
  private val byP = "hoodie.datasource.write.partitionpath.field" -> "p"
  private val upsert = "hoodie.datasource.write.operation" -> "upsert"
  private val bulk = "hoodie.datasource.write.operation" -> "bulk_insert"

  private def newPath(): String = Files.createTempDirectory("hudilite-dealt").resolve("t").toString

  private def ids(from: Int, until: Int, v: Int): DataFrame =
    spark.range(from, until).selectExpr("cast(id as int) id", "concat('p', id % 3) p", s"cast(id % 2 + $v as int) v")

  private def saved(path: String, rows: DataFrame, buckets: Int, more: Map[String, String]): String = {
    rows.write.format("hudilite").option("hoodie.index.type", "BUCKET")
      .option("hoodie.bucket.index.num.buckets", buckets.toString).options(more).mode("append").save(path)
    path
  }

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def isWrite(node: SparkPlan): Boolean = node.isInstanceOf[V2ExistingTableWriteExec]

  /** Rows with the bucket that they are in; each bucket of a partition is one file group. */
  private def contents(path: String): Seq[String] = {
    val all = read(path)
    val names = all.columns.toSeq.filterNot(_.startsWith("_hoodie_"))
    val rows =
      all.selectExpr(Seq("_hoodie_partition_path", "substring(_hoodie_file_name, 1, 36)") ++ names: _*).collect()
    val groups = rows.map(row => row.getString(0) -> row.getString(1)).distinct
    assertEquals(groups.map { case (p, id) => p -> id.take(8) }.distinct.length, groups.length)
    rows.map(row => (row.getString(0), row.getString(1).take(8), row.toSeq.drop(2)).toString).toSeq.sorted
  }

  /** Base files and logs. */
  private def files(path: String): Seq[String] = {
    val names = Files.walk(Paths.get(path)).iterator().asScala.map(_.getFileName.toString).toList
    names.filter(name => !name.endsWith(".crc") && (name.endsWith(".parquet") || name.contains(".log."))).sorted
  }

  /** Exchanges of a write, and tasks of its scan; it writes what it writes with an exchange into a table like it. */
  private def exchanged(path: String, like: String)(write: String => Any): (Int, Int) = {
    SharedSession.withConf(WithExchange) { write(like); () }
    val nodes = executed({ write(path); () }, isWrite)
    assertEquals(contents(path), contents(like))
    (shuffles(nodes), reads(nodes).map(_.scan.toBatch.planInputPartitions().length).sum)
  }

  private def exchanges(rows: => DataFrame, buckets: Int, more: Map[String, String]): Int =
    exchanged(newPath(), newPath())(saved(_, rows, buckets, more + bulk))._1

  /** Exchanges of a load whose rows do not lie as they have to. */
  private def kept(rows: => DataFrame, buckets: Int, more: Map[String, String]): Int =
    shuffles(executed({ saved(newPath(), rows, buckets, more + bulk); () }, isWrite))

  for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"$kind: copies, upserts and overwrites with equal buckets need no exchange") {
      val options = ById + ("hoodie.datasource.write.table.type" -> kind)
      val a = saved(newPath(), ids(0, 200, 1), 8, options)
      saved(a, ids(100, 120, 5), 8, options)
      val (copy, like) = (newPath(), newPath())
      def upserted(where: String, more: (String, String)*): (Int, Int) =
        exchanged(copy, like)(saved(_, read(a).where(where), 8, options + upsert ++ more))
      assertEquals(exchanged(copy, like)(saved(_, read(a).where("v <> 1"), 8, options + bulk))._1, 0)
      assertEquals(upserted("true"), (0, if (kind == "COPY_ON_WRITE") 8 else 4))
      assertEquals(upserted("id IN (1, 2, 3, 100, 101)")._1, 0) // some buckets
      assertEquals(exchanged(copy, like)(path =>
          spark.sql(s"INSERT OVERWRITE hudilite.`$path` SELECT id, p, v + 1 AS v FROM hudilite.`$path`"))._1, 0)
      if (kind == "COPY_ON_WRITE") {
        ids(150, 152, 1).createOrReplaceTempView("late")
        assertEquals(upserted("id > (SELECT min(id) FROM late)")._1, 0) // a filter that comes as the query runs
        assertEquals(upserted("true", "hoodie.upsert.shuffle.parallelism" -> "3"), (0, 3))
        assertEquals(upserted("id = 7")._1, 1) // one task for two cores
        SharedSession.withConf("spark.sql.adaptive.enabled" -> "false")(assertEquals(upserted("v < 9")._1, 0))
      }
    }

  test("rows that may lie otherwise have their exchange") {
    val a = saved(newPath(), ids(0, 50, 1), 8, ById)
    val byK = Map("hoodie.datasource.write.recordkey.field" -> "k")
    assertEquals(exchanges(read(a).selectExpr("id k", "p", "v"), 8, byK), 0)
    assertEquals(kept(read(a).selectExpr("id", "id + 1 k"), 8, byK), 1)
    assertEquals(kept(read(a), 4, ById), 1)
    assertEquals(kept(read(a).selectExpr("cast(id as bigint) id", "p", "v"), 8, ById), 1)
    assertEquals(kept(read(a).selectExpr("coalesce(id, 0) id", "p", "v"), 8, ById), 1)
    assertEquals(kept(read(a).union(ids(100, 110, 1)), 8, ById), 1)
    assert(kept(read(a).limit(1000), 8, ById) > 0)
    ids(0, 9, 1).selectExpr("id k").createOrReplaceTempView("few")
    read(a).createOrReplaceTempView("a")
    assertEquals(kept(spark.sql("SELECT /*+ BROADCAST(few) */ a.* FROM a JOIN few ON id = k"), 8, ById), 1)
  }

  test("partitions share the work where rows keep theirs, and buckets alone where they do not") {
    val byD = byP._1 -> "d"
    val dated = ids(0, 300, 1).selectExpr("id", "date_add(date'2024-01-30', id % 3) d", "v")
    val a = saved(newPath(), dated, 4, ById + byD)
    def write(more: (String, String)*)(rows: => DataFrame): (Int, Int) =
      exchanged(newPath(), newPath())(saved(_, rows, 4, ById + bulk ++ more))
    assertEquals(write(byD)(read(a)), (0, 12))
    assertEquals(write(byP._1 -> "q")(read(a).selectExpr("id", "d q", "v")), (0, 12))
    assertEquals(write(byP._1 -> "v")(read(a)), (0, 4))
    assertEquals(write(byP)(read(a).selectExpr("id", "date_format(d, 'yyyy') p", "v")), (0, 4))
    assertEquals(write(byD, "hoodie.bulkinsert.shuffle.parallelism" -> "5")(read(a).where("d <> '2024-01-31'")), (0, 5))
    // Rows of one key from several partitions.
    val twice = saved(newPath(), ids(0, 300, 1).union(ids(0, 40, 7).selectExpr("id", "'p9' p", "v")), 4, ById + byP)
    assertEquals(exchanged(newPath(), newPath())(p => {
        saved(p, read(twice).drop("p"), 4, ById + upsert + ("hoodie.datasource.write.precombine.field" -> "v"))
      }), (0, 4))
  }

  test("keys of several fields and texts go where they lie if they are made alike") {
    val rows = spark.range(100).selectExpr("if(id % 9 = 0, null, concat('n', id % 7, ',x:', id)) name",
      "cast(id as int) n", "1 v")
    val keys = Map("hoodie.datasource.write.recordkey.field" -> "name,n")
    val ofName = keys + ("hoodie.bucket.index.hash.field" -> "n")
    val a = saved(newPath(), rows, 5, keys)
    assertEquals(exchanges(read(a), 5, keys), 0)
    assertEquals(kept(read(a), 5, ofName), 1)
    assertEquals(kept(read(a).selectExpr("name", "n + 1 n", "v"), 5, keys), 1)
    assertEquals(kept(read(a).selectExpr("concat('z', name) name", "n", "v"), 5, keys), 1)
    val b = saved(newPath(), rows.selectExpr("concat('k', n) id", "v"), 5, ById)
    assertEquals(exchanges(read(b), 5, ById), 0)
    assertEquals(kept(read(b).selectExpr("id k", "v"), 5, Map("hoodie.datasource.write.recordkey.field" -> "k")), 1)
    spark.sql("DROP TABLE IF EXISTS dealt")
    val nodes = executed({
        spark.sql("CREATE TABLE dealt USING hudilite OPTIONS (primaryKey = 'id', 'hoodie.index.type' = 'BUCKET', " +
          s"'hoodie.bucket.index.num.buckets' = '5') LOCATION '${newPath()}' AS SELECT * FROM hudilite.`$b`")
        ()
      }, isWrite)
    assertEquals(shuffles(nodes), 0)
    assertEquals(spark.table("dealt").count(), 100L)
    spark.sql("DROP TABLE dealt")
  }

  test("rows of keys in the buckets of others end the write before its commit, and go through an exchange") {
    val a = copied(saved(newPath(), ids(0, 100, 1), 3, ById))
    Files.walk(Paths.get(a)).iterator().asScala.filter(_.toString.endsWith(".crc")).toList.foreach(Files.delete)
    Files.walk(Paths.get(a)).iterator().asScala.filter(_.toString.endsWith("commit")).toList.foreach { commit =>
      val text = new String(Files.readAllBytes(commit), ISO_8859_1)
      Files.write(commit,
        text.replace(s"${StatedBuckets.Count}\u00023", s"${StatedBuckets.Count}\u00024").getBytes(ISO_8859_1))
    }
    for (kind <- Seq("COPY_ON_WRITE", "MERGE_ON_READ")) {
      val into = saved(newPath(), ids(0, 10, 1), 4, ById + ("hoodie.datasource.write.table.type" -> kind))
      val before = (contents(into), files(into))
      val error = Raised.by(saved(into, read(a), 4, ById + upsert))
      assertEquals(error.condition, "UNSUPPORTED_TABLE_FEATURE")
      assert(error.getMessage.contains("from several buckets"), error.getMessage)
      assertEquals((contents(into), files(into)), before)
      if (kind == "COPY_ON_WRITE") saved(into, read(a).repartition(2), 4, ById + upsert)
      else SharedSession.withConf(WithExchange) { saved(into, read(a), 4, ById + upsert); () }
      assertEquals(contents(into).size, 100)
      assertEquals(read(into).select("id").distinct().count(), 100L)
    }
    val fresh = newPath()
    assert(Raised.by(saved(fresh, read(a), 4, ById + bulk)).getMessage.contains("from several buckets"))
    assert(!Files.exists(Paths.get(fresh)) || files(fresh).isEmpty, files(fresh))
  }
}
