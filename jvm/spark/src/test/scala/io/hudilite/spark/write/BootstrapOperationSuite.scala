package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, Raised, SharedSession}

import java.nio.file.{Files, Path}

import munit.FunSuite
import org.apache.spark.sql.DataFrame

/** The operation `bootstrap`: a new table of the rows in Parquet files that are there, which are copied or stay in them. */
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

  test("a bootstrap that cannot be done right is refused before anything is made") {
    def refused(
        options: (String, String)*)(from: DataFrame = spark.emptyDataFrame, mode: String = "overwrite"): String = {
      val error = Raised.by(bootstrap("none", options: _*)(from, mode))
      assert(!Files.exists(folder.resolve("none")))
      error.asInstanceOf[Throwable].getMessage
    }
    assert(refused(ByRegex, Regex -> "(")().contains(Regex))
    assert(refused(Whole)(rows.limit(1)).contains("the DataFrame has rows"))
    assert(refused(Whole, "hoodie.bootstrap.base.path" -> "")().contains("hoodie.bootstrap.base.path is missing"))
    assert(refused(Whole, "hoodie.bootstrap.partitionpath.translator.class" -> "a.B")().contains("translator"))
    val spelled = "hoodie.datasource.write.partitionpath.urlencode" -> "false"
    assert(refused(spelled)().contains("in the partition 'dt=c%25%3A' rows cannot stay"))
    assert(refused("hoodie.datasource.write.partitionpath.field" -> "")().contains("its folders tell dt"))
    assert(refused("hoodie.datasource.write.recordkey.field" -> "dt")().contains("is in no file"))
    assert(refused("hoodie.index.type" -> "BUCKET")().contains("bucket index"))
    val inside = Raised.by(bootstrap("a source+%/dt=a b/new")(spark.emptyDataFrame))
    assert(inside.parameters("reason").contains("in the folder of its source"))
    val decoded = "org.apache.hudi.client.bootstrap.translator.DecodedBootstrapPartitionPathTranslator"
    assert(refused("hoodie.bootstrap.partitionpath.translator.class" -> decoded)().contains("paths of their folders"))
    val there = bootstrap("there", Whole)(spark.emptyDataFrame)
    val state = BootstrappedWritesSuite.state(there)
    val again = Raised.by(bootstrap("there", Whole)(spark.emptyDataFrame, "append"))
    assertEquals(again.parameters("path"), s"file:$there")
    assert(Raised.by(bootstrap("there")(spark.emptyDataFrame)).parameters("reason").contains("delete it first"))
    assertEquals(BootstrappedWritesSuite.state(there), state)
  }

  test("sources whose rows cannot stay in them are named before anything is made") {
    def refused(make: Path => Unit, says: String): Unit = {
      val at = Files.createTempDirectory(folder, "odd")
      make(at)
      val state = BootstrappedWritesSuite.state(at)
      val error = Raised.by(bootstrap("none", "hoodie.bootstrap.base.path" -> at.toString)(spark.emptyDataFrame))
      assert(error.asInstanceOf[Throwable].getMessage.contains(says), error.asInstanceOf[Throwable].getMessage)
      assert(!Files.exists(folder.resolve("none")))
      assertEquals(BootstrappedWritesSuite.state(at), state)
    }
    def files(columns: String*)(at: Path): Unit =
      spark.range(2).selectExpr(columns: _*).write.mode("append").parquet(at.resolve("dt=a").toString)
    refused(files("'k' AS Id", "1 AS _hoodie_commit_time"), "the meta column _hoodie_commit_time")
    refused(files("'k' AS Id", "'a' AS dt"), "the partition column dt")
    refused(files("1 AS x"), "Id")
    refused(at => { files("'k' AS Id", "1 AS x")(at); files("1 AS x")(at) }, "Id")
    refused(at => { files("'k' AS Id", "1 AS x")(at); files("'k' AS Id", "2 AS y")(at) }, "which other files lack")
    Seq("odd.csv", "zz.csv").foreach(name =>
      refused(
        at => { files("'k' AS Id", "1 AS x")(at); Files.write(at.resolve(s"dt=a/$name"), Array[Byte](1, 2)) }, name))
    refused(
      at => spark.range(1).selectExpr("'k' AS Id").write.parquet(at.resolve("dt=a/2024").toString), "its folders tell")
    refused(at => spark.range(1).selectExpr("'k' AS Id").write.parquet(at.resolve("dt=01").toString), "'dt=01'")
  }

  Seq("6" -> "COPY_ON_WRITE", "9" -> "MERGE_ON_READ").foreach { case (version, kind) =>
    test(s"rows stay in their files, and are written over: version $version, $kind") {
      val before = BootstrappedWritesSuite.state(source)
      def make(): Path = bootstrap(s"stays$version", "hoodie.datasource.write.table.type" -> kind,
        "hoodie.write.table.version" -> version, "hoodie.metadata.enable" -> "true",
        "hoodie.metadata.global.record.level.index.enable" -> "true")(spark.emptyDataFrame)
      val table = make()
      holdsAll(table)
      val files = BootstrappedWritesSuite.all(table).map(_.toString).filter(_.endsWith(".parquet"))
      assertEquals(files.size, rows.inputFiles.length)
      assert(files.forall(_.endsWith("_00000000000001.parquet")))
      assertEquals(spark.read.parquet(files.head).columns.toSeq, io.hudilite.record.MetaFields.all)
      val state = BootstrappedWritesSuite.state(table)
      def call(text: String): Seq[org.apache.spark.sql.Row] =
        spark.sql(s"CALL hudilite.system.$text").collect().toSeq
      assertEquals(call(s"show_bootstrap_mapping(path => '$table', limit => 100)").map(_.getString(4)).toSet,
        rows.inputFiles.map(file => new org.apache.hadoop.fs.Path(new java.net.URI(file)).toString).toSet)
      assert(call(s"validate_metadata(path => '$table')").isEmpty)
      spark.sql(s"DELETE FROM hudilite.`$table` WHERE ts IN (3, 45)").collect()
      rows.where("ts IN (1, 21)").withColumn("ts", org.apache.spark.sql.functions.expr("-ts")).write.format("hudilite")
        .mode("append").save(table.toString)
      assertEquals(texts(spark.read.format("hudilite").load(table.toString).selectExpr("count(*)", "min(ts)",
            "sum(ts)")),
        Seq(s"[48,-21,${(0 until 50).sum - 48 - 44}]"))
      (1 to 3).foreach { _ =>
        val newest = call(s"show_commits(path => '$table', limit => 1)").head.getString(0)
        call(s"rollback_to_instant(path => '$table', instant_time => '$newest')")
      }
      assert(!BootstrappedWritesSuite.all(table).exists(_.toString.endsWith("_00000000000001.hfile")))
      assertEquals(BootstrappedWritesSuite.all(make()).map(_.toString).count(_.endsWith(".parquet")), files.size)
      holdsAll(table)
      assert(state.size > files.size)
      assertEquals(BootstrappedWritesSuite.state(source), before)
    }
  }

  test("some partitions are copied and others stay, or nothing of both is left") {
    val versions =
      Seq("txnAppId" -> "taker", "txnVersion" -> "1") // of the whole bootstrap, whose second write is not skipped
    val mixed = bootstrap("mixed", ByRegex +: (Regex -> "dt=a.*") +: versions: _*)(spark.emptyDataFrame)
    holdsAll(mixed)
    val names = spark.read.format("hudilite").load(mixed.toString).selectExpr("_metadata.file_name", "dt = 'a b' AS a")
      .distinct().collect().toSeq.map(row => row.getString(0).endsWith("_00000000000001.parquet") -> row.getAs[Any](1))
    assert(names.forall { case (isSkeleton, ofA) => isSkeleton == (ofA == true) }, names.toString)
    def undo(instant: String): Unit = spark.sql(
      s"CALL hudilite.system.rollback_to_instant(path => '$mixed', instant_time => '$instant')").collect().foreach(_ =>
      ())
    def newest: String =
      spark.sql(s"CALL hudilite.system.show_commits(path => '$mixed', limit => 1)").head().getString(0)
    undo(newest) // as a process leaves it that is killed between the two commits
    Seq[() => Any](
      () => spark.sql(s"CALL hudilite.system.run_clustering(path => '$mixed')").collect(),
      () => bootstrap("mixed", ByRegex, Regex -> "dt=a.*")(spark.emptyDataFrame, "append"),
      () => bootstrap("mixed", ByRegex, Regex -> "dt=a.*")(spark.emptyDataFrame, "ignore"),
      () => bootstrap("mixed", ByRegex, Regex -> "dt=a.*")(spark.emptyDataFrame, "overwrite"),
      () => spark.sql(s"DELETE FROM hudilite.`$mixed` WHERE ts = 3"),
      () =>
        rows.limit(1).write.format("hudilite").mode("append").save(mixed.toString)).foreach { use =>
      val message = Raised.by(use()).asInstanceOf[Throwable].getMessage
      assert(message.contains("rows of 2 partitions") && message.contains("rollback_to_instant"), message)
    }
    assertEquals(newest, "00000000000001")
    undo(newest)
    holdsAll(bootstrap("mixed", ByRegex, Regex -> "dt=a.*")(spark.emptyDataFrame, "append"))
    spark.sql(s"DELETE FROM hudilite.`$mixed` WHERE ts = 3")
    val odd = folder.resolve("null keys")
    spark.sql("SELECT 'k' AS Id, 1 AS ts, 'a' AS dt UNION ALL SELECT NULL, 2, 'b'").write.partitionBy("dt")
      .parquet(odd.toString)
    Seq("dt=.*", "dt=a", "dt=b").foreach { regex =>
      val error = Raised.by(bootstrap("none", ByRegex, Regex -> regex,
          "hoodie.bootstrap.base.path" -> odd.toString)(spark.emptyDataFrame))
      assertEquals(error.condition, "NULL_RECORD_KEY")
      assert(!Files.exists(folder.resolve("none")), regex)
    }
  }

  test("a bootstrap that was cut off is done again") {
    val table = folder.resolve("cut")
    spark.emptyDataFrame.write.format("hudilite").option("hoodie.datasource.write.operation", "bootstrap")
      .option("hoodie.table.name", "taken").option("hoodie.datasource.write.recordkey.field", "Id").partitionBy("dt")
      .option("hoodie.bootstrap.base.path", source.toString).save(table.toString)
    holdsAll(table)
    val timeline = table.resolve(".hoodie/timeline")
    BootstrappedWritesSuite.all(timeline).filter(_.getFileName.toString.matches("00000000000001_.*commit"))
      .foreach(Files.delete)
    val pending = Raised.by(bootstrap("cut")(spark.emptyDataFrame, "errorifexists"))
    assertEquals(pending.condition, "WRITE_PENDING") // nobody knows its writer
    holdsAll(bootstrap("cut", "hoodie.clean.failed.writes.policy" -> "EAGER")(spark.emptyDataFrame, "errorifexists"))
    assertEquals(BootstrappedWritesSuite.all(table).count(_.toString.endsWith(".parquet")), rows.inputFiles.length)
  }

  test("rows that are written over a bootstrapped table are upserted") {
    val table = bootstrap("upserted", Whole)(spark.emptyDataFrame)
    rows.where("ts < 3").selectExpr("Id", "ts + 100 AS ts", "nums", "m", "at", "dt").write.format("hudilite")
      .option("hoodie.bootstrap.base.path", source.toString).mode("append").save(table.toString)
    assertEquals(texts(spark.read.format("hudilite").load(table.toString).selectExpr("count(*)", "max(ts)")),
      Seq("[50,102]"))
  }
}
