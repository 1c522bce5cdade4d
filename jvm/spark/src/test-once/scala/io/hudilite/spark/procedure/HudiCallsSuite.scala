package io.hudilite.spark.procedure

import io.hudilite.error.HudiliteException
import io.hudilite.spark.{GoldenAnswers, GoldenTables, Interpreted, Raised, SharedSession}

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, Paths}
import java.nio.file.StandardOpenOption.APPEND

import com.fasterxml.jackson.databind.ObjectMapper
import munit.FunSuite
import org.apache.spark.sql.{DataFrame, Row}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, V2WriteCommand}
import org.apache.spark.sql.catalyst.rules.Rule

import scala.collection.JavaConverters._

/** Hudi's procedures that look into files or repair one thing, on tables that Apache Hudi and hudilite wrote. */
class HudiCallsSuite extends FunSuite with Interpreted {

  override def munitTimeout: scala.concurrent.duration.Duration = scala.concurrent.duration.Duration(5, "min")

  private val spark = SharedSession.spark
  private val json = new ObjectMapper()

  private def call(text: String): Seq[Row] = spark.sql(s"CALL hudilite.system.$text").collect().toSeq

  private def refused(call: => Any, says: String): Unit = {
    val error: HudiliteException = Raised.by(call)
    val message = error.asInstanceOf[Throwable].getMessage
    assert(message.contains(says) && !message.contains("\n"), message)
  }

  private def folder(): Path = Files.createTempDirectory("hudilite-hudi-calls").toRealPath()

  private def filesBelow(path: String): Seq[Path] = {
    val found = Files.walk(Paths.get(path))
    try found.iterator.asScala.filter(Files.isRegularFile(_)).toList
    finally found.close()
  }

  private def write(path: String, rows: String, options: (String, String)*): Unit =
    spark.sql(rows).write.format("hudilite").option("hoodie.datasource.write.recordkey.field", "id")
      .option("hoodie.datasource.write.partitionpath.field", "p").options(options.toMap).mode("append").save(path)

  private val logTables = for {
    name <- Seq("mor-logs", "mor-parquet-blocks")
    version <- Seq(6, 8, 9)
  } yield s"$name-v$version"

  test("blocks of log files have as many records as are shown, and merging leaves one of each key") {
    logTables.foreach { name =>
      val table = GoldenTables.table(name)
      val pattern = s"path => '$table', log_file_path_pattern => '$table/*/.*.log*'"
      val blocks = call(s"show_logfile_metadata($pattern, limit => 1000)")
      val data = blocks.filter(_.getString(2).endsWith("DATA_BLOCK"))
      assert(data.nonEmpty && data.forall(_.getInt(1) > 0), name)
      blocks.foreach { block =>
        assertEquals(json.readTree(block.getString(3)).get("INSTANT_TIME").asText, block.getString(0), name)
        assertEquals(block.getString(4), "{}")
      }
      val records = call(s"show_logfile_records($pattern, limit => 1000)").map(_.getString(0))
      assertEquals(records.size, data.map(_.getInt(1)).sum, name)
      val merged = call(s"show_logfile_records($pattern, merge => true, limit => 1000)").map(_.getString(0))
      def key(record: String) = {
        val fields = json.readTree(record)
        Seq("_hoodie_partition_path", "_hoodie_record_key").map(fields.get(_).asText)
      }
      assert(merged.size <= records.size, name)
      assertEquals(merged.map(key).distinct.size, merged.size, name)
      assertEquals(merged.map(key).toSet.diff(records.map(key).toSet), Set.empty[Seq[String]], name)
      val rows = spark.read.format("hudilite").load(table)
        .selectExpr("_hoodie_partition_path", "_hoodie_record_key").collect().map(r =>
          Seq(r.getString(0), r.getString(1)))
      assertEquals(merged.map(key).toSet.diff(rows.toSet), Set.empty[Seq[String]], name)
      Seq("show_logfile_metadata", "show_logfile_records").foreach { procedure =>
        assertEquals(call(s"$procedure($pattern, limit => 2)").size, 2, name)
        assertEquals(call(s"$procedure($pattern, limit => 0)"), Nil, name)
        refused(call(s"$procedure($pattern, limit => -1)"), "0 or more")
      }
      assertEquals(call(s"show_logfile_metadata($pattern, limit => 1000, filter => 'record_count = 0')")
          .count(_.getString(2).endsWith("DATA_BLOCK")), 0)
    }
  }

  test("damaged blocks are shown as such, and the others with what they have") {
    val table = GoldenAnswers.copy("mor-logs-v9")
    val logs = filesBelow(table).filter(_.getFileName.toString.contains(".log.")).sorted
    val (one, other) = (logs.head, logs(1))
    def blocks(file: Path) = call(
      s"show_logfile_metadata(path => '$table', log_file_path_pattern => '$file')").map(r =>
      r.getString(0) -> r.getString(2))
    val whole = blocks(one)
    Files.write(one, "#HUDI#cut short".getBytes(UTF_8), APPEND)
    assertEquals(blocks(one), whole :+ ("corrupt_block_1" -> "CORRUPT_BLOCK"))
    assertEquals(call(s"show_logfile_records(path => '$table', log_file_path_pattern => '$one', limit => 100)").size,
      call(s"show_logfile_metadata(path => '$table', log_file_path_pattern => '$one')").map(r => r.getInt(1))
        .zip(whole.map(_._2)).filter(_._2.endsWith("DATA_BLOCK")).map(_._1).sum)
    Files.write(other, "nothing of a log".getBytes(UTF_8))
    assertEquals(blocks(other), Seq("corrupt_block_1" -> "CORRUPT_BLOCK"))
    refused(call(s"show_logfile_records(path => '$table', log_file_path_pattern => '$other')"), "[CORRUPT_FILE]")
  }

  test("log files are those of the table") {
    val (table, elsewhere) = (GoldenTables.table("mor-logs-v9"), GoldenTables.table("mor-logs-v8"))
    def at(pattern: String) = call(s"show_logfile_metadata(path => '$table', log_file_path_pattern => '$pattern')")
    refused(at(s"$elsewhere/*/.*.log*"), "lies outside of the table")
    refused(at(s"$table/*/*.parquet"), "no log file of the table")
    refused(at(s"$table/nowhere/*"), "no log file of the table")
    refused(at(s"$table/{a"), "log_file_path_pattern")
    refused(call(s"show_logfile_metadata(path => '$table')"), "[MISSING_OPTION]")
    refused(call("show_logfile_metadata(path => '/nowhere', log_file_path_pattern => '/nowhere/*')"),
      "[TABLE_NOT_FOUND]")
  }

  test("instants are exported as JSON, those of the archive first, or the newest") {
    Seq(6, 8, 9).foreach { version =>
      val table = GoldenTables.table(s"archived-v$version")
      val whole = folder()
      def exported(to: Path, more: String = ""): Int = call(
        s"export_instants(path => '$table', local_folder => '$to'$more)").head.getString(0) match {
        case text => text.stripPrefix("Exported ").takeWhile(_.isDigit).toInt
      }
      val count = exported(whole)
      val files = filesBelow(whole.toString)
      assertEquals(files.size, count)
      val known = call(s"show_timeline(path => '$table', limit => 1000, showArchived => true)")
        .filter(r => r.getString(2) == "COMPLETED" && Set("commit", "clean")(r.getString(1)))
      assertEquals(count, known.size, version)
      files.foreach { file =>
        val text = json.readTree(Files.readAllBytes(file))
        assert(text.has("partitionToWriteStats") || text.has("partitionMetadata"), s"$version $file")
      }
      assertEquals(exported(whole), count)
      val newest = folder()
      assertEquals(exported(newest, ", limit => 2, desc => true, actions => 'commit'"), 2)
      assertEquals(filesBelow(newest.toString).map(_.getFileName.toString.take(14)).sorted,
        known.filter(_.getString(1) == "commit").map(_.getString(0)).sorted.takeRight(2).map(_.take(14)))
      assertEquals(exported(folder(), ", limit => 0"), 0)
      Files.write(files.head, "{}".getBytes(UTF_8))
      refused(exported(whole), "of other content")
    }
  }

  test("an export without a place for it is refused") {
    val table = GoldenAnswers.copy("archived-v9")
    def to(folder: Any, more: String = "") =
      call(s"export_instants(path => '$table', local_folder => '$folder'$more)")
    refused(to(s"$table-nowhere"), "it is no folder")
    refused(to(s"$table/.hoodie"), "it lies in the table")
    refused(to(folder(), ", limit => -2"), "-1 for all")
    refused(to(folder(), ", actions => 'compact'"), "name some of clean")
    refused(call(s"export_instants(path => '$table')"), "[MISSING_OPTION]")
  }

  test("a file is there, or an action is named that deleted it") {
    val table = GoldenTables.table("cleaned-by-commits-v9")
    val cleaned = call(s"export_instants(path => '$table', local_folder => '${folder()}', actions => 'clean')")
    assert(cleaned.nonEmpty)
    val exported = folder()
    call(s"export_instants(path => '$table', local_folder => '$exported', actions => 'clean')")
    val deleted = for {
      file <- filesBelow(exported.toString)
      of <- json.readTree(Files.readAllBytes(file)).get("partitionMetadata").fields().asScala
      name <- of.getValue.get("successDeleteFiles").elements().asScala
    } yield (of.getKey, name.asText)
    val (partition, gone) = deleted.head
    def status(file: String) =
      call(s"show_file_status(path => '$table', partition => '$partition', file => '$file')").head
    assertEquals(status(gone).toSeq.take(2), Seq[Any]("deleted", "clean"))
    assertEquals(status(gone).getString(3), "active")
    val there = filesBelow(s"$table/$partition").map(_.getFileName.toString).filter(_.endsWith(".parquet")).head
    assertEquals(status(there).toSeq, Seq[Any]("exist", "", "", "active", s"$table/$partition/$there"))
    assertEquals(status("x.parquet").toSeq, Seq[Any]("unknown", "", "", "", ""))
    refused(call(s"show_file_status(path => '$table', file => 'x')"), "name the one of the file")
  }

  test("Parquet files without a footer are shown, and none is deleted") {
    val table = s"${folder()}/t"
    write(table, "SELECT concat('k', id) id, concat('p', id % 2) p FROM range(8)")
    assertEquals(call(s"show_invalid_parquet(path => '$table')"), Nil)
    val files = filesBelow(table).filter(_.toString.endsWith(".parquet")).sorted
    val (cut, empty) = (files.head, files(1))
    Files.write(cut, Files.readAllBytes(cut).dropRight(100))
    Files.write(empty, Array.emptyByteArray)
    def shown(more: String = "") = call(s"show_invalid_parquet(path => '$table'$more)").map(_.getString(0))
    assertEquals(shown().map(p => Paths.get(new java.net.URI(p).getPath)), Seq(cut, empty))
    assertEquals(shown(", limit => 1").size, 1)
    assertEquals(shown(", limit => 0"), Nil)
    assertEquals(shown(", partitions => 'p1'").size, 1)
    assertEquals(shown(", instants => '20200101000000000'"), Nil)
    refused(shown(", needDelete => true"), "is not deleted")
    refused(shown(", limit => -1"), "0 or more")
    refused(shown(", partitions => '../t'"), "no path of a partition")
    refused(call("show_invalid_parquet(path => '/nowhere')"), "[TABLE_NOT_FOUND]")
  }

  test("overlaps of columns follow from the bounds that the metadata table has") {
    Seq("show_column_stats_overlap", "show_metadata_column_stats_overlap").foreach { name =>
      val table = GoldenTables.table("metadata-indexes-v9")
      val all = call(s"$name(path => '$table')")
      assert(all.nonEmpty && all.forall(r => r.getDouble(2) >= 1.0 && r.getInt(3) <= r.getInt(4)), all)
      val column = all.head.getString(1)
      assertEquals(call(s"$name(path => '$table', targetColumns => '$column')"), all.filter(_.getString(1) == column))
      assertEquals(call(s"$name(path => '$table', partition => 'nowhere')"), Nil)
      refused(call(s"$name(path => '${GoldenTables.table("cow-basic-v9")}')"), "no metadata table")
    }
  }

  test("the records of a metadata table are those of Apache Hudi's columns, by their types") {
    Seq("metadata-indexes-v8", "metadata-indexes-v9", "metadata-table-v6").foreach { name =>
      val table = GoldenTables.table(name)
      val records = spark.sql(s"SELECT * FROM hudi_metadata('$table')")
      assertEquals(records.columns.toSeq,
        Seq("key", "type", "filesystemMetadata", "BloomFilterMetadata",
          "ColumnStatsMetadata", "recordIndexMetadata", "SecondaryIndexMetadata"))
      val types = records.groupBy("type").count().collect().map(r => r.getInt(0) -> r.getLong(1)).toMap
      assertEquals(types(1), 1L)
      assertEquals(types.values.sum, records.count())
      types.foreach { case (kind, count) => assertEquals(records.where(s"type = $kind").count(), count, name) }
      assertEquals(records.where("type = 9").count(), 0L)
      // Only the partition of the metadata table that has such records is read, by a task for each file group.
      def tasks(of: DataFrame): Int = of.rdd.getNumPartitions
      assertEquals(tasks(records.where("type IN (1, 2)")), 1)
      assert(tasks(records) > 1, name)
      assertEquals(records.limit(2).collect().length, 2)
      val files = spark.sql(s"SELECT explode(map_keys(filesystemMetadata)) FROM hudi_metadata('$table') WHERE type = 2")
      assertEquals(files.collect().map(_.getString(0)).sorted.toSeq,
        call(s"show_metadata_table_files(path => '$table', limit => 10000)").map(_.getString(0)).sorted)
      if (types.contains(3)) {
        val bounds =
          spark.sql("SELECT ColumnStatsMetadata.columnName, ColumnStatsMetadata.minValue.member6.value FROM " +
            s"hudi_metadata('$table') WHERE type = 3 AND ColumnStatsMetadata.columnName = '_hoodie_record_key'")
        assert(bounds.count() > 0)
      }
      if (types.contains(5)) {
        val keys = spark.sql(s"SELECT key FROM hudi_metadata('$table') WHERE type = 5").collect().map(_.getString(0))
        assertEquals(keys.sorted.toSeq,
          spark.read.format("hudilite").load(table).selectExpr("_hoodie_record_key")
            .collect().map(_.getString(0)).sorted.toSeq)
      }
    }
    refused(spark.sql(s"SELECT * FROM hudi_metadata('${GoldenTables.table("cow-basic-v9")}')"), "no metadata table")
    refused(spark.sql("SELECT * FROM hudi_metadata('/a', '/b')"), "write hudi_metadata(table)")
    refused(spark.sql("SELECT * FROM hudi_metadata('/nowhere')"), "[TABLE_NOT_FOUND]")
  }

  test("an incremental read sees the files that a pattern for the end of their paths names") {
    Seq("COPY_ON_WRITE", "MERGE_ON_READ").foreach { kind =>
      val table = s"${folder()}/t"
      def made(rows: String) = write(table, rows, "hoodie.datasource.write.table.type" -> kind)
      made("SELECT concat('k', id) id, element_at(array('oslo', 'rome'), cast(id % 2 + 1 as int)) p, 1 v FROM range(4)")
      made("SELECT 'k0' id, 'oslo' p, 2 v")
      def read(glob: String, begin: String = "0") = spark.read.format("hudilite").options(Map(
          "hoodie.datasource.query.type" -> "incremental", "hoodie.datasource.read.begin.instanttime" -> begin,
          "hoodie.datasource.read.incr.path.glob" -> glob)).load(table)
      def ids(glob: String) = read(glob).select("id").collect().map(_.getString(0)).sorted.mkString(",")
      // As Apache Hudi answers.
      Seq("oslo/*", "/oslo/*", "/oslo*", "*oslo*", "*/oslo/*", "os*", "/os*/*", "/os?o/*").foreach(glob =>
        assertEquals(ids(glob), "k0,k2", s"$kind $glob"))
      Seq("", "**", "/**", "{oslo,rome}/*", "*", "/*/*", "/[or]*/*").foreach(glob =>
        assertEquals(ids(glob), "k0,k1,k2,k3", s"$kind $glob"))
      Seq("oslo", "/oslo", "x/*").foreach(glob => assertEquals(ids(glob), "", s"$kind $glob"))
      assertEquals(read("/oslo/*").where("id = 'k0'").select("v").collect().map(_.getInt(0)).toSeq, Seq(2))
      refused(read("/{oslo").collect(), "hoodie.datasource.read.incr.path.glob")
      if (kind == "MERGE_ON_READ") refused(read("*.parquet").collect(), "name their folder")
      refused(spark.read.format("hudilite").option("hoodie.datasource.read.incr.path.glob", "/oslo/*").load(table)
          .collect(), "it goes with")
    }
  }

  test("of rows with one key the newest stays in its partition, and the others are written elsewhere") {
    Seq("6", "9").foreach { version =>
      val (home, table) = { val at = folder(); (at, s"$at/t") }
      def insert(value: Int) = write(table,
        s"SELECT concat('k', id) id, element_at(array('a', 'b'), " +
          s"cast(id % 2 + 1 as int)) p, $value v FROM range(4)", "hoodie.datasource.write.operation" -> "bulk_insert",
        "hoodie.write.table.version" -> version)
      (1 to 3).foreach(insert)
      def rows = spark.read.format("hudilite").load(table).selectExpr("p", "id", "v").collect().map(_.mkString(" "))
        .sorted.toSeq
      val before = rows
      def repair(to: String, more: String = "", of: String = "a") = call(
        s"repair_deduplicate(path => '$table', duplicated_partition_path => '$of', repaired_output_path => '$to'$more)")
      assertEquals(repair(s"$home/dry").head.getString(0), s"Deduplicated files placed in: $home/dry.")
      def kept(path: String) =
        spark.read.parquet(path).selectExpr("p", "id", "v").collect().map(_.mkString(" ")).sorted.toSeq
      assertEquals(kept(s"$home/dry"), Seq("a k0 3", "a k2 3"))
      assertEquals(rows, before)
      refused(repair(s"$home/dry"), "name a new folder")
      refused(repair(s"$table/a/x"), "it lies in the table")
      refused(repair(s"$home/no", of = "c"), "no such partition")
      refused(repair(s"$home/no", ", dedupe_type => 'some'"), "insert_type")
      repair(s"$home/out", ", dry_run => false, dedupe_type => 'upsert_type'")
      assertEquals(rows, (Seq("a k0 3", "a k2 3") ++ before.filter(_.startsWith("b"))).sorted)
      assertEquals(kept(s"$home/out"), Seq("a k0 1", "a k0 2", "a k2 1", "a k2 2"))
      val commits = call(s"show_commits(path => '$table')").size
      repair(s"$home/again", ", dry_run => false")
      assertEquals(call(s"show_commits(path => '$table')").size, commits)
    }
  }

  private def states(table: String) = call(s"show_timeline(path => '$table', limit => 1000)").map(_.toString)

  private def texts(table: String) = spark.read.format("hudilite").load(table).collect().map(_.toString).sorted.toSeq

  private val bulk = "hoodie.datasource.write.operation" -> "bulk_insert"

  test("rows that the options would lay into another partition are not deduplicated") {
    val (home, table) = { val at = folder(); (at, s"$at/t") }
    val times = Seq("hoodie.datasource.write.keygenerator.class" -> "org.apache.hudi.keygen.CustomKeyGenerator",
      "hoodie.datasource.write.partitionpath.field" -> "ms:TIMESTAMP",
      "hoodie.keygen.timebased.timestamp.type" -> "EPOCHMILLISECONDS",
      "hoodie.keygen.timebased.output.dateformat" -> "yyyy-MM-dd")
    def zone(name: String) = "hoodie.keygen.timebased.timezone" -> name
    (1 to 2).foreach(value =>
      write(table, s"SELECT concat('k', id) id, (id * 24 + 23) * 3600000L ms, $value v FROM range(2)",
        (times ++ Seq(bulk, zone("UTC"))): _*))
    // Apache Hudi does not keep the zone.
    val properties = Paths.get(table, ".hoodie", "hoodie.properties")
    Files.deleteIfExists(properties.resolveSibling(".hoodie.properties.crc"))
    Files.write(properties, Files.readAllLines(properties).asScala.filterNot(_.contains("timebased.timezone")).asJava)
    val before = (states(table), texts(table))
    def repair(in: String) = call(s"repair_deduplicate(path => '$table', duplicated_partition_path => '1970-01-01', " +
      s"repaired_output_path => '$home/out', dry_run => false, options => '" +
      (times :+ zone(in)).map { case (name, value) => s"$name=$value" }.mkString(",") + "')")
    refused(repair("Asia/Tokyo"), "would be written to the partition '1970-01-02'")
    assertEquals((states(table), texts(table)), before)
    assert(!Files.exists(home.resolve("out")))
    repair("UTC")
    assertEquals(spark.read.format("hudilite").load(table).selectExpr("concat(id, v)").collect().map(_.getString(0))
        .sorted.toSeq, Seq("k02", "k11", "k12"))
  }

  test("a write that completes while rows are deduplicated stays, and nothing is cleaned") {
    Seq("6", "9").foreach { version =>
      val (home, table) = { val at = folder(); (at, s"$at/t") }
      def insert(key: String, partition: String, value: Int): Unit = write(table,
        s"SELECT '$key' id, '$partition' p, $value v", bulk, "hoodie.write.table.version" -> version)
      (1 to 2).foreach(insert("k", "a", _))
      def repair(to: String) = call(s"repair_deduplicate(path => '$table', duplicated_partition_path => 'a', " +
        s"repaired_output_path => '$home/$to', dry_run => false, options => 'hoodie.clean.commits.retained=1')")
      Seq("a" -> "added rows to the partition 'a'", "b" -> "completed meanwhile").foreach { case (partition, says) =>
        val once = new java.util.concurrent.atomic.AtomicBoolean(true)
        val between = new Rule[LogicalPlan] {
          override def apply(plan: LogicalPlan): LogicalPlan = {
            if (plan.isInstanceOf[V2WriteCommand] && once.getAndSet(false)) insert("late", partition, 9)
            plan
          }
        }
        val rules = spark.experimental.extraOptimizations
        spark.experimental.extraOptimizations = rules :+ between
        try refused(repair(s"out-$partition"), says)
        finally spark.experimental.extraOptimizations = rules
        assert(!once.get)
      }
      def rows = spark.read.format("hudilite").load(table).selectExpr("concat(p, id, v)").collect()
        .map(_.getString(0)).sorted.toSeq
      assertEquals(rows, Seq("ak1", "ak2", "alate9", "blate9"))
      repair("out")
      assertEquals(rows, Seq("ak2", "alate9", "blate9"))
      assertEquals(states(table).filter(_.contains("clean")), Nil)
    }
  }

  test("of rows of one key and commit the one with the greatest ordering value stays, then that of the last number") {
    val home = folder()
    def kept(table: String) = {
      call(s"repair_deduplicate(path => '$home/$table', duplicated_partition_path => 'a', " +
        s"repaired_output_path => '$home/$table-out', dry_run => false)")
      spark.read.format("hudilite").load(s"$home/$table").selectExpr("v").collect().map(_.getLong(0)).toSeq
    }
    def rows(ts: String) = s"SELECT 'k' id, 'a' p, id v, $ts ts FROM range(0, 30, 1, 1)"
    write(s"$home/ordered", rows("abs(id - 17)"), bulk, "hoodie.datasource.write.precombine.field" -> "ts")
    assertEquals(kept("ordered"), Seq(0L))
    write(s"$home/plain", rows("1"), bulk)
    val last = spark.read.format("hudilite").load(s"$home/plain")
      .selectExpr("v", "CAST(element_at(split(_hoodie_commit_seqno, '_'), -1) AS int) AS n").orderBy("n").collect().last
    assertEquals(last.getInt(1), 29)
    assertEquals(kept("plain"), Seq(last.getLong(0)))
  }

  test("properties are replaced where no fact of the table becomes another one") {
    Seq("6", "9").foreach { version =>
      val (home, table) = { val at = folder(); (at, s"$at/t") }
      write(table, "SELECT 'k' id, 'a' p", "hoodie.write.table.version" -> version)
      val file = Paths.get(table, ".hoodie", "hoodie.properties")
      val own =
        new String(Files.readAllBytes(file), UTF_8).linesIterator.filterNot(_.startsWith("hoodie.table.checksum"))
          .toSeq
      val replacement = home.resolve("new.properties")
      def repair(lines: Seq[String]) = {
        Files.write(replacement, lines.mkString("", "\n", "\n").getBytes(UTF_8))
        call(s"repair_overwrite_hoodie_props(path => '$table', new_props_file_path => '$replacement')")
      }
      val before = Files.readAllBytes(file).toSeq
      refused(repair(own.filterNot(_.startsWith("hoodie.table.version"))), "has no hoodie.table.version")
      refused(repair(own.filterNot(_.startsWith("hoodie.table.recordkey"))), "hoodie.table.recordkey.fields missing")
      refused(repair(own :+ "hoodie.table.cdc.enabled=true"), "hoodie.table.cdc.enabled 'true'")
      refused(repair(own :+ "hoodie.table.checksum=1"), "its checksum is 1")
      refused(repair(Nil), "it is empty")
      refused(call(s"repair_overwrite_hoodie_props(path => '$table', new_props_file_path => '$home/no')"),
        "no such file")
      assertEquals(Files.readAllBytes(file).toSeq, before)
      val done = repair(own :+ "team.owner=ann")
      assertEquals(done.filter(_.getString(0) == "team.owner").map(_.toSeq), Seq(Seq[Any]("team.owner", "null", "ann")))
      assert(done.forall(r => r.getString(0) == "team.owner" || r.getString(1) == r.getString(2)), done)
      assertEquals(spark.read.format("hudilite").load(table).count(), 1L)
      assertEquals(filesBelow(s"$table/.hoodie").filter(_.toString.endsWith(".backup")), Nil)
    }
  }

  test("a cleaning whose plan cannot be read is ended") {
    val table = GoldenAnswers.copy("cleaned-by-commits-v9")
    assertEquals(call(s"repair_corrupted_clean_files(path => '$table')").map(_.getBoolean(0)), Seq(true))
    val timeline = Paths.get(table, ".hoodie", "timeline")
    val time = "20261130000000000"
    Seq(s"$time.clean.requested", s"$time.clean.inflight").foreach(name =>
      Files.write(timeline.resolve(name), "no plan".getBytes(UTF_8)))
    Files.setLastModifiedTime(timeline.resolve(s"$time.clean.requested"),
      java.nio.file.attribute.FileTime.fromMillis(0))
    assertEquals(call(s"doctor(path => '$table')").map(r => r.getString(0) -> r.getString(1)).filter(_._2 == time),
      Seq("DAMAGED_INSTANT" -> time))
    assertEquals(call(s"repair_corrupted_clean_files(path => '$table')").map(_.getBoolean(0)), Seq(true))
    assertEquals(call(s"doctor(path => '$table')").filter(_.getString(1) == time), Nil)
    val unbegun = Files.write(timeline.resolve("20261130000000001.clean.requested"), Array.emptyByteArray)
    Files.setLastModifiedTime(unbegun, java.nio.file.attribute.FileTime.fromMillis(0))
    assertEquals(call(s"repair_corrupted_clean_files(path => '$table')").map(_.getBoolean(0)), Seq(true))
    assert(!Files.exists(unbegun))
    refused(call("repair_corrupted_clean_files(path => '/nowhere')"), "[TABLE_NOT_FOUND]")
  }

  test("a table that cannot be examined for broken cleanings is not said to be free of them") {
    val table = s"${folder()}/t"
    write(table, "SELECT 'k' id, 'a' p")
    val properties = Paths.get(table, ".hoodie", "hoodie.properties")
    Files.deleteIfExists(properties.resolveSibling(".hoodie.properties.crc"))
    val other = Files.readString(properties).replace("hoodie.table.name=", "hoodie.table.name=x")
    Files.write(properties, other.getBytes(UTF_8))
    assertEquals(call(s"doctor(path => '$table')").map(_.getString(0)), Seq("DAMAGED_PROPERTIES"))
    assertEquals(call(s"repair_corrupted_clean_files(path => '$table')").map(_.getBoolean(0)), Seq(false))
  }

  test("Parquet files are imported into a new table, and upserted into one that is there") {
    val home = folder()
    spark.sql("SELECT concat('k', id) id, concat('p', id % 2) p, id v FROM range(4)").write.parquet(s"$home/one")
    spark.sql("SELECT 'k0' id, 'p0' p, 9L v").write.parquet(s"$home/two")
    def load(from: String, more: String = "") = call(
      s"hdfs_parquet_import(table => 't', table_type => 'MERGE_ON_READ', " +
        s"src_path => '$home/$from', target_path => '$home/t', row_key => 'id', partition_key => 'p', " +
        s"schema_file_path => ''$more)")
    assertEquals(load("one").map(_.getInt(0)), Seq(0))
    load("two", ", command => 'upsert'")
    assertEquals(
      spark.read.format("hudilite").load(s"$home/t").selectExpr("concat(id, v)").collect().map(_.getString(0))
        .sorted.toSeq, Seq("k09", "k11", "k22", "k33"))
    intercept[Exception](load("two"))
    assertEquals(spark.read.format("hudilite").load(s"$home/t").count(), 4L)
    refused(load("two", ", command => 'delete'"), "must be one of insert")
    refused(load("two", ", props_file_path => 'x'"), "say its lines in options")
  }

  test("a table without a bootstrap has no sources to show") {
    val table = GoldenTables.table("cow-basic-v9")
    Seq("show_bootstrap_mapping", "show_bootstrap_partitions").foreach(name =>
      refused(call(s"$name(path => '$table')"), "no bootstrap of meta columns"))
    refused(call(s"show_bootstrap_mapping(path => '$table', file_ids => 'x')"), "they need partition_path")
  }
}
