package io.hudilite.spark.write

import io.hudilite.filegroup.FooterCache
import io.hudilite.log.{HeaderKey, RecordPositions}
import io.hudilite.spark.Interpreted
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}

import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.{col, lit}

/** How writes to merge-on-read tables find the rows that they change, and say where these are. */
class MergeOnReadLookupSuite extends MergeOnReadFixture with Interpreted {

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

  test("a key that was deleted before a compaction was planned, and came back before it ended, is there once") {
    for ((version, index) <- Seq(6 -> "SIMPLE", 6 -> "BLOOM", 9 -> "SIMPLE", 9 -> "BLOOM")) {
      val path = create(version)
      def row(ts: Int, v: String) = write(rows(0 until 1, ts, v), path, "upsert", "hoodie.index.type" -> index)
      def delete() = write(rows(0 until 1, 0, "x").select("id", "p"), path, "delete", "hoodie.index.type" -> index)
      delete()
      val planned = CompactionRun(ServiceCall(spark, path)).schedule()
      row(30, "back")
      CompactionRun(ServiceCall(spark, path)).start(planned.flatMap(_.instant)).result()
      row(40, "again")
      assertEquals(versions(path), Map("old" -> 99L, "again" -> 1L), s"$version $index")
      delete()
      assertEquals(versions(path), Map("old" -> 99L), s"$version $index")
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

  test("with a global index a row that moved away and comes back is there once") {
    for {
      version <- Seq(6, 9)
      mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")
      index = if (mode.startsWith("EVENT") == (version == 6)) "GLOBAL_SIMPLE" else "GLOBAL_BLOOM" // each with each
    } {
      val path = create(version, mode)
      val first = read(path).where("id = 'k0003'").select("p").head().getString(0)
      for ((partition, ts) <- Seq("p8" -> 20L, first -> 30L, "p9" -> 40L, first -> 50L)) {
        write(rows(0 until 10, ts, s"at $ts").where("id = 'k0003'").withColumn("p", lit(partition)), path, "upsert",
          "hoodie.index.type" -> index, "hoodie.bloom.index.update.partition.path" -> "true")
        assertEquals(read(path).where("id = 'k0003'").select("p", "ts").collect().map(_.toString).toSeq,
          Seq(s"[$partition,$ts]"), s"$version $mode $index")
      }
      assertEquals(read(path).count(), 100L)
    }
  }

  private def positions(file: Path, base: String, atMost: Int = 100): Seq[Option[Seq[Long]]] =
    blocks(file).map(b =>
      b.positionsBase.filter(_ == base).map(_ =>
        RecordPositions.decode(b.headers(HeaderKey.RecordPositions), atMost).toSeq))

  /** Rows 0 to 29,999 in the order of their keys in one file: 15 pages of keys, and several row groups if these are small. */
  private def wide(groups: Int): String = {
    val path = newPath()
    val blockSize = "hoodie.parquet.block.size" -> (if (groups > 1) "200000" else "120000000")
    write(numbered(spark.range(30000).toDF("n")).coalesce(1), path, "bulk_insert", (options(9) + blockSize).toSeq: _*)
    val footer = FooterCache.metadata(new Configuration(), files(path, _.endsWith(".parquet")).head.toString,
      Files.size(files(path, _.endsWith(".parquet")).head))
    assertEquals(footer.getBlocks.size > 1, groups > 1, clue = footer.getBlocks.size)
    path
  }

  private def numbered(ids: DataFrame): DataFrame =
    ids.selectExpr("concat('k', lpad(n, 6, '0')) id", "'p0' p", "20L ts", "md5(cast(n as string)) v")

  private val changed = Seq("few keys in one page" -> (17000L to 17005L),
    "keys in every page" -> (3L until 30000L by 100L),
    "many keys in few pages" -> (21000L to 21800L), "the first and the last row" -> (0L until 30000L by 29999L))

  for (groups <- Seq(1, 2); (what, ids) <- changed)
    test(s"rows are found where they are: $what, ${if (groups > 1) "several row groups" else "one row group"}") {
      val path = wide(groups)
      val base = table(path).timeline.writes.head.time
      write(numbered(spark.createDataFrame(ids.map(Tuple1(_))).toDF("n")), path, "upsert")
      assertEquals(logFiles(path).flatMap(positions(_, base, 30000)), Seq(Some(ids.toSeq)))
      assertEquals(read(path).count(), 30000L)
    }

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

  test("where a scan found the rows, the writer looks for their positions") {
    for (version <- Seq(6, 9)) {
      val path = create(version)
      val base = table(path).timeline.writes.head.time
      spark.sql(s"UPDATE hudilite.`$path` SET v = 'set' WHERE id = 'k0003' OR id = 'k0007'")
      assertEquals(logFiles(path).flatMap(positions(_, base)), Seq(if (version == 6) None else Some(Seq(1L, 3L))))
      assertEquals(versions(path), Map("old" -> 98L, "set" -> 2L))
    }
  }

  for (format <- Seq("avro", "parquet"); version <- Seq(6, 9))
    test(s"rows of every type come out of $format blocks of version $version as they went in") {
      val path = newPath()
      val rows = spark.sql(WriteFixture.everyType).withColumn("p", lit("x")).withColumn("ts2", col("l"))
      val keys = options(version) + ("hoodie.datasource.write.precombine.field" -> "ts2")
      write(rows.withColumn("s", lit(null).cast("short")).withColumn("list", lit(null).cast("array<bigint>")), path,
        "upsert", keys.toSeq: _*)
      write(rows, path, "upsert", "hoodie.logfile.data.block.format" -> format)
      assertEquals(logFiles(path).size, 1)
      val columns = rows.columns.map(col).toSeq
      def texts(frame: DataFrame): Seq[String] =
        frame.select(columns: _*).toJSON.collect().sorted.toSeq
      assertEquals(texts(read(path)), texts(rows))
      spark.sql(s"MERGE INTO hudilite.`$path` t USING (SELECT '7' AS id) s ON t.id = s.id AND t.p = 'x' " +
        "WHEN MATCHED THEN UPDATE SET f = 0")
      assertEquals(read(path).where("f = 0").select("id").collect().map(_.getString(0)).toSet, Set("0", "7"))
      assertEquals(texts(read(path).where("id <> '7'")), texts(rows.where("id <> '7'")))
    }
}
