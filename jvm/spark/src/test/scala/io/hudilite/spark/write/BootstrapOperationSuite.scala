package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, Raised, SharedSession}

import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.spark.sql.DataFrame

/** The operation `bootstrap`: a new table of the rows in Parquet files that are there. */
class BootstrapOperationSuite extends FunSuite with Interpreted {

  private val spark = SharedSession.spark
  private val Selectors = "org.apache.hudi.client.bootstrap.selector."
  private val Whole = "hoodie.bootstrap.mode.selector" -> s"${Selectors}FullRecordBootstrapModeSelector"
  private val ByRegex = "hoodie.bootstrap.mode.selector" -> s"${Selectors}BootstrapRegexModeSelector"
  private val Regex = "hoodie.bootstrap.mode.selector.regex"
  private val folder = Files.createTempDirectory("hudilite-bootstrap").toRealPath()

  private lazy val source: Path = {
    val at = folder.resolve("a source+%")
    SharedSession.withConf("spark.sql.parquet.outputTimestampType" -> "INT96") {
      spark.range(50).selectExpr("concat('k', id) AS Id", "id AS ts", "array(id, NULL) AS nums",
        "map('a', named_struct('b', CAST(id AS DECIMAL(20, 3)))) AS m", "timestamp_seconds(id * 86400) AS at",
        "CASE WHEN id < 20 THEN 'a b' WHEN id < 40 THEN 'c%:' END AS dt")
        .write.partitionBy("dt").parquet(at.toString)
    }
    at
  }

  private def rows: DataFrame = spark.read.parquet(source.toString)

  private def bootstrap(to: String, options: (String, String)*)(from: DataFrame, mode: String = "overwrite"): Path = {
    val target = folder.resolve(to)
    from.write.format("hudilite").option("hoodie.datasource.write.operation", "BOOTSTRAP")
      .option("hoodie.table.name", "taken").option("hoodie.datasource.write.recordkey.field", "Id")
      .option("hoodie.datasource.write.partitionpath.field", "dt")
      .option("hoodie.bootstrap.base.path", source.toString).option("hoodie.bootstrap.parallelism", "4")
      .option("hoodie.datasource.write.hive_style_partitioning", "true")
      .option("hoodie.datasource.write.partitionpath.urlencode", "true")
      .options(options.toMap).mode(mode).save(target.toString)
    target
  }

  private def texts(frame: DataFrame): Seq[String] = frame.collect().toSeq.map(_.toString).sorted

  private val columns = Seq("Id", "ts", "nums", "m", "at", "dt")

  private def holdsAll(table: Path): Unit = {
    val read = spark.read.format("hudilite").load(table.toString)
    assertEquals(texts(read.selectExpr(columns: _*)), texts(rows.selectExpr(columns: _*)))
    assertEquals(texts(read.selectExpr("_hoodie_record_key", "_hoodie_partition_path")),
      texts(rows.selectExpr("Id",
          "concat('dt=', CASE WHEN dt = 'c%:' THEN 'c%25%3A' WHEN dt IS NULL THEN '__HIVE_DEFAULT_PARTITION__' ELSE dt END)")))
  }

  test("whole rows are copied, whichever way their partitions are selected") {
    val before = BootstrappedWritesSuite.state(source)
    holdsAll(bootstrap("whole", Whole,
        "hoodie.bootstrap.keygen.class" -> "org.apache.hudi.keygen.SimpleKeyGenerator")(spark.emptyDataFrame))
    holdsAll(bootstrap("whole", Whole)(rows.limit(0))) // a table that is there is replaced
    holdsAll(bootstrap("matching", ByRegex, Regex -> "dt=.*", s"$Regex.mode" -> "full_record")(spark.emptyDataFrame))
    holdsAll(bootstrap("others", ByRegex, Regex -> "nothing")(spark.emptyDataFrame))
    holdsAll(bootstrap("new", Whole, "hoodie.datasource.write.table.type" -> "MERGE_ON_READ")(spark.emptyDataFrame,
        "append"))
    assertEquals(BootstrappedWritesSuite.state(source), before)
  }

  test("what is no bootstrap of whole rows is refused before anything is made") {
    def refused(options: (String, String)*)(from: DataFrame = spark.emptyDataFrame): String = {
      val error = Raised.by(bootstrap("none", options: _*)(from))
      assert(!Files.exists(folder.resolve("none")))
      error.asInstanceOf[Throwable].getMessage
    }
    assert(refused()().contains("meta columns alone"))
    assert(refused(ByRegex, Regex -> "dt=a.*")().contains("'dt=a b'"))
    assert(refused(ByRegex, Regex -> "dt=a.*", s"$Regex.mode" -> "FULL_RECORD")().contains("'dt=__HIVE"))
    assert(refused(ByRegex, Regex -> "(")().contains(Regex))
    assert(refused(Whole)(rows.limit(1)).contains("the DataFrame has rows"))
    assert(refused(Whole, "hoodie.bootstrap.base.path" -> "")().contains("hoodie.bootstrap.base.path is missing"))
    assert(refused(Whole, "hoodie.bootstrap.partitionpath.translator.class" -> "a.B")().contains("translator"))
    val there = bootstrap("there", Whole)(spark.emptyDataFrame)
    val state = BootstrappedWritesSuite.state(there)
    val again = Raised.by(bootstrap("there", Whole)(spark.emptyDataFrame, "append"))
    assertEquals(again.parameters("path"), s"file:$there")
    assertEquals(BootstrappedWritesSuite.state(there), state)
  }

  test("rows that are written over a bootstrapped table are upserted") {
    val table = bootstrap("upserted", Whole)(spark.emptyDataFrame)
    rows.where("ts < 3").selectExpr("Id", "ts + 100 AS ts", "nums", "m", "at", "dt").write.format("hudilite")
      .option("hoodie.bootstrap.base.path", source.toString).mode("append").save(table.toString)
    assertEquals(texts(spark.read.format("hudilite").load(table.toString).selectExpr("count(*)", "max(ts)")),
      Seq("[50,102]"))
  }
}
