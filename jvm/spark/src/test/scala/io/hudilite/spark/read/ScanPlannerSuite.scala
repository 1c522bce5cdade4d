package io.hudilite.spark.read

import io.hudilite.spark.SharedSession
import io.hudilite.spark.basefile.read.ScanFilter
import io.hudilite.spark.row.{SessionConf, SharedConf}
import io.hudilite.spark.scan.plan.{ScanPlanner, ScanSettings, TableState}
import io.hudilite.spark.scan.task.{FileSplit, ScanPartition, ScanReaderFactory, SliceSplit, TaskSizes}
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.{IncrementalRange, Table}

import java.nio.file.Files

import munit.FunSuite
import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String

/** Reads that are planned without a query of Spark's, held against queries. */
class ScanPlannerSuite extends FunSuite {

  private val spark = SharedSession.spark

  private def write(path: String, operation: String, rows: String): Unit =
    spark.sql(rows).write.format("hudilite").options(Map("hoodie.datasource.write.table.type" -> "MERGE_ON_READ",
        "hoodie.table.name" -> "planned", "hoodie.datasource.write.recordkey.field" -> "id",
        "hoodie.datasource.write.partitionpath.field" -> "day", "hoodie.datasource.write.precombine.field" -> "ts",
        "hoodie.datasource.write.operation" -> operation)).mode("append").save(path)

  private lazy val path: String = {
    val made = Files.createTempDirectory("hudilite-planned").resolve("table").toString
    write(made, "insert", "SELECT id, substr('abc', cast(id % 3 AS int) + 1, 1) AS day, 1L AS ts FROM range(90)")
    write(made, "upsert", "SELECT id * 3 AS id, 'a' AS day, 2L AS ts FROM range(10)")
    write(made, "upsert", "SELECT id * 6 + 1 AS id, 'b' AS day, 3L AS ts FROM range(20)") // five of them are new
    write(made, "upsert", "SELECT id * 9 AS id, 'a' AS day, 4L AS ts FROM range(3)")
    made
  }

  private def table: Table = Table.open(new HadoopStorage(new Configuration()), path)

  private lazy val commits: Seq[String] = table.timeline.writes.flatMap(_.completionTime)

  private def planner(range: Option[IncrementalRange], filters: ScanFilter*): ScanPlanner =
    new ScanPlanner(new TableState(table), filters, SessionConf.parquet(spark), range)

  private def tasks(planner: ScanPlanner, columns: StructType): Seq[ScanPartition] =
    planner.tasks(planner.files, columns, TaskSizes(mostBytes = 1L << 27, openCostBytes = 1L << 22, parallelism = 2))

  private def rows(planner: ScanPlanner): Seq[String] = {
    val columns = planner.state.dataSchema
    val job = planner.job(columns, ScanSettings.reader(columns, columns))
    val readers = ScanReaderFactory(job, SharedConf(planner.conf))
    val parts = tasks(planner, columns)
    spark.sparkContext.parallelize(parts, parts.size).flatMap(ScanPlannerSuite.texts(readers, columns, _))
      .collect().toSeq.sorted
  }

  private def texts(query: DataFrame): Seq[String] = query.collect().map(_.mkString("|")).sorted.toSeq

  private def files(parts: Seq[ScanPartition]): Set[String] = parts.flatMap(_.splits).flatMap {
    case FileSplit(range) => Seq(range.relativePath)
    case SliceSplit(slice, _) => slice.base.map(_.relativePath).toSeq ++ slice.logs.map(_.relativePath)
  }.toSet

  private def files(query: DataFrame): Set[String] =
    files(PlanProbe.scan(query).scan.toBatch.planInputPartitions().toSeq.collect { case p: ScanPartition => p })

  private def check(planned: ScanPlanner, query: DataFrame): Unit = {
    assertEquals(rows(planned), texts(query))
    assertEquals(files(tasks(planned, planned.state.dataSchema)), files(query))
  }

  private def incremental(begin: String, end: String): DataFrame = spark.read.format("hudilite").options(Map(
      "hoodie.datasource.query.type" -> "incremental", "hoodie.datasource.read.begin.instanttime" -> begin,
      "hoodie.datasource.read.end.instanttime" -> end)).load(path)

  private val inA = ScanFilter.Comparison(Seq("day"), ScanFilter.Equal, UTF8String.fromString("a"))

  test("a snapshot that is planned without a query has the files and rows of one") {
    val query = spark.read.format("hudilite").load(path)
    check(planner(None), query)
    assertEquals(rows(planner(None)).size, 95)
    check(planner(None, inA), query.where("day = 'a'"))
    assertEquals(planner(None, inA).files.partitions, 1)
  }

  test("ranges of instants are planned one after the other, and have the files and rows of incremental queries") {
    val windows = ("0" +: commits).zip(commits)
    val sizes = for ((begin, end) <- windows) yield {
      val range = Some(IncrementalRange(begin, Some(end)))
      check(planner(range), incremental(begin, end))
      rows(planner(range)).size
    }
    assertEquals(sizes, Seq(90, 10, 20, 3))
  }

  test("a range over several instants has the newest rows of each key, and filters prune it") {
    val range = IncrementalRange(commits.head, Some(commits.last))
    check(planner(Some(range)), incremental(range.begin, commits.last))
    val pruned = planner(Some(range), inA)
    assertEquals(rows(pruned), texts(incremental(range.begin, commits.last).where("day = 'a'")))
    assertEquals(rows(pruned).size, 10)
    assertEquals(files(tasks(pruned, pruned.state.dataSchema)).forall(_.startsWith("a/")), true)
  }
}

object ScanPlannerSuite {

  private def texts(readers: ScanReaderFactory, columns: StructType, part: ScanPartition): List[String] = {
    val reader = readers.createReader(part)
    try
      Iterator.continually(reader.next()).takeWhile(identity).map(_ => reader.get().toSeq(columns).mkString("|")).toList
    finally reader.close()
  }
}
