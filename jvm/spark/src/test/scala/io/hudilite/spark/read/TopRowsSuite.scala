package io.hudilite.spark.read

import io.hudilite.config.TableDefinition
import io.hudilite.spark.{GoldenTables, Interpreted, SharedSession}

import java.nio.file.Files

import munit.FunSuite
import org.apache.spark.sql.{Column, DataFrame, Row}
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.types.{ArrayType, MapType, StructType}

/** Files that a sort with a limit leaves out, counted, and its rows held against those of a plain sort. */
class TopRowsSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark

  private val Number = 6

  /** Rows of the numbers from `10 * file` on. */
  private def rows(file: Int): DataFrame = spark.range(10L * file, 10L * file + 10).select(
    expr("cast(id AS string) id"), expr("cast(id AS int) n"), expr("id / 4.0D fraction"),
    expr("if(id = 22, double('NaN'), if(id = 31, -0.0D, id / 4.0D)) odd"),
    expr("cast(id - 25 AS decimal(20,3)) price"), expr("date_add(date'2026-01-01', cast(id AS int)) day"),
    expr("timestamp_seconds(id * 3600) at"), expr("concat('k', lpad(id, 3, '0')) code"),
    expr("if(id = 15, 'é', if(id = 45, '\ud83d\ude00', concat('k', lpad(id, 3, '0')))) letters"),
    expr(s"if($file = 3, NULL, id) some"), expr("cast(id div 20 AS int) tie"),
    expr("named_struct('x', id, 'y', cast(id AS string)) place"))

  private def made(parts: Int => String, fields: Seq[String]): HandmadeTable = {
    val table = new HandmadeTable(TableDefinition("top", Seq("id"), partitionItems = fields), rows(0).schema)
    // Times in INT96 have no statistics.
    SharedSession.withConf("spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS")(
      (0 until Number).foreach(n => table.commit(parts(n) -> rows(n))))
    table
  }

  private lazy val table: HandmadeTable = made(_ => "", Nil)
  private lazy val inPartitions: HandmadeTable = made(n => s"${n / 2}", Seq("tie"))

  private def read(path: String, options: (String, String)*): DataFrame =
    spark.read.format("hudilite").options(options.toMap).load(path)

  private lazy val local: DataFrame = {
    val all = (0 until Number).map(rows).reduce(_ union _)
    spark.createDataFrame(java.util.Arrays.asList(all.collect(): _*), all.schema)
  }

  private def values(frame: DataFrame, of: Seq[Column]): Seq[Row] = frame.select(of: _*).collect().toSeq

  private def opened(frame: DataFrame): Long = {
    frame.collect()
    PlanProbe.metric(frame, "filesOpened")
  }

  for ((order, limit, files) <- Seq(("n", 3, 1), ("n DESC", 3, 1), ("n DESC", 10, 1), ("n DESC", 11, 2), ("n", 60, 6),
      ("n", 1000, 6), ("fraction DESC", 1, 1), ("price", 12, 2), ("day DESC", 5, 1), ("at", 5, 1), ("code DESC", 5, 1),
      ("letters", 5, 1), ("odd DESC", 1, 2), ("odd", 1, 3), ("some NULLS FIRST", 5, 1), ("some NULLS FIRST", 11, 2),
      ("some DESC NULLS FIRST", 11, 2), ("some NULLS LAST", 5, 1), ("some NULLS LAST", 50, 5),
      ("some NULLS LAST", 51, 6),
      ("tie, n DESC", 3, 2), ("tie DESC, n", 25, 4), ("place.x", 4, 1), ("n + 1", 3, 6), ("abs(n), n", 3, 6)))
    test(s"the first $limit by $order open $files of $Number files") {
      def first(frame: DataFrame): DataFrame = frame.orderBy(order.split(", ").map(ordered).toSeq: _*).limit(limit)
      val keys = order.split(", ").map(o => expr(o.split(" (DESC|NULLS)").head)).toSeq
      val frame = first(read(table.path))
      val found = spark.createDataFrame(java.util.Arrays.asList(frame.collect(): _*), local.schema)
      assertEquals(values(found, keys), values(first(local), keys))
      assertEquals(PlanProbe.metric(frame, "filesOpened"), files.toLong)
      assertEquals(PlanProbe.metric(frame, "filesPrunedByOrder"), (Number - files).toLong)
      val told = PlanProbe.scan(frame).scan.description()
      if (files < Number) {
        assert(told.contains(s"files $Number in 1 partition -> $files by order"), told)
        val unsaid = if (order.contains("DESC")) " NULLS LAST" else " NULLS FIRST"
        assert(told.contains(s", first $limit by ${order.split(",").head.stripSuffix(unsaid)}"), told)
      }
    }

  private def ordered(text: String): Column = {
    val column = expr(text.split(" (DESC|NULLS)").head)
    (text.contains("DESC"), text.contains("NULLS FIRST"), text.contains("NULLS LAST")) match {
      case (true, true, _) => column.desc_nulls_first
      case (true, _, _) => column.desc
      case (_, _, true) => column.asc_nulls_last
      case _ => column.asc
    }
  }

  test("an offset is counted along, and an order without a limit, or an option, has all files read") {
    val sorted = read(table.path).orderBy(col("n").desc)
    assertEquals(sorted.collect().length, 60)
    assertEquals(PlanProbe.metric(sorted, "filesPrunedByOrder"), 0L)
    assertEquals(opened(read(table.path, "hoodie.enable.data.skipping" -> "false").orderBy("n").limit(3)), 6L)
    read(table.path).createOrReplaceTempView("top_rows")
    val after = spark.sql("SELECT n FROM top_rows ORDER BY n LIMIT 5 OFFSET 8")
    assertEquals(after.collect().map(_.getInt(0)).toSeq, Seq(8, 9, 10, 11, 12))
    assertEquals(PlanProbe.metric(after, "filesOpened"), 2L)
  }

  for ((filter, files) <- Seq("n >= 20" -> 1, "n >= 25" -> 2, "n >= 20 AND fraction IS NOT NULL" -> 1, "n < 25" -> 1,
      "n % 2 = 1" -> 6, "some IS NOT NULL" -> 1, "code LIKE 'k%'" -> 1, "code LIKE '%9'" -> 6,
      "n IN (5, 42, NULL)" -> 2,
      "n > 15 AND n % 7 >= 0" -> 5))
    test(s"of rows with $filter the first three open $files files") {
      def first(frame: DataFrame): DataFrame =
        frame.where(filter).select(col("n").as("number"), col("code")).orderBy("number").limit(3)
      val frame = first(read(table.path))
      assertEquals(frame.collect().toSeq, first(local).collect().toSeq)
      assertEquals(PlanProbe.metric(frame, "filesOpened"), files.toLong)
    }

  test("a partition column orders files by their folders, and a filter on it promises their rows") {
    def first(frame: DataFrame): DataFrame = frame.orderBy(col("tie").desc, col("n").desc).limit(4)
    val byFolder = first(read(inPartitions.path))
    assertEquals(byFolder.select("n").collect().map(_.getInt(0)).toSeq, Seq(59, 58, 57, 56))
    assertEquals(opened(first(read(inPartitions.path))), 2L)
    val filtered = read(inPartitions.path).where("tie = 1").orderBy(col("n").desc).limit(4).select("n")
    assertEquals(filtered.collect().map(_.getInt(0)).toSeq, Seq(39, 38, 37, 36))
    assertEquals(PlanProbe.metric(filtered, "filesOpened"), 1L)
    val two = read(inPartitions.path).where("tie IN (0, 2) AND n > 3").orderBy("n").limit(10).select("n")
    assertEquals(two.collect().map(_.getInt(0)).toSeq, (4 to 13))
    assertEquals(PlanProbe.metric(two, "filesOpened"), 2L)
  }

  test("a join with the first rows, and an aggregate of them, see these alone") {
    val first = read(table.path).orderBy(col("n").desc).limit(5)
    val joined =
      first.join(read(table.path).select(col("n").as("m"), col("code").as("c")), expr("n = m AND c > 'k056'"))
    assertEquals(joined.select("n").collect().map(_.getInt(0)).toSeq.sorted, Seq(57, 58, 59))
    assertEquals(first.selectExpr("count(*)", "min(n)", "max(n)").collect().toSeq, Seq(Row(5L, 55, 59)))
    read(table.path).createOrReplaceTempView("top_rows")
    assertEquals(
      spark.sql("""SELECT (SELECT sum(n) FROM top_rows),
      |(SELECT sum(n) FROM (SELECT n FROM top_rows ORDER BY n LIMIT 2)),
      |(SELECT sum(n) FROM (SELECT n FROM top_rows ORDER BY n DESC LIMIT 2)),
      |(SELECT count(n) FROM (SELECT n FROM top_rows WHERE n > 10 ORDER BY n DESC LIMIT 2))""".stripMargin)
        .collect().toSeq, Seq(Row(1770L, 1L, 117L, 2L)))
  }

  test("the greatest counts are those of the groups, not of the rows") {
    read(table.path).createOrReplaceTempView("top_rows")
    assertEquals(
      spark.sql("SELECT tie, count(*) c FROM top_rows GROUP BY tie ORDER BY tie DESC LIMIT 1").collect().toSeq,
      Seq(Row(2, 20L)))
    assertEquals(spark.sql("SELECT max(n) c FROM top_rows ORDER BY c LIMIT 1").collect().toSeq, Seq(Row(59)))
    assertEquals(spark.sql("SELECT DISTINCT tie FROM top_rows ORDER BY tie LIMIT 2").collect().toSeq,
      Seq(Row(0), Row(1)))
  }

  test("rows that log files delete or move do not count") {
    val path = Files.createTempDirectory("hudilite-top").resolve("table").toString
    def write(frame: DataFrame, operation: String): Unit = frame.write.format("hudilite").options(Map(
        "hoodie.table.name" -> "top", "hoodie.datasource.write.table.type" -> "MERGE_ON_READ",
        "hoodie.datasource.write.recordkey.field" -> "id", "hoodie.datasource.write.operation" -> operation,
        "hoodie.datasource.write.partitionpath.field" -> "part", "hoodie.compact.inline" -> "false"))
      .mode("append").save(path)
    def part(file: Int): DataFrame = rows(file).withColumn("part", expr(s"'p$file'"))
    for (n <- 0 until 4) write(part(n).coalesce(1), "bulk_insert")
    def first(order: Column, limit: Int): DataFrame = read(path).orderBy(order).limit(limit).select("n")
    def found(order: Column, limit: Int): Seq[Int] = first(order, limit).collect().map(_.getInt(0)).toSeq
    assertEquals(opened(first(col("n"), 3)), 1L)
    write(part(0).where("n < 9"), "delete")
    assertEquals(found(col("n"), 3), Seq(9, 10, 11))
    write(part(2).where("n = 25").withColumn("n", expr("-7")), "upsert")
    assertEquals(found(col("n"), 3), Seq(-7, 9, 10))
    write(part(3).where("n > 30").withColumn("n", expr("5")), "upsert")
    assertEquals(found(col("n").desc, 3), Seq(30, 29, 28))
    assertEquals(opened(first(col("n"), 3)), 4L)
    assertEquals(opened(read(path, "hoodie.datasource.query.type" -> "read_optimized").orderBy("n").limit(3)), 1L)
    val changes = read(path, "hoodie.datasource.query.type" -> "incremental",
      "hoodie.datasource.read.begin.instanttime" -> "0").orderBy("n").limit(3).select("n")
    assertEquals(changes.collect().map(_.getInt(0)).toSeq, Seq(-7, 5, 5))
  }

  private def atomic(schema: StructType): Seq[String] = schema.fields.toSeq.filter(_.dataType match {
    case _: StructType | _: ArrayType | _: MapType => false
    case _ => true
  }).map(_.name)

  for (name <- Seq("metadata-table-v6", "metadata-table-v8", "metadata-table-v9", "metadata-indexes-v9",
      "savepoint-rollback-v9", "columns-by-id-cow-v8", "columns-by-id-mor-v9", "all-types-v6", "partial-updates-v9"))
    test(s"$name: the first rows by any column are those of a plain sort") {
      val skipping = read(GoldenTables.table(name), "hoodie.metadata.enable" -> "true")
      val whole = read(GoldenTables.table(name), "hoodie.enable.data.skipping" -> "false")
      val local = spark.createDataFrame(java.util.Arrays.asList(whole.collect(): _*), whole.schema)
      for (column <- atomic(whole.schema); order <- Seq(col(column).asc_nulls_last, col(column).desc_nulls_first)) {
        def first(frame: DataFrame, limit: Int): Seq[String] =
          frame.orderBy(order).limit(limit).select(col(column).cast("string")).collect().map(_.getString(0)).toSeq
        val plain = first(local, 3)
        for (limit <- Seq(1, 3)) assertEquals(first(skipping, limit), plain.take(limit), s"$order of $name")
      }
    }
}
