package io.hudilite.spark.write

import io.hudilite.error.HudiliteException
import io.hudilite.filegroup.FileNames
import io.hudilite.log.BlockKind
import io.hudilite.spark.{Interpreted, NewestSpark}
import io.hudilite.timeline.Action

import java.nio.file.{Files, Paths}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, lit}

/** Writes to merge-on-read tables: what they leave in files and timeline, and what queries see afterwards. */
class MergeOnReadWriteSuite extends MergeOnReadFixture with Interpreted {

  private val everywhere = Set((6, "EVENT_TIME_ORDERING", "avro"), (8, "COMMIT_TIME_ORDERING", "parquet"),
    (9, "EVENT_TIME_ORDERING", "parquet"), (9, "COMMIT_TIME_ORDERING", "avro"))

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

    // Each pair of version, mode and format.
    for {
      mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")
      format = if ((mode == "EVENT_TIME_ORDERING") == (version == 9)) "parquet" else "avro"
    }
      test(NewestSpark.unless(everywhere((version, mode, format)))(
          s"version $version, $mode, $format blocks: late updates and deletes of every kind")) {
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

  test("a row that says that it is deleted is weighed by its day, the first of 1970 too") {
    for (version <- Seq(6, 9); ordering <- Seq("day") ++ Seq("day,ts").filter(_ => version == 9)) {
      val path = newPath()
      def marked(ids: Range, day: String, deleted: Boolean): DataFrame =
        rows(ids, 1, "x").withColumn("day", lit(day).cast("date")).withColumn("_hoodie_is_deleted", lit(deleted))
      val start =
        marked(0 until 5, "1970-01-06", deleted = false).union(marked(5 until 6, "1969-12-30", deleted = false))
      write(start, path, "upsert",
        (options(version) + ("hoodie.datasource.write.precombine.field" -> ordering)).toSeq: _*)
      val deletes = Seq("1969-12-01", "1970-01-01", "1970-01-05", "1970-01-06", "1970-01-07", "1970-01-01")
      write(deletes.zipWithIndex.map { case (day, i) => marked(i until i + 1, day, deleted = true) }.reduce(_ union _),
        path, "upsert")
      assert(logFiles(path).nonEmpty)
      assertEquals(read(path).select("id").collect().map(_.getString(0)).sorted.toSeq, Seq("k0000", "k0001", "k0002"),
        s"$version $ordering")
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

  test("few new rows do not have a large file group rewritten, and gather in one of their own") {
    for (version <- Seq(6, 9)) {
      val path = create(version)
      val bases = baseFiles(path)
      write(rows(98 until 102, 20, "new"), path, "upsert") // one update and one insert for each group of 50 rows
      assertEquals(lastCommit(path).allStats.count(_.isLog), 2)
      assertEquals(baseFiles(path).toSet.intersect(bases.toSet), bases.toSet)
      assertEquals(baseFiles(path).size, bases.size + 2)
      write(rows(102 until 104, 20, "next"), path, "upsert")
      assertEquals(lastCommit(path).allStats.map(s => (s.isLog, s.numWrites)), Seq((false, 2L), (false, 2L)))
      assertEquals(versions(path), Map("old" -> 98L, "new" -> 4L, "next" -> 2L))
    }
  }

  test("a key in the base file stays in its file group when a log file deleted it, as Hudi's index has it") {
    val path = create(9)
    write(rows(0 until 1, 0, "x").select("id", "p"), path, "delete")
    write(rows(0 until 1, 30, "back"), path, "upsert")
    assertEquals(lastCommit(path).allStats.map(_.isLog), Seq(true))
    assertEquals(versions(path), Map("back" -> 1L, "old" -> 99L))
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
