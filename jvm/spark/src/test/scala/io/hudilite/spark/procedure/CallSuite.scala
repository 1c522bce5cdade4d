package io.hudilite.spark.procedure

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{GoldenAnswers, Interpreted, Raised, SharedSession}

import java.nio.file.Files

import munit.FunSuite

/** Procedures, metadata tables and table functions, as plain SQL, on one copy-on-write and one merge-on-read table. */
class CallSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark

  // Nothing but what the cases call happens to the tables.
  private val still = Map("hoodie.clean.automatic" -> "false", "hoodie.compact.inline" -> "false",
    "hoodie.archive.automatic" -> "false", "hoodie.parquet.small.file.limit" -> "0")

  private def write(path: String, from: Int, until: Int, more: (String, String)*): Unit =
    spark.range(from, until, 1, 1).selectExpr("concat('k', id) id", "concat('p', id % 2) p", s"$until v")
      .write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").options(still ++ more).mode("append").save(path)

  private lazy val (cow, mor) = {
    val folder = Files.createTempDirectory("hudilite-calls").toString
    val (cow, mor) = (s"$folder/cow", s"$folder/mor")
    write(cow, 0, 6)
    write(cow, 6, 9)
    write(mor, 0, 6, "hoodie.datasource.write.table.type" -> "MERGE_ON_READ")
    write(mor, 0, 3)
    (cow, mor)
  }

  private def sql(statement: String): Seq[String] =
    spark.sql(statement.replace("COW", cow).replace("MOR", mor)).collect().toSeq.map { row =>
      row.toSeq.map {
        case null => "-"
        case value =>
          value.toString.replaceAll("\\d{17}", "T").replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\\d+", "F")
      }.mkString(" ")
    }

  /** Calls by the first columns of their answers; those after them tell more. */
  private def checkCalls(cases: (String, Seq[String])*): Unit = cases.foreach { case (statement, rows) =>
    assertEquals(sql(statement).zipAll(rows, "", "").map { case (is, expected) =>
        if (expected.nonEmpty && is.startsWith(s"$expected ")) expected else is
      }, rows, statement)
  }

  private def checkAll(cases: (String, Seq[String])*): Unit =
    cases.foreach { case (statement, rows) => assertEquals(sql(statement), rows, statement) }

  /** Refused statements, each with the text of its error. */
  private def refusedAll(cases: (String, String)*): Unit = {
    def state = Seq(cow, mor).map(path => sql(s"SELECT * FROM hudilite.`$path`.timeline"))
    val before = state
    cases.foreach { case (statement, text) =>
      val error: HudiliteException = Raised.by(sql(statement))
      val message = error.asInstanceOf[Throwable].getMessage
      assert(message.contains(text) && !message.contains("\n"), s"$statement: $message")
    }
    assertEquals(state, before)
  }

  test("indexes are shown and advised of by the files, of as many as are asked for") {
    def shown(most: Int) = spark.sql(s"CALL hudilite.system.show_indexes(path => '$mor', most_files => $most)")
      .collect().toSeq.map(i => (i.getString(0), i.getSeq[String](2).mkString, i.getInt(4), i.getInt(5), i.getLong(7)))
    Seq(1, 2, 512).foreach(most =>
      assertEquals(shown(most), Seq(("bloom_filters_of_footers", "id", 2, most.min(2), 6L)), most))
    val sampled = spark.sql(s"CALL hudilite.system.advise(path => '$cow', most_files => 3)").head()
    assertEquals((sampled.getString(0), sampled.getInt(6), sampled.getInt(7)), ("SIMPLE", 3, 4))
    assert(sampled.getString(8).endsWith("; 3 of 4 footers read."), sampled)
    refusedAll("CALL hudilite.system.advise(path => 'COW', most_files => 0)" -> "it must be 1 or more",
      "CALL hudilite.system.advise(path => 'COW/no')" -> "[TABLE_NOT_FOUND]")
  }

  test("metadata tables tell what a table is, with the columns and rows that are asked for") {
    checkAll(
      "SELECT operation, files, rows, inserts, updates FROM hudilite.`MOR`.history" ->
        Seq("UPSERT 2 3 0 3", "UPSERT 2 6 6 0"),
      "SELECT time, action, state FROM hudilite.`COW`.TIMELINE" -> Seq("T commit completed", "T commit completed"),
      "SELECT partition, min_key, max_key, rows FROM hudilite.`COW`.files ORDER BY min_key" ->
        Seq("p0 k0 k4 3", "p1 k1 k5 3", "p0 k6 k8 2", "p1 k7 k7 1"),
      "SELECT kind, count(*), sum(rows), min(bytes) > 100 FROM hudilite.`MOR`.files GROUP BY kind ORDER BY kind" ->
        Seq("base 2 6 true", "log 2 - true"),
      "SELECT count(*) FROM hudilite.`MOR`.files" -> Seq("4"),
      "SELECT file_id, log_files FROM hudilite.`MOR`.file_groups WHERE partition = 'p1'" -> Seq("F 1"),
      "SELECT partition, file_groups, base_files, log_files FROM hudilite.`MOR`.partitions ORDER BY partition" ->
        Seq("p0 1 1 1", "p1 1 1 1"),
      "SELECT value FROM hudilite.`MOR`.properties WHERE key = 'hoodie.table.type'" -> Seq("MERGE_ON_READ"),
      "SELECT * FROM hudilite.`MOR`.compactions" -> Nil,
      "SELECT h.operation FROM hudilite.`COW`.history h JOIN hudilite.`COW`.timeline t USING (time)" ->
        Seq("UPSERT", "UPSERT"))
    assertEquals(spark.read.table(s"hudilite.`$cow`.history").columns.length, 13)
  }

  test("metadata tables are not changed, and there are no others") {
    refusedAll(
      Seq("INSERT INTO $T VALUES ('a', 'b')", "INSERT OVERWRITE $T VALUES ('a', 'b')", "DELETE FROM $T",
        "UPDATE $T SET key = 'x'", "TRUNCATE TABLE $T", "ALTER TABLE $T ADD COLUMN x int", "DROP TABLE $T",
        "DROP TABLE IF EXISTS $T", "ALTER TABLE $T RENAME TO $T",
        "MERGE INTO $T t USING $T s ON t.key = s.key WHEN MATCHED THEN DELETE")
        .map(_.replace("$T", "hudilite.`MOR`.properties") -> "[STATEMENT_NOT_SUPPORTED]") ++
        Seq(
          "SELECT * FROM hudilite.`MOR`.propertis" ->
            "There is no metadata table propertis. The nearest one is properties",
          "SELECT * FROM hudilite.`MOR`.history VERSION AS OF '1'" -> "of the present table alone"): _*)
  }

  test("a metadata table leaves a table at that place alone") {
    val inner = s"$cow-parent"
    write(inner, 0, 1)
    write(s"$inner/history", 0, 2)
    assertEquals(sql(s"SELECT count(id) FROM hudilite.`$inner`.history"), Seq("2"))
  }

  test("table functions read changes and the timeline") {
    checkAll(
      "SELECT id FROM hudi_table_changes('COW', 'latest_state', 'earliest') WHERE v = 9 ORDER BY id" ->
        Seq("k6", "k7", "k8"),
      s"SELECT count(*) FROM hudi_table_changes('hudilite.`MOR`', 'LATEST_STATE', '000', '${completed(mor)}')" ->
        Seq("6"),
      s"SELECT id FROM hudi_table_changes('MOR', 'latest_state', '${completed(mor)}') ORDER BY id" ->
        Seq("k0", "k1", "k2"),
      "SELECT action FROM hudi_query_timeline('COW')" -> Seq("commit", "commit"),
      "SELECT action FROM hudi_query_timeline('COW', 'TRUE')" -> Seq("commit", "commit"),
      "SELECT partition, log_files FROM hudi_filesystem_view('MOR') ORDER BY 1" -> Seq("p0 1", "p1 1"),
      "SELECT rows FROM hudilite_metadata('COW', 'HISTORY') LIMIT 1" -> Seq("3"),
      "SELECT count(*) FROM hudilite_metadata('COW', 'history')" -> Seq("2"),
      "SELECT min_key FROM hudilite_metadata('hudilite.`MOR`', 'files') WHERE kind = 'base' ORDER BY 1" ->
        Seq("k0", "k1"))
    refusedAll("SELECT * FROM hudi_table_changes('MOR', 'cdc', 'earliest')" -> "images before and after a change",
      "SELECT * FROM hudi_table_changes('MOR', 'all', 'earliest')" -> "it must be latest_state",
      "SELECT * FROM hudi_table_changes('MOR', 'latest_state', NULL)" -> "must not be null",
      "SELECT * FROM hudi_table_changes('MOR')" -> "write hudi_table_changes(table",
      "SELECT * FROM hudi_query_timeline('MOR', 'x')" -> "write hudi_query_timeline(table[, archived])",
      "SELECT * FROM hudi_filesystem_view('MOR', 'p*')" -> "WHERE partition LIKE",
      "SELECT * FROM hudi_metadata('MOR', 'files')" -> "write hudi_metadata(table)",
      "SELECT * FROM hudilite_metadata('MOR', 'histery')" -> "The nearest one is history",
      "SELECT * FROM hudi_query_timeline('/nothing')" -> "[TABLE_NOT_FOUND]")
  }

  private def completed(path: String): String =
    spark.sql(s"SELECT completion_time FROM hudilite.`$path`.timeline").head().getString(0)

  test("a call names a table by its path or as the session knows it, and arguments by name or in order") {
    val newest = Seq("T T commit 2 0 2 3 0")
    def shown(call: String): Unit =
      assertEquals(sql(call).map(_.split(' ').toSeq).map(r => (r.take(3) ++ r.slice(4, 9)).mkString(" ")), newest, call)
    Seq("CALL hudilite.system.show_commits(table => 'COW', limit => 1)",
      "call hudilite.SYSTEM.Show_Commits(LIMIT => 2 - 1, path => concat('CO', 'W'));".replace("'CO', 'W'",
        s"'$cow', ''"),
      "/* a comment\n */ -- and one\n CALL hudilite.system.show_commits('hudilite.`COW`', 1)",
      "CALL hudilite.system.show_commits(`table` => 'COW', limit => '1')").foreach(shown)
    spark.sql("USE hudilite")
    try shown("CALL system.show_commits('COW', 1)")
    finally spark.sql("USE spark_catalog")
    refusedAll(
      "CALL hudilite.system.show_comits('COW')" -> "There is no procedure show_comits. The nearest one is show_commits",
      "CALL hudilite.sys.show_commits('COW')" -> "The nearest one is system.show_commits",
      "CALL hudilite.system.show_commits(tabel => 'COW')" ->
        "no argument of show_commits called tabel. The nearest one is table",
      "CALL hudilite.system.show_commits()" -> "[MISSING_OPTION] The option table is missing",
      "CALL hudilite.system.show_commits(table => 'COW', path => 'MOR')" -> "the argument table names",
      "CALL hudilite.system.show_commits('COW', -1)" -> "it must be 0 or more",
      "CALL hudilite.system.show_commits('nothing')" -> "the session has no table of this name",
      "CALL hudilite.system.show_commits('/nothing')" -> "[TABLE_NOT_FOUND]",
      "CALL hudilite.system.show_services('COW', options => 'hoodie.clean.automatc=true')" -> "[UNKNOWN_OPTION]",
      "CALL hudilite.system.show_services('COW', options => 'true')" -> "of the form name=value")
  }

  test("arguments that do not fit a procedure are refused") {
    Seq("'COW', 'x'", "'COW', 1, 'COW', 3", "table => 'COW', table => 'COW'", "limit => 1, 'COW'", "'COW', rand()")
      .foreach(arguments => intercept[Exception](sql(s"CALL hudilite.system.show_commits($arguments)")))
  }

  test("a table of another format is refused by its name") {
    spark.sql("CREATE TABLE other_format (a int) USING parquet")
    spark.range(1).createOrReplaceTempView("some_view")
    try refusedAll("CALL hudilite.system.show_commits('other_format')" -> "the table has the format parquet",
        "CALL hudilite.system.show_commits('default.other_format')" -> "the table has the format parquet",
        "CALL hudilite.system.show_commits('some_view')" -> "a view has no files")
    finally spark.sql("DROP TABLE other_format")
  }

  private val oneVersion = "clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1"

  test("services are planned, run and shown") {
    checkCalls(
      "CALL hudilite.system.run_compaction(op => 'dry_run', table => 'MOR')" -> Seq("- 2 REQUESTED"),
      "CALL hudilite.system.run_compaction(op => 'execute', table => 'MOR')" -> Nil,
      "CALL hudilite.system.run_compaction(op => 'execute', table => 'MOR', dry_run => true)" -> Nil,
      "CALL hudilite.system.run_compaction(op => 'schedule', table => 'MOR')" -> Seq("T 2 REQUESTED"),
      "CALL hudilite.system.run_compaction(op => 'execute', table => 'MOR', dry_run => true)" -> Seq("T 2 REQUESTED"),
      "CALL hudilite.system.show_compaction('MOR')" -> Seq("T - REQUESTED compaction 2 2 -"))
    val planned = spark.sql(s"SELECT time FROM hudilite.`$mor`.compactions").head().getString(0)
    refusedAll(s"CALL hudilite.system.run_compaction('schedule', 'MOR', timestamp => $planned)" -> "is planned already",
      "CALL hudilite.system.run_compaction('MOR')" -> "it must be one of run, schedule, execute",
      "CALL hudilite.system.run_compaction(table => 'MOR', timestamp => '1')" -> "[COMPACTION_NOT_FOUND]",
      "CALL hudilite.system.run_compaction(table => 'COW')" -> "[COMPACTION_NOT_POSSIBLE]",
      "CALL hudilite.system.run_clean('COW', op => 'dry_run')" -> "it must be one of run, schedule, execute",
      "CALL hudilite.system.run_clustering('COW', order_strategy => 'round')" -> "it must be one of hilbert, linear",
      "CALL hudilite.system.run_clustering('COW', order_strategy => 'zorder')" -> "none is named to sort by")
    checkCalls(
      s"CALL hudilite.system.run_compaction(table => 'MOR', timestamp => $planned)" -> Seq("T 2 COMPLETED"),
      "SELECT state, file_groups, log_files FROM hudilite.`MOR`.compactions" -> Seq("completed 2 2"),
      "CALL hudilite.system.run_clustering('COW', op => 'schedule', selected_partitions => 'p0')" ->
        Seq("T 1 REQUESTED p0"),
      "CALL hudilite.system.run_clustering('COW', op => 'execute', dry_run => true)" -> Seq("T 1 REQUESTED p0"),
      "CALL hudilite.system.run_clustering('COW', dry_run => true)" -> Seq("T 1 REQUESTED p0"),
      "CALL hudilite.system.run_clustering('COW')" -> Seq("T - COMPLETED p0"),
      "CALL hudilite.system.show_clustering('COW')" -> Seq("T - COMPLETED p0"),
      s"CALL hudilite.system.run_clean('COW', $oneVersion, dry_run => true)" -> Seq("- 2 -"),
      "CALL hudilite.system.run_clean('COW', op => 'execute')" -> Nil,
      s"CALL hudilite.system.run_clean('COW', $oneVersion, op => 'execute', dry_run => true)" -> Nil,
      s"CALL hudilite.system.run_clean('COW', $oneVersion, op => 'schedule', dry_run => true)" -> Seq("- 2 -"),
      s"CALL hudilite.system.run_clean('COW', $oneVersion, op => 'schedule')" -> Seq("T 2 -"),
      s"CALL hudilite.system.run_clean('COW', $oneVersion, op => 'schedule')" -> Seq("T 2 -"),
      s"CALL hudilite.system.run_clean('COW', $oneVersion, op => 'schedule', dry_run => true)" -> Seq("T 2 -"),
      "CALL hudilite.system.run_clean('COW', op => 'execute', dry_run => true)" -> Seq("T 2 -"),
      s"CALL hudilite.system.run_clean('COW', $oneVersion, dry_run => true)" -> Seq("T 2 -", "- 0 -"),
      "CALL hudilite.system.run_clean('COW', op => 'execute')" -> Seq("T 2 -"),
      s"CALL hudilite.system.run_clean('COW', $oneVersion)" -> Nil,
      "CALL hudilite.system.archive_commits('COW', dry_run => true)" -> Seq("0 0"),
      "CALL hudilite.system.doctor('COW')" -> Nil,
      "CALL hudilite.system.doctor('COW', deep => true)" -> Nil)
    assertEquals(sql("CALL hudilite.system.show_services('MOR')").map(_.takeWhile(_ != ' ')),
      Seq("compaction", "clustering", "cleaning", "archiving"))
  }

  test("a metadata table of Apache Hudi is held against the files, and the doctor tells of differences") {
    val path = GoldenAnswers.copy("metadata-table-v9")
    val (validate, doctor) =
      (s"CALL hudilite.system.validate_metadata('$path')", s"CALL hudilite.system.doctor('$path'")
    checkAll("CALL hudilite.system.validate_metadata('COW')" -> Nil, validate -> Nil, s"$doctor, deep => true)" -> Nil)
    val files = new java.io.File(path, "2026-01-01").listFiles.filter(_.getName.endsWith(".parquet"))
      .sortBy(_.getName.split("_").last).map(_.toPath)
    Files.copy(files.head, files.last, java.nio.file.StandardCopyOption.REPLACE_EXISTING)
    val found = spark.sql(validate).where("kind = 'FILE_SIZE'").head()
    assertEquals(found.toSeq,
      Seq("FILE_SIZE", "2026-01-01", files.last.getFileName.toString, "",
        Files.size(files.head).toString, found.getString(5)))
    assertEquals(spark.sql(s"$doctor)").select("kind").collect().map(_.getString(0)).toSeq, Seq("WRONG_METADATA"))
  }

  test("a metadata table is made, shown, compared, served and removed by the procedures of Hudi's names") {
    val path = Files.createTempDirectory("hudilite-calls").resolve("named").toString
    write(path, 0, 4)
    def calls(cases: (String, Seq[String])*): Unit = checkCalls(cases.map { case (call, rows) =>
      s"CALL hudilite.system.${call.replace("(", s"('$path'")}" -> rows
    }: _*)
    def done(call: String, text: String): Unit = {
      val said = spark.sql(s"CALL hudilite.system.$call".replace("(", s"('$path'")).head().getString(0)
      assert(said.matches(
          s"$text Metadata Table (in|at) (file:)?\\Q$path\\E/.hoodie/metadata \\(duration=[\\d.]+secs\\)"), said)
    }
    val missing = "create_metadata_table makes one"
    refusedAll(s"CALL hudilite.system.init_metadata_table('$path')" -> missing,
      s"CALL hudilite.system.delete_metadata_table('$path')" -> missing,
      s"CALL hudilite.system.show_metadata_table_stats('$path')" -> missing,
      s"CALL hudilite.system.validate_metadata_table_files('$path')" -> missing)
    done("create_metadata_table()", "Created")
    write(path, 4, 6)
    calls("show_metadata_table_partitions()" -> Seq("p0", "p1"),
      "validate_metadata_table_files()" -> Nil,
      "show_metadata_table_stats(, filter => \"stat_key = 'files.baseFileCount'\")" -> Seq("files.baseFileCount 1"))
    val named = sql(s"CALL hudilite.system.show_metadata_table_files('$path')")
    assertEquals(named.size, 4)
    val compared = spark.sql(s"CALL hudilite.system.validate_metadata_table_files('$path', verbose => true)").collect()
    assertEquals(compared.map(r => (r.getBoolean(2), r.getBoolean(3), r.getLong(4) == r.getLong(5))).toSet,
      Set((true, true, true)))
    assertEquals(compared.length, 4)
    Files.delete(java.nio.file.Paths.get(path, compared.head.getString(0), compared.head.getString(1)))
    assertEquals(spark.sql(s"CALL hudilite.system.validate_metadata_table_files('$path')").collect().toSeq.map(_.toSeq),
      Seq(compared.head.toSeq.take(2) ++ Seq[Any](false, true, 0L, compared.head.getLong(5))))
    refusedAll(s"CALL hudilite.system.create_metadata_table('$path')" -> "it has a metadata table: files",
      s"CALL hudilite.system.show_metadata_table_column_stats('$path')" -> "has no column_stats")
    done("init_metadata_table(, read_only => true)", "Opened")
    done("init_metadata_table()", "Initialized")
    done("delete_metadata_table()", "Deleted")
    assert(!Files.exists(java.nio.file.Paths.get(path, ".hoodie/metadata/.hoodie")))
    calls("show_metadata_table_partitions()" -> Nil)
  }

  test("procedures that make metadata tables merge log files for a record index, as writes do") {
    val path = Files.createTempDirectory("hudilite-calls").resolve("logged").toString
    write(path, 0, 4, "hoodie.datasource.write.table.type" -> "MERGE_ON_READ")
    write(path, 0, 2)
    def call(name: String, more: String = ""): Unit = spark.sql(s"CALL hudilite.system.$name('$path'$more)").collect()
    def indexes: Seq[String] = sql(s"CALL hudilite.system.show_metadata_table_stats('$path')")
      .filter(_.startsWith("record_index.baseFileCount "))
    val keys = ", options => 'hoodie.metadata.record.index.enable=true," +
      "hoodie.metadata.record.index.min.filegroup.count=1'"
    call("create_metadata_table")
    assertEquals(indexes, Nil)
    call("init_metadata_table", keys)
    assertEquals(indexes, Seq("record_index.baseFileCount 1"))
    call("delete_metadata_table")
    call("create_metadata_table", keys)
    assertEquals(indexes, Seq("record_index.baseFileCount 1"))
  }

  test("bounds of columns are shown of the newest files, as Apache Hudi's metadata table has them") {
    val path = GoldenAnswers.copy("metadata-table-v9")
    val call = s"CALL hudilite.system.show_metadata_table_column_stats('$path'"
    val all = spark.sql(s"$call)").collect()
    val files = spark.sql(s"SELECT count(*) FROM hudilite_metadata('$path', 'files')").head().getLong(0)
    assert(all.nonEmpty && all.map(_.getString(0)).distinct.length <= files)
    val column = all.head.getString(1)
    val some = spark.sql(s"$call, partition => '2026-01-01', targetColumns => '$column')").collect()
    assert(some.nonEmpty && some.forall(_.getString(1) == column) && some.length < all.length)
    assert(some.forall(row => !row.isNullAt(2) && !row.isNullAt(3) && row.getLong(4) >= 0))
  }

  test("writes are saved and taken back, and partitions dropped") {
    checkCalls(
      "CALL hudilite.system.create_savepoint('COW', dry_run => true)" -> Seq("false T"),
      "CALL hudilite.system.create_savepoint('COW', user => 'ada', comments => 'before')" -> Seq("true T"),
      "CALL hudilite.system.drop_partition('COW', 'p0', dry_run => true)" -> Seq("p0 1 - false"),
      "CALL hudilite.system.drop_partition('COW', 'p0')" -> Seq("p0 1 T true"),
      "SELECT DISTINCT p FROM hudilite.`COW`" -> Seq("p1"),
      "CALL hudilite.system.rollback_to_savepoint('COW')" -> Seq("true T 1"),
      "SELECT count(*) FROM hudilite.`COW`" -> Seq("9"))
    val saved = spark.sql(s"CALL hudilite.system.show_savepoints('$cow')").head()
    assertEquals(Seq(saved.getString(1), saved.getString(3)), Seq("ada", "before"))
    refusedAll("CALL hudilite.system.rollback_to_savepoint('COW', '1')" -> "no such savepoint",
      "CALL hudilite.system.rollback_to_savepoint('MOR')" -> "the table has no savepoint",
      "CALL hudilite.system.delete_savepoint('COW')" -> "delete_savepoint needs this argument",
      "CALL hudilite.system.drop_partition('COW', 'p7')" -> "p7",
      "CALL hudilite.system.drop_partition('COW', '[]')" -> "partition is not valid: an empty list names nothing",
      "CALL hudilite.system.drop_partition('COW', ' , ')" -> "partition is not valid: an empty list names nothing",
      "CALL hudilite.system.run_clustering('COW', selected_partitions => '[]')" -> "selected_partitions is not valid")
    val compaction = spark.sql(s"SELECT time FROM hudilite.`$mor`.history").head().getString(0)
    checkCalls(
      s"CALL hudilite.system.delete_savepoint('COW', '${saved.getString(0)}', dry_run => true)" ->
        Seq("false T ada"),
      s"CALL hudilite.system.delete_savepoint('COW', '${saved.getString(0)}')" -> Seq("true T ada"),
      s"CALL hudilite.system.rollback_to_instant('MOR', $compaction)" -> Seq("true T 2"),
      "SELECT count(*), sum(v) FROM hudilite.`MOR`" -> Seq("6 27"))
  }

  test("lists and options are given as JSON where commas are in them, and paths as they are") {
    val odd = s"$mor-a,b `x 'q"
    write(odd, 0, 4)
    def quoted(text: String) = "\"" + text.replace("\"", "\\\"") + "\""
    val clustering = spark.sql(s"""CALL hudilite.system.run_clustering(path => ${quoted(odd)}, op => 'dry_run',
      order => '["v", "id"]', options => '{"hoodie.layout.optimize.strategy": "linear"}')""").head()
    assertEquals(clustering.getAs[scala.collection.Seq[String]]("sort_by").toList, List("v", "id"))
    assertEquals(clustering.getInt(1), 2)
    assertEquals(spark.sql(s"SELECT rows FROM hudilite_metadata(${quoted(odd)}, 'history')").collect().map(_.getLong(0))
        .toSeq, Seq(4L))
    refusedAll("CALL hudilite.system.show_services('MOR', options => '{\"a\": 1}')" -> "of the form name=value",
      "CALL hudilite.system.run_clustering('COW', target_bytes => 0)" -> "it must be 1 or more")
  }

  test("a run that was given a name is seen and stopped by it") {
    val named = "run_as => 'mine'"
    checkAll(s"CALL hudilite.system.show_progress($named)" -> Nil,
      s"CALL hudilite.system.cancel_service($named)" -> Seq("false"),
      "CALL hudilite.system.wait_for_services('COW')" -> Seq("true"))
    assertEquals(spark.sql(s"CALL hudilite.system.path_of('hudilite.`$cow`')").head().getString(0), s"file:$cow")
    write(mor, 0, 2)
    checkCalls(s"CALL hudilite.system.run_compaction(table => 'MOR', $named)" -> Seq("T 2 COMPLETED"),
      "CALL hudilite.system.show_progress()" -> Nil)
    refusedAll("CALL hudilite.system.cancel_service()" -> "cancel_service needs this argument")
  }
}
