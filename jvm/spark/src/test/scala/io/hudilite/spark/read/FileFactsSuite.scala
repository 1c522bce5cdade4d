package io.hudilite.spark.read

import io.hudilite.error.InvalidInput
import io.hudilite.spark.SharedSession
import io.hudilite.spark.SharedSession.{Compiling, withConf}
import io.hudilite.spark.read.LoggedTable.Data
import io.hudilite.spark.scan.plan.ScanSettings
import io.hudilite.spark.scan.task.{FileFacts, ScanColumns, ScanTask}

import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.spark.sql.{AnalysisException, DataFrame, SaveMode}
import org.apache.spark.sql.types.StructType

import scala.concurrent.duration.{Duration, DurationInt}

/** `_metadata` and `input_file_name()`, held against what Spark's own source says of the same files. */
class FileFactsSuite extends FunSuite {

  override val munitTimeout: Duration = 5.minutes

  private val spark = SharedSession.spark
  import spark.implicits._

  private val facts = Seq("file_path", "file_name", "file_size", "file_block_start", "file_block_length",
    "file_modification_time", "row_index").map(field => s"_metadata.$field")
  private val functions = Seq("input_file_name()", "input_file_block_start()", "input_file_block_length()")

  private def texts(frame: DataFrame): Seq[String] = frame.collect().map(_.mkString("|")).sorted.toSeq

  private def write(path: String, rows: DataFrame, more: (String, String)*): String = {
    rows.write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "day").options(more.toMap).mode(SaveMode.Append).save(path)
    path
  }

  private def folder(): String = Files.createTempDirectory("hudilite-facts").resolve("a table").toString

  private lazy val written: String =
    write(folder(), spark.range(0, 400).selectExpr("id", "concat('day 1%', id % 3) AS day", "id * 2 AS v"))

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  for ((vectorized, generated, bytes) <- Seq((true, true, 1000000), (true, false, 1500), (false, true, 1500)))
    test(s"they are those of Spark's source, vectorized=$vectorized, generated code=$generated, at most $bytes bytes") {
      withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized.toString,
        Compiling, "spark.sql.codegen.wholeStage" -> generated.toString,
        "spark.sql.files.maxPartitionBytes" -> bytes.toString, "spark.sql.files.openCostInBytes" -> "1") {
        val columns = Seq("id", "v") ++ facts ++ functions
        val parquet = spark.read.option("recursiveFileLookup", "true").parquet(
          Files.list(Path.of(written)).filter(f => !f.getFileName.toString.startsWith("."))
            .toArray.map(_.toString).toSeq: _*)
        assertEquals(texts(read(written).selectExpr(columns: _*)), texts(parquet.selectExpr(columns: _*)))
      }
    }

  test("they can be filtered, joined and grouped by, and are not columns of the table") {
    val table = read(written)
    assertEquals(table.columns.toSeq, Seq("id", "day", "v"))
    assertEquals(table.groupBy("_metadata.file_name").count().count(), 3L)
    val one = table.selectExpr("_metadata.file_name AS f").head().getString(0)
    assertEquals(table.where(s"_metadata.file_name = '$one'").count(),
      table.groupBy("_METADATA.file_name").count().where(s"file_name = '$one'").head().getLong(1))
    val joined = table.as("l").join(table.as("r"), "id").where("l._metadata.file_path != r._metadata.file_path")
    assertEquals(joined.count(), 0L)
    assertEquals(table.selectExpr("_metadata").schema.head.dataType.asInstanceOf[StructType].fieldNames.toSeq,
      FileFacts.Struct.fieldNames.toSeq)
    assertEquals(table.orderBy("id").limit(3).selectExpr("id", "_metadata.file_size > 0").collect().map(
        _.toString).toSeq,
      Seq("[0,true]", "[1,true]", "[2,true]"))
    assertEquals(table.selectExpr("_hoodie_file_name = _metadata.file_name AS same").distinct().collect().toSeq
        .map(_.getBoolean(0)), Seq(true))
  }

  test("only what is asked for is read, and nothing more where nothing is") {
    def scanned(frame: DataFrame): String = PlanProbe.scan(frame).scan.readSchema().simpleString
    assertEquals(scanned(read(written).selectExpr("id", "_metadata.file_name")),
      "struct<id:bigint,_metadata:struct<file_name:string>>")
    assertEquals(scanned(read(written).selectExpr("id", "input_file_name()")), "struct<id:bigint>")
    assert(PlanProbe.scan(read(written).selectExpr("_metadata.row_index")).supportsColumnar)
    val plain = ScanTask(io.hudilite.spark.basefile.read.FileRead("/t", StructType.fromDDL("id BIGINT"), Nil, None,
        keysToCheck = false, None, ScanSettings.reader(new StructType(), new StructType())), None)
    val columns = new ScanColumns(plain, Map.empty)
    assert(columns.inBaseFiles eq columns.inSlices)
    assertEquals(columns.inSlices, plain.files)
  }

  test("a column of the table comes first") {
    val own = write(folder(), Seq((1, "a", "mine")).toDF("id", "day", "_metadata"))
    assertEquals(texts(read(own).select("id", "_metadata")), Seq("1|mine"))
    assertEquals(texts(read(own).where("_metadata = 'mine'").selectExpr("id", "input_file_name() LIKE 'file:%'")),
      Seq("1|true"))
  }

  test("a row of a slice with log files is of its base file, without one of the first log file") {
    val schema = StructType.fromDDL("id STRING, ts BIGINT, v STRING")
    val base = Seq(("a", 1L, "old"), ("b", 1L, "old")).toDF("id", "ts", "v").select($"id", $"ts", $"v")
    val table = new LoggedTable(Some(base), schema, Some("ts"))
    table.append(Data(Seq(Seq("b", 2L, "new"), Seq("c", 2L, "new"))))
    val file = table.slice.get.base.get
    for (vectorized <- Seq("true", "false"))
      withConf("spark.sql.parquet.enableVectorizedReader" -> vectorized) {
        assertEquals(texts(table.read().selectExpr("v", "_metadata.file_name", "_metadata.file_size",
              "_metadata.row_index", "id", "replace(input_file_name(), 'file:///', 'file:/') = _metadata.file_path")),
          Seq("old" -> "a", "new" -> "b", "new" -> "c").map { case (v, id) =>
            s"$v|${file.name}|${file.length}|null|$id|true"
          }.sorted)
      }
    val logs = new LoggedTable(None, schema, Some("ts"))
    logs.append(Data(Seq(Seq("a", 1L, "first"))))
    val first = logs.slice.get.logs.head.name
    logs.append(Data(Seq(Seq("b", 1L, "second"))))
    assertEquals(texts(logs.read().selectExpr("id", "_metadata.file_name")), Seq(s"a|$first", s"b|$first"))
  }

  for (tableType <- Seq("COPY_ON_WRITE", "MERGE_ON_READ"))
    test(s"statements that change rows can ask for them, $tableType") {
      val path = write(folder(), Seq((1, "a", 1L), (2, "a", 1L), (3, "b", 1L)).toDF("id", "day", "v"),
        "hoodie.datasource.write.table.type" -> tableType)
      val table = s"hudilite.`$path`"
      val update = s"UPDATE $table SET v = 5 WHERE _metadata.file_name = '${nameOfRow(path, 3)}'"
      if (keptByRewrites) changes(table, path, update)
      else {
        spark.sql(update)
        intercept[AnalysisException](
          spark.sql(s"DELETE FROM $table WHERE _metadata.file_name = '${nameOfRow(path, 1)}' AND id < 3"))
        Seq("_metadata.file_size > 0", "_hoodie_commit_time > '0'").foreach { condition =>
          val merge = s"MERGE INTO $table t USING (SELECT 1 AS id, 'a' AS day, 7L AS v) s"
          Seq(s"$merge ON t.id = s.id AND t.$condition WHEN MATCHED THEN UPDATE SET *",
            s"$merge ON t.id = s.id WHEN MATCHED AND t.$condition THEN UPDATE SET *").foreach { statement =>
            val refused = intercept[InvalidInput](spark.sql(statement))
            assertEquals(refused.condition, "STATEMENT_NOT_SUPPORTED")
            assert(refused.getMessage.contains(condition.takeWhile(c => c == '_' || c.isLetter)), refused.getMessage)
          }
        }
        assertEquals(texts(read(path).select("id", "v")), Seq("1|1", "2|1", "3|5"))
      }
    }

  // Later versions leave out of the plan of a MERGE or DELETE what the writer of its rows does not ask for.
  private def keptByRewrites: Boolean = Seq("3.5", "4.0").exists(line => spark.version.startsWith(line))

  private def changes(table: String, path: String, update: String): Unit = {
    def rows: Seq[String] = texts(read(path).select("id", "v"))
    spark.sql(update)
    assertEquals(rows, Seq("1|1", "2|1", "3|5"))
    val inserts = intercept[InvalidInput](
      spark.sql(s"MERGE INTO $table t USING (SELECT 1 AS id, 'a' AS day, 7L AS v) " +
        "s ON t.id = s.id AND t._metadata.file_size > 0 WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"))
    assertEquals(inserts.condition, "STATEMENT_NOT_SUPPORTED")
    spark.sql(s"MERGE INTO $table t USING (SELECT 1 AS id, 'a' AS day, 7L AS v) s " +
      "ON t.id = s.id WHEN MATCHED AND t._metadata.file_size > 0 THEN UPDATE SET *")
    assertEquals(rows, Seq("1|7", "2|1", "3|5"))
    spark.sql(s"MERGE INTO $table t USING (SELECT 2 AS id, 9L AS v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET " +
      "v = s.v + length(t._metadata.file_name) * 0")
    assertEquals(rows, Seq("1|7", "2|9", "3|5"))
    spark.sql(s"DELETE FROM $table WHERE _metadata.file_name = '${nameOfRow(path, 1)}' AND id < 3")
    assertEquals(rows, Seq("3|5"))
  }

  private def nameOfRow(path: String, id: Int): String =
    read(path).where(s"id = $id").selectExpr("_metadata.file_name").head().getString(0)
}
