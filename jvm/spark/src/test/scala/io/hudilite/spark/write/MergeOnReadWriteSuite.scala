package io.hudilite.spark.write

import java.nio.file.{Files, Path, Paths}

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.FileNames
import io.hudilite.log.{BlockKind, HeaderKey, LogBlock, LogFileReader, RecordPositions}
import io.hudilite.spark.SharedSession
import io.hudilite.storage.HadoopStorage
import io.hudilite.table.Table
import io.hudilite.timeline.{Action, CommitMetadata}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.{DataFrame, SaveMode}
import org.apache.spark.sql.functions.{col, lit}

import munit.FunSuite

import scala.collection.JavaConverters._
import scala.concurrent.duration.{Duration, DurationInt}

/** Writes to merge-on-read tables: what they leave in files and timeline, and what queries see afterwards. */
class MergeOnReadWriteSuite extends FunSuite {

  override val munitTimeout: Duration = 10.minutes

  private val spark = SharedSession.spark
  private val storage = new HadoopStorage(new Configuration())

  private def options(version: Int, mode: String = "EVENT_TIME_ORDERING"): Map[String, String] = Map(
    "hoodie.datasource.write.table.type" -> "MERGE_ON_READ",
    "hoodie.write.table.version" -> version.toString,
    "hoodie.datasource.write.recordkey.field" -> "id",
    "hoodie.datasource.write.partitionpath.field" -> "p",
    "hoodie.datasource.write.precombine.field" -> "ts",
    "hoodie.record.merge.mode" -> mode)

  private def rows(ids: Range, ts: Long, v: String): DataFrame =
    spark.range(ids.start.toLong, ids.end.toLong).selectExpr("concat('k', lpad(id, 4, '0')) id",
      "concat('p', id % 2) p", s"${ts}L ts", s"'$v' v")

  private def newPath(): String = Files.createTempDirectory("hudilite-mor").resolve("t").toString

  private def write(frame: DataFrame, path: String, operation: String, more: (String, String)*): Unit =
    frame.write.format("hudilite").options(more.toMap).option("hoodie.datasource.write.operation", operation)
      .mode(SaveMode.Append).save(path)

  private def create(version: Int, mode: String = "EVENT_TIME_ORDERING", more: Map[String, String] = Map.empty)
      : String = {
    val path = newPath()
    write(rows(0 until 100, 10, "old"), path, "upsert", (options(version, mode) ++ more).toSeq: _*)
    path
  }

  private def read(path: String): DataFrame = spark.read.format("hudilite").load(path)

  private def versions(path: String): Map[String, Long] =
    read(path).groupBy("v").count().collect().map(r => r.getString(0) -> r.getLong(1)).toMap

  private def table(path: String): Table = Table.open(storage, path)

  private def lastCommit(path: String): CommitMetadata = {
    val opened = table(path)
    opened.store.readCommit(opened.timeline.writes.last)
  }

  private def files(path: String, end: String => Boolean): Seq[Path] = {
    val walk = Files.walk(Paths.get(path))
    try walk.iterator.asScala.filter(f => Files.isRegularFile(f) && end(f.getFileName.toString)).toList
        .filterNot(f => f.toString.contains("/.hoodie/") || f.toString.endsWith(".crc")).sortBy(_.toString)
    finally walk.close()
  }

  private def baseFiles(path: String): Seq[String] = files(path, _.endsWith(".parquet")).map(_.getFileName.toString)
  private def logFiles(path: String): Seq[Path] = files(path, FileNames.parseLogFile(_).isDefined)

  private def blocks(file: Path): Seq[LogBlock] = LogFileReader.blocks(storage, file.toString, Files.size(file))

  for (version <- Seq(6, 8, 9)) {

    test(s"version $version: an upsert of present keys appends one log file to each group and rewrites nothing") {
      val path = create(version)
      val before = table(path)
      val bases = baseFiles(path)
      write(rows(0 until 20, 20, "new"), path, "upsert")
      assertEquals(baseFiles(path), bases)
      val after = table(path)
      val instant = after.timeline.writes.last
      assertEquals(instant.action, Action.DeltaCommit)
      val metadata = after.store.readCommit(instant)
      assertEquals(metadata.operation, "UPSERT")
      assertEquals(metadata.allStats.size, 2)
      metadata.allStats.foreach { stat =>
        val slice = before.allSlices()(stat.partitionPath).find(_.fileId == stat.fileId).get
        val name = FileNames.parseLogFile(stat.fileName).get
        assertEquals(name.time, if (version == 6) slice.instant else instant.time)
        assertEquals(name.version, 1)
        assertEquals(stat.logVersion, 1)
        assertEquals(stat.logOffset, 0L)
        assertEquals(stat.prevCommit, slice.instant)
        assertEquals(stat.logFiles, Seq(stat.fileName))
        assertEquals(stat.baseFile, if (version == 6) slice.base.map(_.name) else None)
        assertEquals(stat.fileSizeInBytes, Files.size(Paths.get(path, stat.path)))
        assertEquals(Seq(stat.numWrites, stat.numUpdateWrites, stat.numInserts, stat.numDeletes), Seq(10L, 10L, 0L, 0L))
      }
      assertEquals(versions(path), Map("new" -> 20L, "old" -> 80L))
      assertEquals(read(path).where("v = 'new'").select("_hoodie_commit_time").distinct().collect()
          .map(_.getString(0)).toSeq, Seq(instant.time))
    }

    test(s"version $version: names of the second and later log files of a slice") {
      val path = create(version)
      write(rows(0 until 1, 20, "a"), path, "upsert")
      write(rows(0 until 1, 21, "b"), path, "upsert")
      val names = logFiles(path).map(f => FileNames.parseLogFile(f.getFileName.toString).get)
      if (version == 6) {
        assertEquals(names.map(_.version).sorted, Seq(1, 2))
        assertEquals(names.map(n => (n.time, n.writeToken)).distinct.size, 1)
      } else {
        assertEquals(names.map(_.version), Seq(1, 1))
        assertEquals(names.map(_.time), table(path).timeline.writes.map(_.time).drop(1))
      }
      assertEquals(versions(path), Map("b" -> 1L, "old" -> 99L))
    }

    for (mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING"); format <- Seq("avro", "parquet"))
      test(s"version $version, $mode, $format blocks: late updates and deletes of every kind") {
        val path = create(version, mode)
        val block = "hoodie.logfile.data.block.format" -> format
        val event = mode == "EVENT_TIME_ORDERING"
        write(rows(0 until 10, 5, "late"), path, "upsert", block)
        assertEquals(versions(path).getOrElse("late", 0L), if (event) 0L else 10L)
        write(rows(10 until 20, 10, "tie"), path, "upsert", block)
        assertEquals(versions(path)("tie"), 10L)
        write(rows(20 until 30, 0, "x").select("id", "p"), path, "delete", block)
        assertEquals(read(path).count(), 90L)
        write(rows(20 until 25, 12, "again"), path, "upsert", block)
        assertEquals(versions(path)("again"), 5L)
        spark.sql(s"DELETE FROM hudilite.`$path` WHERE id >= 'k0030' AND id < 'k0040'")
        assertEquals(read(path).count(), 85L)
        spark.sql(s"UPDATE hudilite.`$path` SET v = 'set' WHERE id >= 'k0040' AND id < 'k0050'")
        assertEquals(versions(path)("set"), 10L)
        rows(50 until 60, 50, "merged").createOrReplaceTempView("changes")
        spark.sql(s"MERGE INTO hudilite.`$path` t USING changes s ON t.id = s.id AND t.p = s.p " +
          "WHEN MATCHED AND s.id < 'k0055' THEN DELETE WHEN MATCHED THEN UPDATE SET *")
        assertEquals(versions(path)("merged"), 5L)
        assertEquals(read(path).count(), 80L)
        assertEquals(baseFiles(path).size, 2)
      }
  }

  test("a row that says that it is deleted deletes in its place in time") {
    for (version <- Seq(6, 9); mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")) {
      val path = newPath()
      def marked(ids: Range, ts: Long, deleted: Boolean): DataFrame =
        rows(ids, ts, "x").withColumn("_hoodie_is_deleted", lit(deleted))
      write(marked(0 until 10, 10, deleted = false), path, "upsert", options(version, mode).toSeq: _*)
      write(marked(0 until 2, 5, deleted = true), path, "upsert")
      assertEquals(read(path).count(), if (mode.startsWith("EVENT")) 10L else 8L, s"$version $mode")
      write(marked(2 until 4, 11, deleted = true), path, "upsert")
      assertEquals(read(path).count(), if (mode.startsWith("EVENT")) 8L else 6L)
      val delete = blocks(Paths.get(path, lastCommit(path).allStats.head.path))
      assertEquals(delete.map(_.kind), Seq[BlockKind](BlockKind.Delete))
    }
  }

  test("a block holds no more than its size, and a file no more than its size") {
    val path = create(9)
    write(rows(0 until 100, 20, "new"), path, "upsert", "hoodie.logfile.data.block.max.size" -> "500",
      "hoodie.logfile.max.size" -> "5000")
    val logs = logFiles(path)
    assert(logs.size > 2, logs.toString)
    assertEquals(logs.map(f => FileNames.parseLogFile(f.getFileName.toString).get.version).distinct.sorted.take(2),
      Seq(1, 2))
    assert(logs.exists(blocks(_).size > 1))
    assertEquals(lastCommit(path).allStats.map(_.numWrites).sum, 100L)
    assertEquals(lastCommit(path).allStats.map(_.path).toSet,
      logs.map(f => Paths.get(path).relativize(f).toString).toSet)
    assertEquals(versions(path), Map("new" -> 100L))
  }

  test("new rows go to a small file group without log files, which is rewritten, or begin new file groups") {
    for (version <- Seq(6, 9)) {
      val path = create(version)
      write(rows(90 until 110, 20, "new"), path, "upsert")
      assertEquals(logFiles(path), Nil)
      assertEquals(lastCommit(path).allStats.map(s => (s.numUpdateWrites, s.numInserts)), Seq((5L, 5L), (5L, 5L)))
      assertEquals(versions(path), Map("old" -> 90L, "new" -> 20L))
      write(rows(0 until 2, 30, "logged"), path, "upsert")
      assertEquals(logFiles(path).size, 2)
      write(rows(108 until 120, 30, "more"), path, "upsert")
      assertEquals(lastCommit(path).allStats.count(_.isLog), 2)
      assertEquals(lastCommit(path).allStats.filterNot(_.isLog).map(_.prevCommit).distinct, Seq("null"))
      assertEquals(versions(path), Map("old" -> 88L, "logged" -> 2L, "new" -> 18L, "more" -> 12L))
      write(rows(200 until 202, 30, "inserted"), path, "insert")
      write(rows(300 until 302, 30, "bulk"), path, "bulk_insert")
      assertEquals(read(path).count(), 124L)
      assertEquals(table(path).timeline.writes.map(_.action).distinct, Seq(Action.DeltaCommit))
    }
  }

  test("a key in the base file stays in its file group when a log file deleted it, as Hudi's index has it") {
    val path = create(9)
    write(rows(0 until 1, 0, "x").select("id", "p"), path, "delete")
    write(rows(0 until 1, 30, "back"), path, "upsert")
    assertEquals(lastCommit(path).allStats.map(_.isLog), Seq(true))
    assertEquals(versions(path), Map("back" -> 1L, "old" -> 99L))
  }

  test("statements do not see rows that log files deleted, and see the values that log files brought") {
    for (version <- Seq(6, 9)) {
      val path = create(version)
      write(rows(0 until 2, 0, "x").select("id", "p"), path, "delete")
      write(rows(2 until 4, 40, "logged"), path, "upsert")
      rows(0 until 6, 50, "merged").createOrReplaceTempView("changes")
      spark.sql(s"MERGE INTO hudilite.`$path` t USING changes s ON t.id = s.id AND t.p = s.p " +
        "WHEN MATCHED AND t.v = 'logged' THEN UPDATE SET ts = t.ts + 1, v = concat(t.v, '+') " +
        "WHEN NOT MATCHED THEN INSERT *")
      assertEquals(versions(path), Map("old" -> 96L, "logged+" -> 2L, "merged" -> 2L))
      assertEquals(read(path).where("v = 'logged+'").select("ts").distinct().collect().map(_.getLong(0)).toSeq,
        Seq(41L))
    }
  }

  test("more keys than a broadcast holds are looked up in the merged rows") {
    val path = create(9)
    write(rows(0 until 2, 0, "x").select("id", "p"), path, "delete")
    spark.conf.set("spark.hudilite.lookup.maxBroadcastKeys", "3")
    try write(spark.createDataFrame(rows(0 until 50, 30, "new").rdd, rows(0 until 1, 0, "").schema), path, "upsert")
    finally spark.conf.unset("spark.hudilite.lookup.maxBroadcastKeys")
    assertEquals(versions(path), Map("new" -> 50L, "old" -> 50L))
  }

  test("with a global index a row moves to another partition, unless it comes too late") {
    for (version <- Seq(6, 9); mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")) {
      val path = create(version, mode)
      val index = "hoodie.index.type" -> "GLOBAL_SIMPLE"
      write(rows(0 until 10, 20, "moved").withColumn("p", lit("p9")), path, "upsert", index)
      assertEquals(read(path).where("p = 'p9'").count(), 10L, s"$version $mode")
      assertEquals(read(path).count(), 100L)
      write(rows(10 until 20, 5, "late").withColumn("p", lit("p9")), path, "upsert", index)
      val event = mode.startsWith("EVENT")
      assertEquals(read(path).where("p = 'p9'").count(), if (event) 10L else 20L)
      assertEquals(versions(path).getOrElse("late", 0L), if (event) 0L else 10L)
      assertEquals(read(path).count(), 100L)
      assertEquals(read(path).select("id").distinct().count(), 100L)
    }
  }

  test("overwrites and dropped partitions replace groups with their log files") {
    for (version <- Seq(6, 9)) {
      val path = create(version)
      write(rows(0 until 10, 20, "logged"), path, "upsert")
      write(rows(0 until 3, 30, "over").where("p = 'p0'"), path, "insert_overwrite")
      assertEquals(versions(path), Map("old" -> 45L, "logged" -> 5L, "over" -> 2L))
      assertEquals(table(path).timeline.writes.last.action, Action.ReplaceCommit)
      write(rows(0 until 1, 40, "new"), path, "upsert")
      assertEquals(versions(path), Map("old" -> 45L, "logged" -> 5L, "over" -> 1L, "new" -> 1L))
      write(rows(0 until 1, 0, ""), path, "delete_partition", "hoodie.datasource.write.partitions.to.delete" -> "p1")
      assertEquals(versions(path), Map("over" -> 1L, "new" -> 1L))
      write(rows(0 until 4, 50, "all"), path, "insert_overwrite_table")
      assertEquals(versions(path), Map("all" -> 4L))
    }
  }

  private def positions(file: Path, base: String): Seq[Option[Seq[Long]]] =
    blocks(file).map(b =>
      b.positionsBase.filter(_ == base).map(_ =>
        RecordPositions.decode(b.headers(HeaderKey.RecordPositions), 100).toSeq))

  test("blocks name the rows of the base file that they replace, from version 8 on and unless that is switched off") {
    for (version <- Seq(6, 8, 9); wanted <- Seq(true, false)) {
      val path = create(version)
      val base = table(path).timeline.writes.head.time
      val option = "hoodie.write.record.positions" -> wanted.toString
      val ids = spark.createDataFrame(Seq(8, 4, 44).map(Tuple1(_))).toDF("n")
      val changes = ids.selectExpr("concat('k', lpad(n, 4, '0')) id", "'p0' p", "20L ts", "'new' v")
      write(changes, path, "upsert", option)
      write(changes.select("id", "p"), path, "delete", option)
      val expected = if (version >= 8 && wanted) Some(Seq(2L, 4L, 22L)) else None
      assertEquals(logFiles(path).flatMap(positions(_, base)), Seq.fill(2)(expected), s"$version $wanted")
      assertEquals(read(path).count(), 97L)
    }
  }

  test("blocks do without positions where a scan found the rows, or where records have none") {
    val path = create(9)
    spark.sql(s"UPDATE hudilite.`$path` SET v = 'set' WHERE id = 'k0001'")
    assert(logFiles(path).flatMap(blocks).forall(_.positionsBase.isEmpty))
    assertEquals(versions(path), Map("old" -> 99L, "set" -> 1L))
  }

  test("an error in a task takes the log files back") {
    for (version <- Seq(6, 9)) {
      val path = create(version)
      val fails = org.apache.spark.sql.functions.udf { (id: String) =>
        if (id == "k0099") throw new IllegalStateException("no luck"); "bad"
      }
      val before = (baseFiles(path), logFiles(path))
      intercept[Exception](write(rows(0 until 100, 20, "").withColumn("v", fails(col("id"))), path, "upsert"))
      intercept[Exception](write(rows(0 until 100, 20, "").withColumn("id", lit("")), path, "upsert"))
      assertEquals((baseFiles(path), logFiles(path)), before)
      write(rows(0 until 1, 20, "new"), path, "upsert")
      assertEquals(versions(path), Map("old" -> 99L, "new" -> 1L))
    }
  }

  test("the table type of a write must be that of the table") {
    val path = create(9)
    val error = intercept[HudiliteException](write(rows(0 until 1, 20, "x"), path, "upsert",
        "hoodie.datasource.write.table.type" -> "COPY_ON_WRITE"))
    assertEquals(error.condition, "OPTION_CONTRADICTS_TABLE")
    val created = newPath()
    write(rows(0 until 1, 20, "x"), created, "upsert",
      (options(9) + ("hoodie.datasource.write.table.type" -> "copy_on_write")).toSeq: _*)
    assertEquals(table(created).timeline.writes.map(_.action), Seq(Action.Commit))
  }
}
