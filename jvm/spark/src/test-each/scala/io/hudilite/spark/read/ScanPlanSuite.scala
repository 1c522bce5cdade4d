package io.hudilite.spark.read

import io.hudilite.config.TableDefinition
import io.hudilite.error.{HudiliteException, InvalidInput}
import io.hudilite.filegroup.BaseFile
import io.hudilite.spark.{GoldenTables, SharedSession}
import io.hudilite.spark.scan.plan.HudiliteScan
import io.hudilite.spark.scan.task.{FileSplit, ScanPartition}

import munit.FunSuite
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{broadcast, col, count, lit, max, min}
import org.apache.spark.sql.types._

/** Filters, columns and limits that are pushed into scans, the files that they leave out, and how that shows. */
class ScanPlanSuite extends FunSuite {

  private val spark = SharedSession.spark
  import spark.implicits._

  private def golden(name: String, options: (String, String)*): DataFrame =
    spark.read.format("hudilite").options(options.toMap).load(GoldenTables.table(name))

  private val schema = new StructType().add("id", LongType).add("day", StringType).add("n", IntegerType)
    .add("name", StringType).add("born", DateType).add("at",
      new StructType().add("x", IntegerType).add("y", StringType))

  private def rows(day: String, from: Long, until: Long): DataFrame = spark.range(from, until).select(col("id"),
    lit(day).as("day"), (col("id") % 7).cast("int").as("n"), col("id").cast("string").as("name"),
    lit("2020-02-03").cast("date").as("born"),
    org.apache.spark.sql.functions.struct(
      col("id").cast("int").as("x"), lit("t").as("y")).as("at"))

  private lazy val table: HandmadeTable = {
    val made = new HandmadeTable(TableDefinition("days", Seq("id"), Seq("day")), schema)
    made.commit("2024-01-01" -> rows("2024-01-01", 0, 100), "2024-01-02" -> rows("2024-01-02", 100, 300))
    made.commit("2024-01-02" -> rows("2024-01-02", 300, 350), "2024-01-03" -> rows("2024-01-03", 350, 400))
    made
  }

  private def filesOpened(frame: DataFrame): Long = {
    frame.collect()
    PlanProbe.metric(frame, "filesOpened")
  }

  test("a filter on the partition column leaves the files of its partitions") {
    val frame = table.read().where("day = '2024-01-02'")
    assertEquals(frame.count(), 250L)
    val read = table.read().where("day = '2024-01-02'")
    assertEquals(filesOpened(read), 2L)
    assertEquals(PlanProbe.metric(read, "filesListed"), 2L)
    assertEquals(PlanProbe.metric(read, "partitionsRead"), 1L)
    assert(PlanProbe.scan(read).scan.description().contains("files 2 in 1 partition,"))
  }

  test("filters on partitions work with ranges, lists, alternatives and their opposites") {
    def opened(filter: String): Long = filesOpened(table.read().where(filter))
    assertEquals(opened("day >= '2024-01-02'"), 3L)
    assertEquals(opened("day in ('2024-01-01', '2024-01-03')"), 2L)
    assertEquals(opened("day = '2024-01-01' or day = '2024-01-03'"), 2L)
    assertEquals(opened("not (day = '2024-01-02')"), 2L)
    assertEquals(opened("day like '2024-01-03%'"), 1L)
    assertEquals(opened("day is null"), 0L)
    assertEquals(opened("day = '2024-01-01' or n = 3"), 4L)
  }

  test("one key opens only the file that holds it, by key range and bloom filter") {
    for (version <- Seq(6, 8, 9)) {
      val all = golden(s"cow-basic-v$version")
      val key = all.select("id").as[String].collect().toSeq.sorted.apply(3)
      val one = all.where(col("id") === key)
      assertEquals(one.collect().length, 1)
      val pruned = PlanProbe.metric(one, "filesPrunedByKeyRange") + PlanProbe.metric(one, "filesPrunedByBloom")
      assertEquals(PlanProbe.metric(one, "filesOpened"), 1L)
      assertEquals(PlanProbe.metric(one, "filesListed") - pruned, 1L)
    }
  }

  test("an absent key opens no file") {
    val none = golden("cow-basic-v9").where("id = 'k1-nowhere'")
    assertEquals(none.collect().length, 0)
    assertEquals(PlanProbe.metric(none, "filesOpened"), 0L)
  }

  test("a complex key prunes when every field is known") {
    val all = golden("cow-complex-key-v9")
    val some = all.select("id", "n2").as[(String, Int)].collect().toSeq.minBy(_.toString)
    val one = all.where(col("id") === some._1 && col("n2") === some._2)
    assertEquals(one.collect().length, 1)
    assertEquals(PlanProbe.metric(one, "filesOpened"), 1L)
    val byKeys = golden("cow-complex-key-v9", "hoodie.enable.data.skipping" -> "false")
    assertEquals(filesOpened(byKeys.where(col("id") === some._1)), PlanProbe.metric(one, "filesListed"))
  }

  test("the record key column finds rows like the key field") {
    val all = golden("cow-complex-key-v9")
    val key = all.select("_hoodie_record_key").as[String].collect().toSeq.min
    val one = all.where(col("_hoodie_record_key") === key)
    assertEquals(one.collect().length, 1)
    assertEquals(PlanProbe.metric(one, "filesOpened"), 1L)
  }

  test("counts, least and greatest values come from footers without a scan") {
    val counted = table.read().agg(count(lit(1)), count("n"), min("id"), max("id"), max("born"), min("n"))
    assertEquals(counted.collect().head.toString, "[400,400,0,399,2020-02-03,0]")
    assertEquals(PlanProbe.scans(counted).size, 0)
    assertEquals(table.read().count(), 400L)
  }

  test("aggregates whose footers are not exact are computed from rows") {
    val text = table.read().agg(max("name"))
    assertEquals(text.collect().head.getString(0), "99")
    assertEquals(PlanProbe.scans(text).size, 1)
    val filtered = table.read().where("n = 3").agg(count(lit(1)))
    assertEquals(filtered.collect().head.getLong(0), (0 until 400).count(_ % 7 == 3).toLong)
    assertEquals(PlanProbe.scans(filtered).size, 1)
    val grouped = table.read().groupBy("day").count()
    assertEquals(grouped.collect().length, 3)
  }

  test("rows of partitions are counted without a scan, where folders decide on all of them") {
    val stored = spark.read.format("hudilite").load(table.path).select("day").collect().map(_.getString(0))
    for ((filter, passes) <- Seq[(String, String => Boolean)]("day = '2024-01-02'" -> (_ == "2024-01-02"),
        "day > '2024-01-01' AND day <> '2024-01-03'" -> (_ == "2024-01-02"),
        "day IN ('2024-01-01', '2024-01-03', NULL)" -> (_ != "2024-01-02"), "day LIKE '2024%'" -> (_ => true),
        "day NOT IN ('2024-01-01', NULL)" -> (_ => false), "day IS NULL" -> (_ => false),
        "NOT (day <=> '2024-01-01')" -> (_ != "2024-01-01"), "day = 'none'" -> (_ => false))) {
      val counted = table.read().where(filter).agg(count(lit(1)), count(lit("x")).as("again"))
      val rows = stored.count(passes)
      assertEquals(counted.collect().head.toString, s"[$rows,$rows]", filter)
      if (!filter.contains("NULL")) assertEquals(PlanProbe.scans(counted).size, 0, filter)
    }
    for (more <- Seq("day = '2024-01-02' AND n = 3", "day = '2024-01-02' OR n = 3", "length(day) = 10")) {
      val counted = table.read().where(more).agg(count(lit(1)))
      assertEquals(counted.collect().head.getLong(0), table.read().where(more).collect().length.toLong, more)
      assertEquals(PlanProbe.scans(counted).size, 1, more)
    }
    val changed = table.read("hoodie.datasource.query.type" -> "incremental",
      "hoodie.datasource.read.begin.instanttime" -> table.beforeLast).where("day = '2024-01-02'")
    assertEquals(changed.count(), 50L)
  }

  test("aggregates of conditions with a bare null in them are computed, which Spark cannot put to a source") {
    val counted = table.read().selectExpr("count_if(n < 3 AND (name = 'a' OR null))", "count_if(n < 3 OR null)",
      "sum(CASE WHEN n < 3 AND null THEN 1 ELSE 0 END)")
    val some = (0 until 400).count(_ % 7 < 3)
    assertEquals(counted.collect().head.toString, s"[0,$some,0]")
  }

  test("a limit opens no more files than hold its rows") {
    val few = table.read().limit(10)
    assertEquals(few.collect().length, 10)
    assertEquals(PlanProbe.metric(few, "filesOpened"), 1L)
    assertEquals(table.read().limit(1000).collect().length, 400)
  }

  test("the optimizer learns rows from commits and a size that shrinks with the columns") {
    val stats = table.read().queryExecution.optimizedPlan.stats
    // Spark 4.3 does not ask for rows unless its cost-based optimizer is on.
    assert(stats.rowCount.forall(_ == BigInt(400)))
    val scan = PlanProbe.scan(table.read()).scan.asInstanceOf[HudiliteScan]
    assertEquals(scan.estimateStatistics().numRows().getAsLong, 400L)
    val narrow = table.read().select("n").queryExecution.optimizedPlan.stats
    assert(narrow.sizeInBytes < stats.sizeInBytes)
    assertEquals(table.read().where("day = '2024-01-03'").select("n").queryExecution.sparkPlan.collectLeaves().size, 1)
  }

  test("only the columns and nested fields asked for are read") {
    val frame = table.read().where("n > 1").select("at.x")
    frame.collect()
    assertEquals(PlanProbe.scan(frame).scan.readSchema().simpleString, "struct<n:int,at:struct<x:int>>")
  }

  test("meta columns and the file id are selectable by name and hidden otherwise") {
    assertEquals(table.read().columns.toSeq, schema.fieldNames.toSeq)
    val named = table.read().select("_hoodie_record_key", "_hoodie_file_name", "_hudilite_file_id", "id")
    assertEquals(named.schema("_hoodie_record_key").nullable, false)
    assertEquals(named.schema("_hudilite_file_id").nullable, false)
    assert(named.collect().forall(r =>
        r.getString(0) == r.getLong(3).toString && r.getString(1).startsWith(r.getString(2) + "_")))
    val shown = table.read("hoodie.datasource.read.meta.columns" -> "true")
    assertEquals(shown.columns.toSeq.take(5), io.hudilite.record.MetaFields.all)
    assertEquals(shown.count(), 400L)
    assertEquals(shown.select("_hudilite_file_id").distinct().count(), 4L)
  }

  test("reads as of an instant see the commits up to it") {
    val first = table.read().select("_hoodie_commit_time").as[String].collect().min
    assertEquals(table.read("as.of.instant" -> first).count(), 300L)
    val iso =
      s"${first.take(4)}-${first.slice(4, 6)}-${first.slice(6, 8)} ${first.slice(8, 10)}:${first.slice(10, 12)}:" +
        s"${first.slice(12, 14)}.${first.drop(14)}"
    assertEquals(table.read("as.of.instant" -> iso).count(), 300L)
    assertEquals(intercept[InvalidInput](table.read("as.of.instant" -> "2001-01-01").count()).condition,
      "TIME_BEFORE_FIRST_COMMIT")
  }

  test("an incremental read delivers only rows of its range") {
    val all = table.read("hoodie.datasource.query.type" -> "incremental",
      "hoodie.datasource.read.begin.instanttime" -> "000")
    assertEquals(all.count(), 400L)
    val last = table.read("hoodie.datasource.query.type" -> "incremental",
      "hoodie.datasource.read.begin.instanttime" -> table.beforeLast)
    assertEquals(last.agg(count(lit(1))).collect().head.getLong(0), 100L)
    assertEquals(last.where("day = '2024-01-03'").select("id").count(), 50L)
  }

  test("columns with one value in a file come out right, alone and beside others") {
    def check(): Unit = {
      assertEquals(
        table.read().select("day").as[String].collect().toSeq.groupBy(identity).map(g => g._1 -> g._2.size),
        Map("2024-01-01" -> 100, "2024-01-02" -> 250, "2024-01-03" -> 50))
      assertEquals(table.read().select("day", "_hoodie_partition_path").distinct().count(), 3L)
      assertEquals(table.read().where("id = 310").select("day").as[String].collect().toSeq, Seq("2024-01-02"))
      assertEquals(table.read().where("name in ('99', '350')").select("day", "_hoodie_partition_path", "id")
          .as[(String, String, Long)].collect().toSet,
        Set(("2024-01-01", "2024-01-01", 99L), ("2024-01-03", "2024-01-03", 350L)))
      val changed = table.read("hoodie.datasource.query.type" -> "incremental",
        "hoodie.datasource.read.begin.instanttime" -> table.beforeLast)
      assertEquals(changed.groupBy("day").count().as[(String, Long)].collect().toSet,
        Set(("2024-01-02", 50L), ("2024-01-03", 50L)))
    }
    check()
    for ((key, value) <- Seq("spark.sql.columnVector.offheap.enabled" -> "true",
        "spark.sql.files.maxPartitionBytes" -> "1000")) {
      spark.conf.set(key, value)
      try check()
      finally spark.conf.unset(key)
    }
  }

  test("an incremental read without a begin says what is missing") {
    val error = intercept[HudiliteException](table.read("hoodie.datasource.query.type" -> "incremental"))
    assertEquals(error.condition, "MISSING_OPTION")
  }

  test("a join with few partitions or keys prunes the files while the query runs") {
    // A filter on the small side makes Spark prune the large one; on local rows it would be evaluated at once.
    val chosen = spark.range(1, 3).selectExpr("concat('2024-01-0', id + 2) AS day", "id AS k").where("k = 1")
    val joined = table.read().join(broadcast(chosen), "day")
    assertEquals(joined.collect().length, 50)
    assertEquals(PlanProbe.metric(joined, "filesOpened"), 1L)

    val big = golden("cow-basic-v9")
    val key = big.select("id").as[String].collect().min
    val byKey =
      big.join(broadcast(spark.range(1, 3).selectExpr(s"if(id = 1, '$key', 'x') AS id", "id AS k").where("k = 1")),
        "id")
    assertEquals(byKey.collect().length, 1)
    assertEquals(PlanProbe.metric(byKey, "filesOpened"), 1L)
  }

  private def base(length: Long): BaseFile = BaseFile("", s"f$length", "f", "0-0-0", "1", length)

  private def lengths(packed: Seq[ScanPartition]): Seq[Seq[Long]] = packed.map(_.splits.map(_.length))

  test("tasks pack small files together and cut large ones") {
    val packed = ScanPartition.pack(Seq(base(10), base(250), base(20), base(0)), maxSplitBytes = 100, openCostBytes = 1)
    assertEquals(lengths(packed), Seq(Seq(100L), Seq(100L), Seq(50L, 20L, 10L, 0L)))
    assertEquals(packed.flatMap(_.splits).collect { case FileSplit(f) if f.fileLength == 250 => f.start }.sorted,
      Seq(0L, 100L, 200L))
  }

  test("tasks come in whole rounds of the cores, with about the same in each") {
    val files = Seq.fill(12)(base(20))
    assertEquals(lengths(ScanPartition.pack(files, 100, 0, cores = 1)).map(_.sum), Seq(80L, 80L, 80L))
    assertEquals(lengths(ScanPartition.pack(files, 100, 0, cores = 2)).map(_.sum), Seq(60L, 60L, 60L, 60L))
  }

  test("files that fill fewer tasks than there are cores are not spread over more") {
    assertEquals(lengths(ScanPartition.pack(Seq.fill(4)(base(20)), 100, 0, cores = 8)).map(_.sum), Seq(80L))
    assertEquals(ScanPartition.pack(Nil, 100, 0, cores = 8), Nil)
  }
}
