package io.hudilite.spark.stage

import io.hudilite.error.CommitConflict
import io.hudilite.spark.SharedSession
import io.hudilite.spark.read.PlanProbe

import java.nio.file.Files
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.execution.hudilite.{LostShuffles, SharedRowsExec}
import org.apache.spark.sql.expressions.UserDefinedFunction
import org.apache.spark.sql.functions.{col, concat, lit, lpad, rand, udf, when}
import org.apache.spark.sql.hudilite.Datasets

import munit.FunSuite

import scala.concurrent.duration.{Duration, DurationInt}

/** How often a write evaluates its source, and what it does when the rows are lost. */
class EvaluatedOnceSuite extends FunSuite {

  import EvaluatedOnceSuite._

  override val munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark
  private val options = Map(
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.precombine.field" -> "ts")

  private def write(rows: DataFrame, path: String, operation: String, more: (String, String)*): Unit =
    rows.write.format("hudilite").options(options ++ more).option("hoodie.datasource.write.operation", operation)
      .mode(SaveMode.Append).save(path)

  private def table(tableType: String): String = {
    val path = Files.createTempDirectory("hudilite-once").resolve("t").toString
    write(spark.range(TableRows.toLong).selectExpr("concat('k', lpad(id, 6, '0')) id", "1L ts", "'old' v"), path,
      "bulk_insert", "hoodie.datasource.write.table.type" -> tableType)
    path
  }

  private def withKeys(rows: DataFrame): DataFrame =
    rows.select(anyKey(col("n")).as("id"), lit(2L).as("ts"), lit("new").as("v"))

  private def numbers: DataFrame = spark.range(SourceRows.toLong).toDF("n")

  /** Rows that Spark needs no exchange for, and rows that it does. */
  private val sources: Seq[(String, () => (DataFrame, Int))] = Seq(
    "two partitions" -> (() => withKeys(numbers) -> SourceRows),
    "one partition" -> (() => withKeys(numbers.coalesce(1)) -> SourceRows),
    "an aggregate without keys" -> (() => withKeys(numbers.selectExpr("sum(n) n")) -> 1))

  private val settings: Seq[Seq[(String, String)]] = for {
    adaptive <- Seq("true", "false")
    reuse <- Seq("true", "false")
  } yield Seq("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.exchange.reuse" -> reuse)

  private def assertOnce(path: String, rows: Int)(action: => Unit): Unit = {
    evaluated.set(0)
    action
    assertEquals(evaluated.get, rows.toLong)
    val read = spark.read.format("hudilite").load(path)
    assertEquals(read.count(), read.select("id").distinct().count(), "a key twice")
  }

  for (set <- settings; (name, source) <- sources)
    test(s"an upsert evaluates its source once: $name, ${set.map { case (k, v) => s"$k=$v" }.mkString(", ")}") {
      SharedSession.withConf(set: _*) {
        val path = table("COPY_ON_WRITE")
        val (rows, count) = source()
        assertOnce(path, count)(write(rows, path, "upsert"))
      }
    }

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"); set <- Seq(settings.head, settings.last))
    test(s"so do a delete, a MERGE and an upsert that does not combine, $tableType, ${set.map(_._2).mkString(", ")}") {
      SharedSession.withConf(set: _*) {
        val path = table(tableType)
        assertOnce(path, SourceRows)(write(withKeys(numbers.coalesce(1)), path, "delete"))
        withKeys(numbers.coalesce(1)).dropDuplicates("id").createOrReplaceTempView("once")
        assertOnce(path, SourceRows)(spark.sql(s"MERGE INTO hudilite.`$path` t USING once s ON t.id = s.id " +
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"))
        val other = table(tableType)
        assertOnce(other, 1)(
          write(withKeys(numbers.limit(1)), other, "upsert", "hoodie.combine.before.upsert" -> "false"))
      }
    }

  for ((tableType, set) <- Seq("COPY_ON_WRITE" -> settings.head, "MERGE_ON_READ" -> settings.last))
    test("many rows that come out different each time are written as they were looked up though nothing is combined, " +
      s"$tableType, ${set.map(_._2).mkString(", ")}") {
      SharedSession.withConf(set: _*) {
        val path = table(tableType)
        // Half of them of keys that are there, and half of new ones; the other columns are made up as they go.
        val frame = numbers.coalesce(1).select(
          concat(when(col("n") % 2 === 0, lit("k")).otherwise(lit("n")), lpad(col("n").cast("string"), 6, "0")).as(
            "id"),
          (rand() * 1000).cast("long").plus(2).as("ts"), anyKey(col("n")).as("v"))
        assertOnce(path, SourceRows)(write(frame, path, "upsert", "hoodie.combine.before.upsert" -> "false"))
        val read = spark.read.format("hudilite").load(path)
        assertEquals(read.count(), TableRows + SourceRows / 2L)
        assertEquals(read.where("v <> 'old' AND ts > 1").count(), SourceRows.toLong)
      }
    }

  test("a MERGE that Spark joins evaluates its source once, too") {
    val path = table("COPY_ON_WRITE")
    withKeys(numbers.coalesce(1)).dropDuplicates("id").createOrReplaceTempView("joined")
    assertOnce(path, SourceRows)(spark.sql(s"MERGE INTO hudilite.`$path` t USING joined s " +
        "ON t.id = s.id AND t.ts < s.ts OR t.id = concat(s.id, '') " +
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"))
  }

  /** Reads shared rows twice, the second time after what was written is lost. */
  private def readTwice(rows: DataFrame): (Long, Long) =
    SharedSession.withConf("spark.sql.adaptive.enabled" -> "false") {
      val plan = rows.queryExecution.analyzed
      val executed = Datasets.ofRows(spark, SharedRows(Seq(plan.output.head), plan)).queryExecution.executedPlan
      val shared = PlanProbe.nodes(executed).collectFirst { case s: SharedRowsExec => s }.get
      val read = shared.execute().map(_ => 1)
      val first = read.count()
      LostShuffles.lose(shared)
      first -> read.count()
    }

  private def lost(action: => Unit): Unit = {
    val failure = intercept[Throwable](action)
    val causes = Iterator.iterate(failure)(_.getCause).takeWhile(_ != null).toSeq
    assert(causes.exists { case c: CommitConflict => c.condition == "SOURCE_ROWS_LOST"; case _ => false },
      causes.mkString("\n"))
  }

  test("lost rows are evaluated again where they come out the same, and elsewhere the job fails") {
    val folder = Files.createTempDirectory("hudilite-once").resolve("files").toString
    numbers.write.parquet(folder)
    val files = spark.read.parquet(folder)
    for (rows <- Seq(numbers, files.where("n > 10"), files.join(numbers, "n"), files.groupBy("n").count()))
      assertEquals(readTwice(rows), rows.count() -> rows.count())
    val unordered = files.repartition(3, col("n"))
    for (rows <- Seq(withKeys(numbers), files.selectExpr("n", "rand()"), unordered.limit(50),
        files.groupBy().agg("n" -> "first"), spark.createDataFrame(files.rdd, files.schema)))
      lost(readTwice(rows))
  }

  for (adaptive <- Seq("true", "false"))
    test(s"a write whose source is lost on the way changes nothing, adaptive = $adaptive") {
      // A join that has the source broadcast reads no shuffle of it any more, and has nothing to lose.
      SharedSession.withConf("spark.sql.adaptive.enabled" -> adaptive, "spark.sql.autoBroadcastJoinThreshold" -> "-1") {
        val path = table("COPY_ON_WRITE")
        shufflesBefore = LostShuffles.known
        loses.set(true)
        spark.udf.register("lose", isOldUnlessLost)
        withKeys(numbers).dropDuplicates("id").createOrReplaceTempView("lossy")
        lost(spark.sql(s"MERGE INTO hudilite.`$path` t USING lossy s ON t.id = s.id " +
            "WHEN MATCHED AND lose(t.v) THEN UPDATE SET *"))
        val read = spark.read.format("hudilite").load(path)
        assertEquals((read.count(), read.where("v = 'new'").count()), (TableRows.toLong, 0L))
      }
    }
}

/** State of the tests' functions, which must not take the suite along. */
object EvaluatedOnceSuite {

  private val TableRows = 500
  private val SourceRows = 200

  private val evaluated = new AtomicLong
  private val loses = new AtomicBoolean
  @volatile private var shufflesBefore = Set.empty[Int]

  /** Another key each time, half of them among those of the table. */
  private val anyKey: UserDefinedFunction = udf { (_: Long) =>
    evaluated.incrementAndGet()
    f"k${scala.util.Random.nextInt(2 * TableRows)}%06d"
  }.asNondeterministic()

  /** The first call finds that all is lost which the write has put by so far. */
  private val isOldUnlessLost: UserDefinedFunction = udf { (v: String) =>
    if (loses.getAndSet(false)) LostShuffles.failToRead(LostShuffles.known -- shufflesBefore)
    v == "old"
  }
}
