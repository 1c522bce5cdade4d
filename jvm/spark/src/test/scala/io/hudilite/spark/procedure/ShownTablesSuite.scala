package io.hudilite.spark.procedure

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{Interpreted, Raised, SharedSession}

import java.nio.file.Files

import munit.FunSuite

/** Procedures that tell what a table is and what happened to it, in Hudi's columns, on one merge-on-read table. */
class ShownTablesSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark

  private val still = Map("hoodie.clean.automatic" -> "false", "hoodie.compact.inline" -> "false",
    "hoodie.archive.automatic" -> "false", "hoodie.parquet.small.file.limit" -> "0")

  private def write(path: String, rows: String, more: (String, String)*): Unit =
    spark.sql(s"SELECT * FROM VALUES $rows AS t(id, p, v)").write.format("hudilite")
      .option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").options(still ++ more).mode("append").save(path)

  private lazy val path: String = {
    val path = Files.createTempDirectory("hudilite-shown").toRealPath().resolve("table").toString
    write(path, "(1, 'a', 1), (2, 'b', 1)", "hoodie.datasource.write.table.type" -> "MERGE_ON_READ")
    write(path, "(1, 'a', 2)")
    write(path, "(3, 'a', 1)")
    path
  }

  private def sql(statement: String): Seq[String] =
    spark.sql(statement.replace("TABLE", path)).collect().toSeq.map(_.toSeq.map {
      case null => "-"
      case value => value.toString.replace(s"file:$path", "").replaceAll("\\d{17}", "T")
          .replaceAll("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\\d+", "F")
    }.mkString(" "))

  private def checkAll(cases: (String, Seq[String])*): Unit = cases.foreach { case (statement, rows) =>
    val is = sql(statement).map(_.replaceAll("\\b\\d{3,7}(\\.\\d+)?\\b", "N"))
    assertEquals(is, rows, statement)
  }

  private def refusedAll(cases: (String, String)*): Unit = cases.foreach { case (statement, text) =>
    val error: HudiliteException = Raised.by(sql(statement))
    val message = error.asInstanceOf[Throwable].getMessage
    assert(message.contains(text) && !message.contains("\n"), s"$statement: $message")
  }

  private def update: String = spark.sql(s"CALL hudilite.system.show_commits('$path')").where(
    "total_update_records_written > 0").head().getString(0)

  test("commits are shown with their files, partitions, sizes and free keys") {
    val of = s"('TABLE', 10, '$update')"
    checkAll(
      "CALL show_commits_metadata('TABLE', 2)" -> Seq("T T deltacommit a F null 1 1 0 0 0 0 0 0 0 0 N",
        "T T deltacommit a F T 1 0 0 1 0 0 0 0 0 0 N"),
      "CALL show_commits_metadata(table => 'TABLE', filter => \"partition = 'b'\")" ->
        Seq("T T deltacommit b F null 1 1 0 0 0 0 0 0 0 0 N"),
      s"CALL show_commit_files$of" -> Seq("deltacommit a F T 1 1 N 0 N"),
      s"CALL show_commit_partitions$of" -> Seq("deltacommit a 0 1 0 1 N 0"),
      s"CALL show_commit_write_stats$of" -> Seq("deltacommit N 1 N"),
      "CALL stats_wa('TABLE')" -> Seq("T 1 1 1.00", "Total 1 1 1.00"),
      "CALL show_archived_commits('TABLE')" -> Nil,
      "CALL show_archived_commits_metadata('TABLE')" -> Nil,
      "CALL commits_compare('TABLE', 'TABLE')" -> Seq("Source table is ahead by 0 commits. Commits to catch up - []"))
    val extra = spark.sql(s"CALL show_commit_extra_metadata(table => '$path', metadata_key => 'schema')").collect()
    assert(extra.length == 1 && extra.head.getString(3).contains("\"record\""), extra.toSeq.toString)
    refusedAll("CALL show_commit_files(table => 'TABLE', instant_time => '1')" -> "show_commits shows them",
      "CALL show_commit_files('TABLE')" -> "show_commit_files needs this argument",
      "CALL show_commits('TABLE', filter => 'nothing = 1')" -> "The value 'nothing = 1' of the option filter")
  }

  test("files are shown as slices, sizes and names, and the table by its properties") {
    checkAll(
      "CALL show_table_properties('TABLE', filter => \"key = 'hoodie.table.type'\")" ->
        Seq("hoodie.table.type MERGE_ON_READ"),
      "CALL show_fsview_latest(table => 'TABLE', partition_path => 'b')" ->
        Seq(
          s"b F T ${sql("CALL show_fsview_all('TABLE', path_regex => 'b')").head.split(' ')(3).replaceAll(
              "-[0-9]{3,7}-", "-N-")} N 0 0 0 0 0.0 0.0 [] []"),
      "CALL show_fsview_latest(table => 'TABLE', max_instant => '0')" -> Nil,
      "SELECT 1 WHERE false" -> Nil)
    val slices = spark.sql(s"CALL show_fsview_latest(table => '$path', path_regex => '*')").where("num_delta_files > 0")
    assertEquals(slices.count(), 1L)
    assertEquals(slices.head().getDouble(10) > 0.0, true)
    val sizes = spark.sql(s"CALL stats_file_sizes('$path')").collect()
    assertEquals(sizes.map(_.getInt(7)).toSeq, Seq(2, 1, 1, 4))
    assertEquals(sizes.last.getString(0), "ALL")
    assertEquals(spark.sql(s"CALL stats_file_sizes('$path', 'b')").collect().map(_.getInt(7)).toSeq, Seq(1, 1))
    assertEquals(sql("CALL show_metadata_table_partitions('TABLE')") ++ sql("CALL show_metadata_table_files('TABLE')"),
      Nil)
    refusedAll("CALL show_fsview_all('TABLE', include_in_flight => true)" -> "have not completed are not shown",
      "CALL show_fsview_latest('TABLE', merge => false)" -> "as they are read")
  }

  test("arguments of services choose partitions, plans and triggers, or are refused") {
    checkAll(
      "CALL run_clustering(table => 'TABLE', op => 'dry_run', order => 'v', predicate => \"p = 'b'\")" ->
        sql("CALL run_clustering(table => 'TABLE', op => 'dry_run', order => 'v', selected_partitions => 'b')")
          .map(_.replaceAll("\\b\\d{3,7}(\\.\\d+)?\\b", "N")),
      "CALL run_clustering(table => 'TABLE', order => 'v', partition_regex_pattern => 'x.*')" -> Nil,
      "CALL run_clustering(table => 'TABLE', op => 'execute', limit => 1)" -> Nil,
      "CALL run_clean('TABLE', schedule_in_line => false)" -> Nil,
      "CALL run_clean('TABLE', trigger_max_commits => 9, clean_policy => 'KEEP_LATEST_FILE_VERSIONS')" -> Nil,
      "CALL show_clustering('TABLE', show_involved_partition => true)" -> Nil)
    assertEquals(
      spark.sql(s"CALL run_clustering(table => '$path', op => 'schedule', order => 'v', predicate => " +
        "\"p = 'b'\", show_involved_partition => false)").head().getString(3), "*")
    assertEquals(sql("CALL run_clustering(table => 'TABLE', limit => 0)"), Nil)
    assertEquals(sql("CALL run_clustering(table => 'TABLE', limit => 1)").size, 1)
    refusedAll("CALL run_clustering(table => 'TABLE', predicate => 'v = 1')" -> "v is no partition column",
      "CALL run_clustering(table => 'TABLE', partition_regex_pattern => '(')" -> "partition_regex_pattern",
      "CALL run_clean('TABLE', skip_locking => true)" -> "keeps writers apart",
      "CALL show_cleans('TABLE', showArchived => true)" -> "the archive are not read")
    assertEquals(sql("CALL run_compaction(op => 'run', table => 'TABLE', limit => 1)").size, 1)
  }

  test("rollbacks and cleanings are shown with what they deleted") {
    write(path, "(9, 'b', 1)")
    sql("CALL rollback_to_instant('TABLE')")
    sql("CALL run_clean('TABLE', clean_policy => 'KEEP_LATEST_FILE_VERSIONS', file_versions_retained => 1)")
    checkAll("CALL show_clean_plans('TABLE')" -> Seq("T COMPLETED clean - T KEEP_LATEST_FILE_VERSIONS 2 2 0 -"),
      "SELECT 1 WHERE false" -> Nil)
    val rollback = spark.sql(s"CALL show_rollbacks('$path')").head()
    assertEquals((rollback.getInt(2), rollback.getInt(4)), (1, 1))
    val deleted = spark.sql(s"CALL show_rollback_detail('$path', 10, '${rollback.getString(0)}')").collect()
    assertEquals(deleted.map(r => (r.getString(2), r.getBoolean(4))).toSeq, Seq("b" -> true))
    val clean = spark.sql(s"CALL show_cleans('$path')").head()
    val files = spark.sql(s"CALL show_cleans_metadata('$path')").collect()
    assertEquals(files.map(_.getString(4)).toSeq.sorted, Seq("a", "b"))
    assertEquals(clean.getInt(5), files.map(_.getInt(7)).sum)
    assertEquals(spark.sql(s"""CALL show_timeline('$path', filter => "action = 'clean'")""").count(), 1L)
  }

  test("rows are copied, and go by partition, age or as a whole; versions stay") {
    checkAll("CALL copy_to_temp_view('TABLE', view_name => 'shown_copy', replace => true)" -> Seq("0"),
      "SELECT id, v FROM shown_copy ORDER BY id" -> Seq("1 2", "2 1", "3 1"),
      "CALL copy_to_table('TABLE', new_table => 'shown_table', columns => 'id,p')" -> Seq("0"),
      "SELECT * FROM shown_table ORDER BY id" -> Seq("1 a", "2 b", "3 a"),
      "CALL upgrade_table('TABLE', 'NINE')" -> Seq("true"), "CALL run_ttl('TABLE', retain_days => 9)" -> Nil)
    spark.sql("DROP TABLE shown_table")
    refusedAll("CALL downgrade_table('TABLE', 'EIGHT')" -> "it has the version 9",
      "CALL run_ttl('TABLE', 'KEEP_BY_CREATION_TIME')" -> "it must be one of KEEP_BY_TIME",
      "CALL copy_to_table('TABLE')" -> "copy_to_table needs this argument")
    assertEquals(sql("CALL truncate_table('TABLE', 'b')").map(_.split(' ').head), Seq("SUCCESS"))
    assertEquals(sql("SELECT count(*) FROM hudilite.`TABLE`"), Seq("2"))
    assertEquals(sql("CALL truncate_table('TABLE')").map(_.split(' ').head), Seq("SUCCESS"))
    assertEquals(sql("SELECT count(*) FROM hudilite.`TABLE`"), Seq("0"))
  }
}
