package io.hudilite.spark.read

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{Interpreted, Raised, SharedSession}

import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.spark.sql.DataFrame

/** Rows that lie half in the table and half in files that were there before it. */
class BootstrappedSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark
  private lazy val made = new BootstrappedTable()

  private def read: DataFrame = spark.read.format("hudilite").load(made.table.toString)

  private lazy val wanted: DataFrame =
    spark.createDataFrame(java.util.Arrays.asList(made.rows.collect(): _*), made.rows.schema)

  private def texts(rows: DataFrame): Seq[String] = rows.collect().toSeq.map(_.toString).sorted

  private val columns = Seq("id", "ts", "fare", "nums", "s", "at", "price", "dt")
  private val filters = Seq("true", "ts BETWEEN 100 AND 110", "fare > 850.0", "dt = 'a b'", "dt = 'c%' AND ts < 320",
    "id = 'k0123'", "s.a = 77", "fare IS NULL", "dt = 'dt=a b'", "dt = 'default'", "dt IS NULL")

  private def checkAll(): Unit = {
    def same(selected: Seq[String], expected: Seq[String]): Unit = {
      def each(rows: DataFrame, of: Seq[String]): Seq[String] =
        texts(filters.zipWithIndex.map { case (f, n) => rows.where(f).selectExpr(s"$n" +: of: _*) }.reduce(_ union _))
      assertEquals(each(read, selected), each(wanted, expected))
    }
    same(columns, columns)
    same(Seq("fare", "_hoodie_record_key", "nums[1]"), Seq("fare", "id", "nums[1]"))
    same(Seq("_hoodie_record_key", "dt"), Seq("id", "dt"))
    same(Seq("dt", "s"), Seq("dt", "s"))
  }

  test("rows of skeletons and sources come together, by whichever reader, columns and filters") {
    checkAll()
    SharedSession.withConf("spark.sql.parquet.enableVectorizedReader" -> "false")(checkAll())
    SharedSession.withConf("spark.sql.parquet.columnarReaderBatchSize" -> "7")(checkAll())
    assertEquals(texts(read.selectExpr("count(*)", "min(ts)", "max(ts)", "count(fare)")), Seq("[600,0,599,600]"))
    assertEquals(texts(spark.sql(s"SELECT count(*) FROM hudilite.`${made.table}` VERSION AS OF '00000000000001'")),
      Seq("[600]"))
    val where = read.selectExpr("_hoodie_record_key = concat('k', lpad(ts, 4, '0')) AS same", "_metadata.row_index")
    assertEquals(texts(where.groupBy("same").count()), Seq("[true,600]"))
  }

  private def files(of: Path): Set[String] = {
    val walked = Files.walk(of)
    try walked.toArray.map(p => p.toString -> Files.getLastModifiedTime(p.asInstanceOf[Path])).map(_.toString).toSet
    finally walked.close()
  }

  test("procedures show the partitions and source files that the index names") {
    def call(text: String) = spark.sql(s"CALL hudilite.system.$text").collect().toSeq
    val partitions = call(s"show_bootstrap_partitions(path => '${made.table}')").map(_.getString(0))
    assertEquals(partitions.toSet, read.selectExpr("_hoodie_partition_path").collect().map(_.getString(0)).toSet)
    assertEquals(partitions, partitions.sorted)
    val mapping = call(s"show_bootstrap_mapping(path => '${made.table}')")
    assertEquals(mapping.map(_.getString(0)), partitions)
    assertEquals(mapping.map(_.getString(2)).distinct, Seq(made.source.toString))
    assert(mapping.head.getString(4).endsWith(made.first.getFileName.toString), mapping)
    assertEquals(call(s"show_bootstrap_mapping(path => '${made.table}', desc => true, limit => 1)"), Seq(mapping.last))
    val one = mapping(1)
    assertEquals(call(s"show_bootstrap_mapping(path => '${made.table}', partition_path => '${one.getString(0)}', " +
        s"file_ids => '${one.getString(1)}')"), Seq(one))
    assertEquals(call(s"show_bootstrap_mapping(path => '${made.table}', partition_path => 'nowhere')"), Nil)
    assertEquals(call(s"show_bootstrap_mapping(path => '${made.table}', limit => 0)"), Nil)
  }

  test("writes are refused by name where rows would come to other partitions than those that are there") {
    val before = files(made.table)
    val path = made.table
    Seq(s"DELETE FROM hudilite.`$path` WHERE ts = 1", s"UPDATE hudilite.`$path` SET fare = 1 WHERE ts = 1",
      s"INSERT INTO hudilite.`$path` SELECT 'x', 1L, 1.0D, array(1L), named_struct('a', 1L), NULL, NULL, 'a b'").foreach {
      sql =>
        val error = Raised.by(spark.sql(sql).collect())
        assertEquals(error.parameters.get("feature"), Some("bootstrapped files in the partition 'dt=a b'"),
          s"$sql: ${message(error)}")
        assert(error.parameters("reason").contains("the partition 'a b'"), message(error))
    }
    assertEquals(files(made.table), before)
  }

  test("a source that is gone, or another one, is named") {
    val spoilt = new BootstrappedTable()
    def rows = spark.read.format("hudilite").load(spoilt.table.toString)
    def reason(body: => Any): String = {
      val error = Raised.by(body)
      assertEquals(error.parameters("path"), s"file:${spoilt.first}")
      error.parameters("reason")
    }
    val bytes = Files.readAllBytes(spoilt.first)
    BootstrappedTable.change(spoilt.first, bytes ++ bytes)
    assert(reason(rows.select("fare").collect()).startsWith(s"it has ${2 * bytes.length} bytes"))
    Files.delete(spoilt.first)
    assert(reason(rows.select("fare", "_hoodie_record_key").collect()).startsWith("it is gone"))
    assertEquals(rows.select("_hoodie_record_key").collect().length, 600) // nobody looks for columns of the source
    assertEquals(rows.where("dt = 'c%'").select("fare").collect().length, 300)
  }

  private def message(error: HudiliteException): String = error.asInstanceOf[Throwable].getMessage

  test("run_bootstrap copies whole rows where its selector says so, and no table that is there") {
    val target = made.table.resolveSibling("whole")
    val call = s"CALL hudilite.system.run_bootstrap(table => 'whole', table_type => 'MERGE_ON_READ', " +
      s"bootstrap_path => '${made.source}', base_path => '$target', rowKey_field => 'id', " +
      "partition_path_field => 'dt', options => 'hoodie.datasource.write.hive_style_partitioning=true'"
    val selector = "org.apache.hudi.client.bootstrap.selector.FullRecordBootstrapModeSelector"
    assertEquals(texts(spark.sql(s"$call, selector_class => '$selector')")), Seq("[0]"))
    val taken = spark.read.format("hudilite").load(target.toString)
    assertEquals(texts(taken.selectExpr(columns: _*)), texts(made.rows.selectExpr(columns: _*)))
    val again = Raised.by(spark.sql(s"$call, selector_class => '$selector')").collect())
    assert(message(again).contains(target.toString))
  }
}
