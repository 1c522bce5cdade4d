package io.hudilite.spark.read

import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.{GoldenAnswers, GoldenTables, SharedSession}
import io.hudilite.spark.SharedSession.withConf
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.functions.{col, lit, when}

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Log blocks of Apache Hudi's that hold only the columns which a MERGE sets. */
class PartialUpdatesSuite extends FunSuite {

  override val munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark

  private val names = GoldenTables.names.filter(_.startsWith("partial-updates"))

  private def open(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def read(path: String, options: (String, String)*): DataFrame =
    spark.read.format("hudilite").options(options.toMap).load(path)

  private def held(frame: DataFrame): DataFrame = spark.createDataFrame(frame.collect().toList.asJava, frame.schema)

  private def texts(frame: DataFrame): Seq[String] = frame.collect().map(_.toString).sorted.toSeq

  test("there are tables of versions 8 and 9") {
    assertEquals(names.size, 2)
  }

  for (name <- names) {
    test(s"$name: as of each instant it has the rows that Hudi reads") {
      val path = GoldenTables.table(name)
      open(path).timeline.writes.zipWithIndex.foreach { case (instant, i) =>
        assertEquals(GoldenAnswers.of(read(path, "as.of.instant" -> instant.time)),
          GoldenAnswers.by(name, s"as_of_$i")(identity), s"as of write $i")
      }
    }

    test(s"$name: an incremental read has the rows of its writes as they are at its end, all their columns") {
      val path = GoldenTables.table(name)
      val writes = open(path).timeline.writes
      val all = "_hoodie_commit_time" +: read(path).columns.toSeq
      for {
        begin <- writes.indices.init
        end <- Seq(begin + 1, writes.size - 1).distinct
      } {
        val range = read(path, "hoodie.datasource.query.type" -> "incremental",
          "hoodie.datasource.read.begin.instanttime" -> writes(begin).completionTime.get,
          "hoodie.datasource.read.end.instanttime" -> writes(end).completionTime.get)
        val times = writes.slice(begin + 1, end + 1).map(_.time)
        val state = read(path, "as.of.instant" -> writes(end).time).where(col("_hoodie_commit_time").isin(times: _*))
        val found = texts(range.selectExpr(all: _*))
        // Records that lose against older ones are seen by a range that has no partial ones.
        assertEquals(texts(state.selectExpr(all: _*)).filterNot(found.toSet), Nil, s"$begin to $end")
        val partial = range.where(col("n").isNull && col("dt").isNull)
        assertEquals(partial.count(), 0L, s"$begin to $end")
      }
    }

    test(s"$name: filters on columns that a record has or has not find the rows themselves") {
      val path = GoldenTables.table(name)
      val rows = held(read(path))
      val some = rows.limit(3).collect()
      val filters =
        Seq("colour = 'red'", "colour is null", "price > 50", "price <= 20", "n > 500000", "ts = 9", "ts < 7",
          "id > 'k1-0020'", "colour = 'green' and price > 30") ++
          some.flatMap(r => Seq(s"n = ${r.getAs[Long]("n")}", s"price = ${r.getAs[Double]("price")}"))
      val expected = filters.map(f => texts(rows.where(f)))
      for (vectorized <- Seq("true", "false")) withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
        for ((f, found) <- filters.zip(expected)) assertEquals(texts(read(path).where(f)), found, f)
        assertEquals(texts(read(path).select("id", "colour")), texts(rows.select("id", "colour")))
        assertEquals(read(path).count(), rows.count())
      }
    }

    for (format <- Seq("avro", "parquet"))
      test(s"$name: a log compaction to $format keeps the rows of all times, and a compaction completes them") {
        val path = GoldenAnswers.copy(name)
        val writes = open(path).timeline.writes
        def past: Seq[Seq[String]] = writes.map(w => GoldenAnswers.of(read(path, "as.of.instant" -> w.time)))
        val before = past
        val options = Map("hoodie.log.compaction.blocks.threshold" -> "2", "hoodie.logfile.data.block.format" -> format)
        val folded = CompactionRun(ServiceCall(spark, path, options), CompactionKind.Log).start().result()
        assert(folded.flatMap(_.stats).nonEmpty)
        assertEquals(GoldenAnswers.of(read(path)), GoldenAnswers.snapshot(name))
        assertEquals(past, before)
        assert(CompactionRun(ServiceCall(spark, path)).start().result().nonEmpty)
        assertEquals(GoldenAnswers.of(read(path)), GoldenAnswers.snapshot(name))
        assertEquals(GoldenAnswers.of(read(path, "hoodie.datasource.query.type" -> "read_optimized")),
          GoldenAnswers.snapshot(name))
      }

    test(s"$name: upserts, updates and deletes start from the rows that a query sees") {
      val path = GoldenAnswers.copy(name)
      val before = held(read(path))
      val changed = before.where("n % 2 = 0").withColumn("price", lit(-1.0)).withColumn("ts", lit(50L))
      changed.write.format("hudilite").mode(SaveMode.Append).save(path)
      val expected = before.withColumn("price", when(col("n") % 2 === 0, -1.0).otherwise(col("price")))
        .withColumn("ts", when(col("n") % 2 === 0, lit(50L)).otherwise(col("ts")))
      assertEquals(texts(read(path)), texts(expected))
      spark.sql(s"UPDATE hudilite.`$path` SET colour = 'touched' WHERE price > 40")
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE colour is null")
      val after = expected.withColumn("colour", when(col("price") > 40, "touched").otherwise(col("colour")))
        .where("colour is not null")
      assertEquals(texts(read(path)), texts(after))
      CompactionRun(ServiceCall(spark, path)).start().result()
      assertEquals(texts(read(path)), texts(after))
    }
  }
}
