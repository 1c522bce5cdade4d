package io.hudilite.spark.read

import io.hudilite.config.TableDefinition
import io.hudilite.spark.{GoldenTables, Interpreted, SharedSession}

import munit.FunSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, expr, lit, not}
import org.apache.spark.sql.types.{ArrayType, BinaryType, MapType, StructType}

/** Files that scans leave out by statistics of columns that are no keys, counted. */
class StatisticsPruningSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark

  private val Files = 6

  /** Rows of the numbers from `10 * file` on. */
  private def rows(file: Int): DataFrame = spark.range(10L * file, 10L * file + 10).select(
    expr("cast(id AS string) id"), expr("cast(id AS int) n"), expr("id / 4.0D fraction"),
    expr("cast(id AS decimal(20,3)) price"), expr("date_add(date'2026-01-01', cast(id AS int)) day"),
    expr("timestamp_seconds(id * 3600) at"), expr("concat('k', lpad(id, 3, '0')) code"),
    expr(s"if($file = 3, NULL, id) some"), expr("named_struct('x', id, 'y', cast(id AS string)) place"))

  private lazy val table: HandmadeTable = {
    val made = new HandmadeTable(TableDefinition("skipped", Seq("id")), rows(0).schema)
    // Times in INT96 have no statistics.
    SharedSession.withConf("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS")(
      (0 until Files).foreach(n => made.commit("" -> rows(n))))
    made
  }

  private def opened(frame: DataFrame): Long = {
    frame.collect()
    PlanProbe.metric(frame, "filesOpened")
  }

  private def read(options: (String, String)*): DataFrame =
    spark.read.format("hudilite").options(options.toMap).load(table.path)

  for ((filter, files) <- Seq("n = 25" -> 1, "n IN (5, 7, 41)" -> 2, "n < 10 OR n >= 50" -> 2, "NOT (n < 50)" -> 1,
      "n > 5 AND fraction < 3.0" -> 2, "n = 25 AND fraction > 10" -> 0, "fraction = 12.25" -> 1,
      "price BETWEEN 19.5 AND 20" -> 1, "day = date'2026-01-15'" -> 1, "day > date'2026-02-25'" -> 1,
      "at < timestamp'1970-01-01 05:00:00Z'" -> 1, "code LIKE 'k03%'" -> 1, "code LIKE '%3'" -> Files,
      "some IS NULL" -> 1, "some IS NULL OR some = 0" -> 2, "some IS NOT NULL AND n BETWEEN 30 AND 45" -> 1,
      "place.x = 33" -> 1, "place.y = '44'" -> 2, "n + 1 = 25" -> Files, "n = 99 OR rand() < 2" -> Files))
    test(s"$filter opens $files of $Files files") {
      val expected = (0 until Files).map(rows).reduce(_ union _).where(filter).count()
      val frame = read().where(filter)
      assertEquals(frame.collect().length.toLong, expected)
      assertEquals(PlanProbe.metric(frame, "filesOpened"), files.toLong)
      if (files < Files) {
        assertEquals(PlanProbe.metric(frame, "filesPrunedByStatistics"), (Files - files).toLong)
        val told = PlanProbe.scan(frame).scan.description()
        assert(told.contains(s"files $Files in 1 partition -> $files by statistics"), told)
      }
    }

  test("an option has files read in which no row passes, as before") {
    val frame = read("hoodie.enable.data.skipping" -> "false").where("n = 25")
    assertEquals((frame.count(), opened(read("hoodie.enable.data.skipping" -> "false").where("n = 25"))), (1L, 6L))
    assert(!frame.queryExecution.toString.contains("by statistics"))
  }

  test("a slice with log files stays, of which nothing is known without a metadata table") {
    val logged = new LoggedTable(Some(rows(0)), rows(0).schema, None)
    assertEquals(opened(spark.read.format("hudilite").load(logged.path).where("n = 99")), 0L)
    val path = java.nio.file.Files.createTempDirectory("hudilite-skipped").resolve("table").toString
    def write(frame: DataFrame, operation: String): Unit = frame.write.format("hudilite").options(Map(
        "hoodie.table.name" -> "skipped", "hoodie.datasource.write.table.type" -> "MERGE_ON_READ",
        "hoodie.datasource.write.recordkey.field" -> "id", "hoodie.datasource.write.operation" -> operation,
        "hoodie.compact.inline" -> "false")).mode("append").save(path)
    write(rows(0).coalesce(1), "insert")
    write(rows(0).where("n = 3").withColumn("n", lit(99)), "upsert")
    val frame = spark.read.format("hudilite").load(path)
    assertEquals(frame.where("n = 99").select("id").collect().map(_.getString(0)).toSeq, Seq("3"))
    assertEquals(frame.where("n = 3").count(), 0L)
  }

  private def atomic(schema: StructType): Seq[String] = schema.fields.toSeq.filter(_.dataType match {
    case _: StructType | _: ArrayType | _: MapType | BinaryType => false
    case _ => true
  }).map(_.name)

  for (name <- Seq("metadata-table-v6", "metadata-table-v8", "metadata-table-v9", "metadata-indexes-v9",
      "savepoint-rollback-v9", "columns-by-id-cow-v8", "columns-by-id-mor-v9", "all-types-v6", "partial-updates-v9"))
    test(s"$name: a filter on any column finds the rows that it finds without statistics") {
      def of(options: (String, String)*): DataFrame =
        spark.read.format("hudilite").options(options.toMap).load(GoldenTables.table(name))
      val skipping = of("hoodie.metadata.enable" -> "true")
      val whole = of("hoodie.enable.data.skipping" -> "false")
      val all = whole.collect()
      val local = spark.createDataFrame(java.util.Arrays.asList(all: _*), whole.schema)
      val filters = for {
        column <- atomic(whole.schema)
        at = whole.schema.fieldIndex(column)
        value = lit(all.map(_.get(at)).filter(_ != null).sortBy(_.toString).headOption.orNull)
        filter <- Seq(col(column) <=> value, col(column) > value && not(col(column).isNull))
      } yield filter
      val found = filters.zipWithIndex.map { case (f, n) => skipping.where(f).select(lit(n)) }.reduce(_ union _)
        .collect().groupBy(_.getInt(0)).map { case (n, rows) => n -> rows.length }
      val holds = local.select(filters: _*).collect()
      for ((filter, n) <- filters.zipWithIndex)
        assertEquals(found.getOrElse(n, 0), holds.count(row => !row.isNullAt(n) && row.getBoolean(n)),
          s"$filter of $name")
    }

  test("statistics of the metadata table leave out files whose footers are not asked") {
    for (version <- Seq(6, 8, 9)) {
      val frame = spark.read.format("hudilite").option("hoodie.metadata.enable", "true")
        .load(GoldenTables.table(s"metadata-table-v$version"))
      val least = frame.selectExpr("min(n)").head().get(0)
      val none = frame.where(col("n") < lit(least))
      assertEquals(opened(none), 0L)
      assertEquals(PlanProbe.metric(none, "filesPrunedByStatistics"), 3L)
      assertEquals(opened(frame.where(col("n") <= lit(least))), 1L)
    }
  }
}
