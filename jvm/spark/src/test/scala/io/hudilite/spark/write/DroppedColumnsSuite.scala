package io.hudilite.spark.write

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.FooterCache
import io.hudilite.spark.{Interpreted, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.{Files, Path, Paths}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.Row

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Writes to tables whose files leave the partition columns out. */
class DroppedColumnsSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private lazy val spark = SharedSession.spark

  private val drop = "hoodie.datasource.write.drop.partition.columns"

  private def newPath(): String = Files.createTempDirectory("dropped").resolve("t").toString

  private def save(path: String, rows: String, columns: String, options: (String, String)*): Unit =
    spark.sql(s"SELECT * FROM VALUES $rows AS rows($columns)").write.format("hudilite").options(options.toMap)
      .mode("append").save(path)

  private def shown(path: String): Seq[String] =
    spark.read.format("hudilite").load(path).orderBy("id").collect().map(text).toSeq

  private def text(row: Row): String = row.toSeq.mkString(" ")

  private def filesOf(path: String): Seq[Path] = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator.asScala.filterNot(_.toString.contains(".hoodie/")).toList
    finally walk.close()
  }

  private def checkStored(path: String): Unit = {
    val conf = new Configuration()
    for (file <- filesOf(path) if file.toString.endsWith(".parquet")) {
      val schema = FooterCache.metadata(conf, file.toString, Files.size(file)).getFileMetaData.getSchema
      assert(!schema.containsField("p") && schema.containsField("v"), file.toString)
    }
    for (file <- filesOf(path) if file.getFileName.toString.contains(".log."))
      assert(!new String(Files.readAllBytes(file), "ISO-8859-1").contains("\"name\":\"p\""), file.toString)
    val table = Table.find(new HadoopStorage(conf), path).get
    table.store.readCommits(table.timeline.writes).flatMap(_._2.schema).foreach(schema =>
      assert(!schema.contains("\"name\":\"p\"") && schema.contains("\"name\":\"v\""), schema))
    assert(table.config.createSchema.exists(_.contains("\"name\":\"p\"")))
  }

  private def changed(path: String): Unit = {
    spark.sql(s"""MERGE INTO hudilite.`$path` t USING (SELECT 'k2' AS id, 20 AS p, 5L AS ts, 'merged' AS v
      UNION ALL SELECT 'k4', 10, 5L, 'new') s ON t.id = s.id AND t.p = s.p
      WHEN MATCHED THEN UPDATE SET v = concat(s.v, t.p), ts = s.ts WHEN NOT MATCHED THEN INSERT *""")
    assertEquals(shown(path), Seq("k1 2 A 10", "k2 5 merged20 20", "k3 1 c null", "k4 5 new 10"))
    spark.sql(s"UPDATE hudilite.`$path` SET v = 'seen' WHERE p = 10 AND id = 'k1'")
    spark.sql(s"UPDATE hudilite.`$path` SET p = 30 WHERE id = 'k4'")
    spark.sql(s"DELETE FROM hudilite.`$path` WHERE p IS NULL")
    assertEquals(shown(path), Seq("k1 2 seen 10", "k2 5 merged20 20", "k4 5 new 30"))
    spark.sql(s"INSERT OVERWRITE hudilite.`$path` PARTITION (p = 20) (id, ts, v) VALUES ('k9', 1L, 'z')")
    assertEquals(shown(path), Seq("k1 2 seen 10", "k4 5 new 30", "k9 1 z 20"))
  }

  for ((tableType, version, index) <- Seq(("COPY_ON_WRITE", "6", "SIMPLE"), ("MERGE_ON_READ", "9", "SIMPLE"),
      ("MERGE_ON_READ", "8", "BUCKET")))
    test(s"rows live in a table without its partition column in files: $tableType, version $version, $index") {
      val path = newPath()
      save(path, "('k1', 10, 1L, 'a'), ('k2', 20, 1L, 'b'), ('k3', CAST(NULL AS INT), 1L, 'c')", "id, p, ts, v",
        "hoodie.datasource.write.recordkey.field" -> "id", "hoodie.datasource.write.partitionpath.field" -> "p",
        "hoodie.datasource.write.precombine.field" -> "ts", "hoodie.datasource.write.table.type" -> tableType,
        "hoodie.write.table.version" -> version, "hoodie.datasource.write.hive_style_partitioning" -> "true",
        "hoodie.index.type" -> index, "hoodie.bucket.index.num.buckets" -> "2", drop -> "true")
      assertEquals(spark.read.format("hudilite").load(path).columns.toSeq, Seq("id", "ts", "v", "p"))
      save(path, "('k1', 10, 2L, 'A')", "id, p, ts, v")
      assertEquals(shown(path), Seq("k1 2 A 10", "k2 1 b 20", "k3 1 c null"))
      changed(path)
      if (tableType == "MERGE_ON_READ") {
        assert(filesOf(path).exists(_.getFileName.toString.contains(".log.")))
        spark.sql(s"CALL hudilite.system.run_compaction(op => 'run', path => '$path')")
      }
      if (index != "BUCKET")
        spark.sql(s"CALL hudilite.system.run_clustering(op => 'execute', path => '$path', `order` => 'v')")
      assertEquals(shown(path), Seq("k1 2 seen 10", "k4 5 new 30", "k9 1 z 20"))
      save(path, "('k5', 1L, 'e', 40, 7)", "id, ts, v, p, w")
      assertEquals(shown(path).last, "k9 1 z null 20")
      assertEquals(shown(path)(2), "k5 1 e 7 40")
      checkStored(path)
    }

  private def refusal(body: => Any): String = {
    val raised = intercept[Throwable](body)
    Iterator.iterate[Throwable](raised)(_.getCause).takeWhile(_ != null).collectFirst { case e: HudiliteException =>
      e.condition
    }.getOrElse(throw raised)
  }

  private val facts = Seq("hoodie.datasource.write.recordkey.field" -> "id", drop -> "true",
    "hoodie.datasource.write.partitionpath.field" -> "p")

  test("values that a path would give back as others are refused before they are written") {
    val path = newPath()
    save(path, "('k1', 'a', 1)", "id, p, v", facts: _*)
    for (value <- Seq("", "a%2Fb", "q=z", "__HIVE_DEFAULT_PARTITION__"))
      assertEquals(refusal(save(path, s"('k2', '$value', 1)", "id, p, v")), "ILLEGAL_PARTITION_PATH", value)
    save(path, "('k2', 'x/y', 1), ('k3', 'default', 1)", "id, p, v")
    assertEquals(shown(path), Seq("k1 1 a", "k2 1 x/y", "k3 1 default"))
    assertEquals(refusal(save(path, "('k1', 'a', 1)", "id, p, v", drop -> "false")), "OPTION_CONTRADICTS_TABLE")
    assertEquals(refusal(spark.sql(s"ALTER TABLE hudilite.`$path` RENAME COLUMN v TO w")), "UNSUPPORTED_TABLE_FEATURE")
    spark.sql(s"ALTER TABLE hudilite.`$path` ADD COLUMN w INT")
    assertEquals(shown(path).head, "k1 1 null a")
  }

  test("tables are refused whose partition columns are needed in files") {
    assertEquals(refusal(save(newPath(), "('k1', TIMESTAMP'2024-01-01 00:00:00', 1)", "id, p, v", facts: _*)),
      "UNSUPPORTED_COLUMN_TYPE")
    val byPartition = facts :+ ("hoodie.datasource.write.precombine.field" -> "p")
    assertEquals(refusal(save(newPath(), "('k1', 'a', 1)", "id, p, v", byPartition: _*)), "UNSUPPORTED_TABLE_FEATURE")
  }

  test("rows of just as many columns as one word has null bits keep their values while they are held back") {
    val path = newPath()
    val columns = "id" +: (1 to 62).map(i => s"c$i")
    def row(id: Int, from: Int): String = s"('k$id', ${(from until from + 62).mkString(", ")})"
    save(path, row(1, 100), columns.mkString(", "), "hoodie.datasource.write.recordkey.field" -> "id",
      "hoodie.datasource.write.table.type" -> "MERGE_ON_READ", "hoodie.index.type" -> "BUCKET",
      "hoodie.bucket.index.num.buckets" -> "1")
    save(path, s"${row(1, 200)}, ${row(2, 300)}", columns.mkString(", "))
    val expected = Seq(200, 300).zipWithIndex.map { case (from, i) =>
      s"k${i + 1} ${(from until from + 62).mkString(" ")}"
    }
    assertEquals(shown(path), expected)
  }
}
