package io.hudilite.spark.catalog

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{Raised, SharedSession}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import java.nio.file.{Files, Paths}

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{DataFrame, DataFrameWriter, Row}

import scala.concurrent.duration.{Duration, DurationInt}

/** `save` to a path, with all that a writer can be told. */
final class SavedPathsSuite extends FunSuite {

  override val munitTimeout: Duration = 5.minutes

  private lazy val spark = SharedSession.spark
  private lazy val home: String = Files.createTempDirectory("hudilite-saved").toString

  private val partitions = "hoodie.datasource.write.partitionpath.field"

  private def frame(columns: String): DataFrame = spark.sql(s"SELECT $columns")

  private def writer(columns: String, mode: String): DataFrameWriter[Row] = frame(columns).write.format("hudilite")
    .option("hoodie.datasource.write.recordkey.field", "id").mode(mode)

  private def partitionsOf(path: String): Seq[String] =
    Table.open(new HadoopStorage(new Configuration()), path).config.partitionFields

  private def rows(path: String): Seq[String] =
    spark.read.format("hudilite").load(path).collect().map(_.toString).sorted.toSeq

  private def refused(condition: String, told: String*)(body: => Any): HudiliteException = {
    val e = Raised.by(body)
    assertEquals(e.condition, condition)
    told.foreach(t => assert(e.getMessage.contains(t), e.getMessage))
    e
  }

  for (mode <- Seq("append", "overwrite", "error", "ignore"))
    test(s"partitionBy makes a table and goes with one that is partitioned so: $mode") {
      val path = s"$home/$mode"
      writer("1 AS id, 'a' AS day, 'x' AS hour", mode).partitionBy("DAY", "hour").save(path)
      assertEquals(partitionsOf(path), Seq("day", "hour")) // as the DataFrame spells them
      assert(Files.isDirectory(Paths.get(path, "a", "x")))
      def again(): Unit = writer("2 AS id, 'b' AS day, 'y' AS hour", mode).partitionBy("day", "hour").save(path)
      if (mode == "error") refused("TABLE_ALREADY_EXISTS", path)(again()) else again()
      assertEquals(rows(path),
        mode match {
          case "append" => Seq("[1,a,x]", "[2,b,y]")
          case "overwrite" => Seq("[2,b,y]")
          case _ => Seq("[1,a,x]")
        })
    }

  test("partitionBy that the table or an option contradicts is refused, and nothing is written") {
    val path = s"$home/contradicted"
    writer("1 AS id, 'a' AS day, 'n' AS note", "append").option(partitions, "day").partitionBy("day").save(path)
    refused("OPTION_CONTRADICTS_TABLE", partitions, "note")(
      writer("2 AS id, 'b' AS day, 'n' AS note", "append").partitionBy("note").save(path))
    for (mode <- Seq("append", "overwrite")) {
      refused("INVALID_OPTION_VALUE", partitions, "note")(
        writer("2 AS id, 'b' AS day, 'n' AS note", mode).option(partitions, "day").partitionBy("note").save(path))
    }
    refused("MISSING_COLUMN", "gone")(writer("1 AS id", "append").partitionBy("gone").save(s"$home/never"))
    assert(!Files.exists(Paths.get(home, "never")))
    assertEquals(rows(path), Seq("[1,a,n]"))
  }

  test("what Spark gives to other sources, and a Hudi table has not, is refused by its name") {
    val e = intercept[Exception](writer("1 AS id", "append").bucketBy(2, "id").sortBy("id").save(s"$home/buckets"))
    assert(e.getMessage.contains("bucketBy"), e.getMessage)
    intercept[Exception](writer("1 AS id", "append").sortBy("id").save(s"$home/buckets"))
    refused("OPTION_NOT_SUPPORTED", "schema")(spark.read.format("hudilite").schema("id INT").load(home))
    refused("TABLE_NOT_FOUND")(spark.read.format("hudilite").load(s"$home/buckets"))
    refused("MISSING_OPTION", "path")(writer("1 AS id", "append").save())
    assert(!Files.exists(Paths.get(home, "buckets")))
  }
}
