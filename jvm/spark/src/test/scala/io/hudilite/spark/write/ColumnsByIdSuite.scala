package io.hudilite.spark.write

import io.hudilite.error.InvalidInput
import io.hudilite.schema.{SchemaJson, TypeNames}
import io.hudilite.service.compact.CompactionKind
import io.hudilite.spark.{GoldenAnswers, Interpreted, NewestSpark, SharedSession}
import io.hudilite.spark.SharedSession.withConf
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.CommitMetadata

import munit.{FunSuite, TestOptions}
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.functions.{col, lit, when}

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Tables whose columns Apache Hudi renamed, swapped, dropped, added again and gave other types: every way to read them
  * and to write to them.
  */
class ColumnsByIdSuite extends FunSuite with Interpreted {

  override val munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark

  private val names = for (kind <- Seq("cow", "mor"); version <- Seq(6, 8, 9)) yield s"columns-by-id-$kind-v$version"

  private def open(path: String): Table = Table.open(new HadoopStorage(new Configuration()), path)

  private def read(path: String, options: (String, String)*): DataFrame =
    spark.read.format("hudilite").options(options.toMap).load(path)

  private def write(frame: DataFrame, path: String, options: (String, String)*): Unit =
    frame.write.format("hudilite").options(options.toMap).mode(SaveMode.Append).save(path)

  /** The rows in memory, away from any file. */
  private def held(frame: DataFrame): DataFrame = spark.createDataFrame(frame.collect().toList.asJava, frame.schema)

  private def newest(path: String): CommitMetadata = {
    val table = open(path)
    table.store.readCommit(table.timeline.writes.last)
  }

  private val filters = Seq("shade = 'c1-0'", "shade like 'c4-%'", "shade is null", "n > 10", "n < 2.5", "price >= 100",
    "price = 11", "extra is null", "extra = 'again'", "extra = 'x1-3'", "extra is not null", "day = date'2026-03-01'",
    "day > date'2026-05-01'", "day is null", "i = 3", "i > 20", "small = '1'", "d = '0.5'", "amount = 3.03",
    "f = 0.375",
    "last is null", "last = 'lastk1-0004'", "record.xx = 3", "record.y = 'y3'", "record.in.p > 20", "record is null",
    "id = 'k1-0003'", "id in ('k1-0003', 'k1-0025') and shade is not null", "dt = 'p1' and n > 5",
    "l[0].xx = 4", "m['k'].yy = 'v4'")

  /** Each version and each kind: these differ in where they say what columns there are, not in how these are found. */
  private val everywhere = Set("columns-by-id-cow-v6", "columns-by-id-cow-v8", "columns-by-id-mor-v9")

  for (name <- names) {
    def named(what: TestOptions): TestOptions = NewestSpark.unless(everywhere(name))(what)

    test(named(s"$name: filters find what they find in the rows themselves, however files are read")) {
      val path = GoldenAnswers.copy(name)
      val rows = held(read(path))
      // One query for all conditions: planning is what takes the time.
      val hits = rows.selectExpr("id" +: filters: _*).collect().toSeq
      val expected = filters.indices.map(i => hits.filter(_.get(i + 1) == true).map(_.getString(0)).sorted)
      val readers = if (name.endsWith("v9")) Seq("true", "false") else Seq("true")
      for (vectorized <- readers) withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
        assertEquals(GoldenAnswers.of(read(path)), GoldenAnswers.snapshot(name))
        for ((f, ids) <- filters.zip(expected))
          assertEquals(read(path).where(f).select("id").collect().map(_.getString(0)).sorted.toSeq, ids, f)
      }
    }

    test(named(s"$name: aggregates and single columns are those of the rows themselves")) {
      val path = GoldenAnswers.copy(name)
      val rows = held(read(path))
      val aggregates = Seq("count(*)", "count(extra)", "count(shade)", "min(price)", "max(price)", "min(i)", "max(i)",
        "min(day)", "max(ts)", "count(last)", "sum(n)", "count(record.in.p)")
      assertEquals(read(path).selectExpr(aggregates: _*).collect().toSeq,
        rows.selectExpr(aggregates: _*).collect().toSeq)
      for (column <- Seq("shade", "n", "price", "extra", "record.in", "record.xx", "l.xx", "m"))
        assertEquals(read(path).select(col(column).cast("string")).collect().map(_.toString).sorted.toSeq,
          rows.select(col(column).cast("string")).collect().map(_.toString).sorted.toSeq, column)
    }

    test(named(s"$name: as of an instant it has the columns of that time")) {
      val path = GoldenAnswers.copy(name)
      val first = open(path).timeline.writes.head.time
      def past: DataFrame = read(path, "as.of.instant" -> first)
      // Each change of columns is a commit, after which Hudi cleaned the first files of the copy-on-write tables away.
      if (name.contains("cow")) assertEquals(intercept[InvalidInput](past.schema).condition, "STATE_NOT_RETAINED")
      else {
        assertEquals(past.columns.toSeq.take(6), Seq("id", "ts", "dt", "colour", "price", "n"))
        assertEquals(past.where("colour = concat('c1-', cast(substring(id, 4) as int))").count(), 24L)
        assertEquals(past.where("price = cast(substring(id, 4) as int) + 0.25").count(), 24L)
      }
    }

    test(named(s"$name: rows that a write does not touch stay, those that it touches get their new values")) {
      val path = GoldenAnswers.copy(name)
      val before = held(read(path))
      val changed = before.where("price % 3 = 1").withColumn("shade", lit("changed")).withColumn("ts", lit(100L))
      val added = before.limit(1).withColumn("id", lit("new")).withColumn("shade", lit("added"))
      val expected = before.withColumn("hit", col("price") % 3 === 1)
        .withColumn("shade", when(col("hit"), "changed").otherwise(col("shade")))
        .withColumn("ts", when(col("hit"), lit(100L)).otherwise(col("ts"))).drop("hit").union(added)
      write(changed.union(added), path)
      def texts(frame: DataFrame): Seq[String] = frame.collect().map(_.toString).sorted.toSeq
      assertEquals(texts(read(path)), texts(expected))
      spark.sql(s"DELETE FROM hudilite.`$path` WHERE shade = 'changed' AND price > 100")
      spark.sql(s"UPDATE hudilite.`$path` SET extra = shade WHERE record.xx < 5")
      val after = expected.where("not (shade = 'changed' and price > 100)")
        .withColumn("extra", when(col("record.xx") < 5, col("shade")).otherwise(col("extra")))
      assertEquals(texts(read(path)), texts(after))
    }

    test(named(s"$name: a write carries the history of its columns on, and one that adds columns extends it")) {
      val path = GoldenAnswers.copy(name)
      val rows = held(read(path))
      val present = newest(path)
      val history = open(path).store.schemaFiles.newest(open(path).timeline)
        .map(TypeNames.forTable(_, open(path).config.version))
      write(rows.limit(3).withColumn("ts", lit(100L)), path)
      assertEquals(newest(path).schemaById, present.schemaById)
      assertEquals(open(path).store.schemaFiles.newest(open(path).timeline), history)
      write(rows.limit(3).withColumn("ts", lit(101L)).withColumn("fresh", lit(1)), path)
      val grown = SchemaJson.version(newest(path).schemaById.get)
      assertEquals(grown.version, open(path).timeline.writes.last.time)
      val ids = SchemaJson.history(history.get).versions.flatMap(_.columns.ids).max
      assert(grown.columns.column("fresh").exists(_.id > ids), grown.toString)
      val now = SchemaJson.history(open(path).store.schemaFiles.newest(open(path).timeline).get)
      assertEquals(now.versions.last, grown)
      assertEquals(now.versions.init, SchemaJson.history(history.get).versions)
      assertEquals(read(path).where("fresh = 1").count(), 3L)
      assertEquals(read(path).drop("fresh", "ts").collect().map(_.toString).toSet,
        rows.drop("ts").collect().map(_.toString).toSet)
      intercept[Exception](write(rows.limit(1).selectExpr("*", "1 as fresh", "cast(day as timestamp_ntz) as at"),
          path)) match {
        case e => assert(causes(e).exists {
              case i: InvalidInput => i.condition == "UNSUPPORTED_COLUMN_TYPE"; case _ => false
            }, e)
      }
    }
  }

  private def causes(e: Throwable): Seq[Throwable] = Iterator.iterate(e)(_.getCause).takeWhile(_ != null).toList

  for (version <- Seq(6, 8, 9)) {
    test(s"version $version: a compaction and a log compaction write the present names, and change no row") {
      val path = GoldenAnswers.copy(s"columns-by-id-mor-v$version")
      val expected = GoldenAnswers.snapshot(s"columns-by-id-mor-v$version")
      val folded = CompactionRun(ServiceCall(spark, path, Map("hoodie.log.compaction.blocks.threshold" -> "2")),
        CompactionKind.Log).start().result()
      assert(folded.nonEmpty)
      assertEquals(GoldenAnswers.of(read(path)), expected)
      val compacted = CompactionRun(ServiceCall(spark, path)).start().result()
      assert(compacted.nonEmpty)
      assertEquals(GoldenAnswers.of(read(path)), expected)
      assertEquals(GoldenAnswers.of(read(path, "hoodie.datasource.query.type" -> "read_optimized")), expected)
      val now = open(path)
      assertEquals(now.store.readCommit(now.timeline.write(compacted.head.instant).get).schemaById,
        newest(path).schemaById)
    }

    test(s"version $version: a compaction that was planned before a change of columns writes the names of its time") {
      val path = GoldenAnswers.copy(s"columns-by-id-mor-v$version")
      val rows = held(read(path))
      val planned =
        CompactionRun(ServiceCall(spark, path)).schedule()
      write(rows.limit(2).withColumn("ts", lit(100L)).withColumn("late", lit("late")), path)
      val before = GoldenAnswers.of(read(path))
      CompactionRun(ServiceCall(spark, path)).start(planned.flatMap(_.instant)).result()
      assertEquals(GoldenAnswers.of(read(path)), before)
    }
  }
}
