package io.hudilite.spark.write

import io.hudilite.log.{BlockKind, HeaderKey, LogBlock, RecordPositions}
import io.hudilite.record.MetaFields
import io.hudilite.spark.{Interpreted, SpoiltColumn}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions.lit

/** Log blocks of writes that no lookup told which rows they replace. */
class LogPositionsSuite extends MergeOnReadFixture with Interpreted {

  private val buckets = Map("hoodie.index.type" -> "BUCKET", "hoodie.bucket.index.num.buckets" -> "1")

  /** Rows 0, 2, 4 to 198 of one bucket in one partition. */
  private def bucket(version: Int = 9, mode: String = "EVENT_TIME_ORDERING"): String = {
    val path = newPath()
    write(these(0 until 200 by 2, 10, "old"), path, "upsert", (options(version, mode) ++ buckets).toSeq: _*)
    path
  }

  private def these(ids: Seq[Int], ts: Long, v: String): DataFrame =
    spark.createDataFrame(ids.map(Tuple1(_))).toDF("n")
      .selectExpr("concat('k', lpad(n, 4, '0')) id", "'p0' p", s"${ts}L ts", s"'$v' v")

  private def upsert(path: String, rows: DataFrame, more: (String, String)*): Unit =
    write(rows, path, "upsert", buckets.toSeq ++ more: _*)

  /** Kind of each block and what it says of its rows; `None` = nothing, no rows = the base file has not got their keys. */
  private def positions(path: String): Seq[(BlockKind, Option[Seq[Long]])] =
    logFiles(path).flatMap(blocks).map(b => (b.kind, positions(b)))

  private def positions(block: LogBlock): Option[Seq[Long]] =
    block.positionsBase.map(_ => RecordPositions.decode(block.headers(HeaderKey.RecordPositions), 1000).toSeq)

  private val known = Some(Seq(1L, 5L, 99L))
  private val absent = Some(Nil)

  for (format <- Seq("avro", "parquet"); version <- Seq(6, 8, 9); wanted <- Seq(true, false))
    test(s"$format blocks of known keys and of new ones, version $version, positions=$wanted") {
      val path = bucket(version)
      val more = Seq("hoodie.logfile.data.block.format" -> format, "hoodie.write.record.positions" -> wanted.toString)
      upsert(path, these(Seq(1, 2, 10, 11, 198, 500), 20, "new"), more: _*)
      write(these(Seq(3, 4, 500), 30, "x"), path, "delete", buckets.toSeq ++ more: _*)
      val data = if (format == "avro") BlockKind.AvroData else BlockKind.ParquetData
      val told = version >= 8 && wanted
      assertEquals(positions(path),
        if (told) Seq(data -> known, data -> absent, BlockKind.Delete -> Some(Seq(2L)), BlockKind.Delete -> absent)
        else Seq(data -> None, BlockKind.Delete -> None))
      assertEquals(versions(path), Map("old" -> 96L, "new" -> 5L))
      upsert(path, these(Seq(1, 2, 5), 40, "newer"), more: _*) // the log has two of the keys
      assertEquals(versions(path), Map("old" -> 96L, "new" -> 3L, "newer" -> 3L))
      upsert(path, these(Seq(1, 2, 3, 12), 5, "late"), more: _*)
      assertEquals(versions(path), Map("old" -> 96L, "new" -> 3L, "newer" -> 3L) + ("late" -> 1L))
      val shown = read(path).where("id between 'k0000' and 'k0005'").orderBy("id").selectExpr("concat(id, v)")
        .collect().map(_.getString(0)).toSeq
      assertEquals(shown, Seq("k0000old", "k0001newer", "k0002newer", "k0003late", "k0005newer"))
    }

  test("a write that changes nothing else than new keys, or none of them, has one block") {
    val path = bucket()
    upsert(path, these(Seq(1, 3), 20, "new"))
    upsert(path, these(Seq(2, 10, 198), 20, "new"))
    assertEquals(positions(path), Seq(BlockKind.AvroData -> absent, BlockKind.AvroData -> known))
    assertEquals(versions(path), Map("old" -> 97L, "new" -> 5L))
  }

  for (format <- Seq("avro", "parquet"))
    test(s"small $format blocks of known and of new keys are told apart") {
      val path = bucket()
      val ids = (0 until 400).filter(i => i % 2 == 1 || i < 200)
      upsert(path, these(ids, 20, "new"), "hoodie.logfile.data.block.format" -> format,
        "hoodie.logfile.data.block.max.size" -> "4000")
      val told = positions(path).map(_._2.get)
      assert(told.count(_.isEmpty) > 1 && told.count(_.nonEmpty) > 1, told.toString)
      assertEquals(told.flatten, 0L until 100L)
      assertEquals(versions(path), Map("new" -> 300L))
    }

  test("a change of a key that the base file has twice rewrites it, and others go to a log with their positions") {
    val path = newPath()
    write(these(Seq(1, 2, 2, 3), 10, "old"), path, "insert",
      (options(9) + ("hoodie.combine.before.insert" -> "false")).toSeq: _*)
    assertEquals(read(path).count(), 4L)
    spark.sql(s"UPDATE hudilite.`$path` SET v = 'set' WHERE id = 'k0002'")
    spark.sql(s"UPDATE hudilite.`$path` SET v = 'set, too' WHERE id = 'k0003'")
    assertEquals(positions(path).map(_._2), Seq(Some(Seq(3L))))
    assertEquals(versions(path), Map("old" -> 1L, "set" -> 2L, "set, too" -> 1L))
  }

  test("positions are those of the newest base file") {
    val path = bucket()
    upsert(path, these(Seq(1, 2), 20, "new"))
    upsert(path, these(Seq(3), 20, "new"), "hoodie.compact.inline" -> "true",
      "hoodie.compact.inline.max.delta.commits" -> "1")
    val before = logFiles(path).toSet
    upsert(path, these(Seq(0, 1, 3, 198, 199), 30, "newer"))
    val blocksOfLast = logFiles(path).filterNot(before).flatMap(blocks)
    assertEquals(blocksOfLast.map(positions(_)), Seq(Some(Seq(0L, 1L, 3L, 101L)), absent))
    assertEquals(versions(path), Map("old" -> 97L, "new" -> 1L, "newer" -> 5L))
  }

  test("an empty base file has none of the keys") {
    val path = bucket()
    write(these(0 until 200 by 2, 20, "x"), path, "delete",
      buckets.toSeq ++ Seq("hoodie.compact.inline" -> "true", "hoodie.compact.inline.max.delta.commits" -> "1"): _*)
    assertEquals(read(path).count(), 0L)
    val before = logFiles(path).toSet
    upsert(path, these(Seq(1, 2), 30, "new"))
    write(these(Seq(2, 3), 40, "x"), path, "delete", buckets.toSeq: _*)
    val told = logFiles(path).filterNot(before).flatMap(blocks).map(positions(_))
    assertEquals(told, Seq(absent, absent))
    assertEquals(versions(path), Map("new" -> 1L))
  }

  test("an update whose rows a scan found, and one of rows that only the log has") {
    val path = bucket()
    upsert(path, these(Seq(1, 2), 20, "new"))
    val before = logFiles(path).toSet
    buckets.foreach { case (name, value) => spark.conf.set(s"spark.datasource.hudilite.$name", value) }
    try spark.sql(s"UPDATE hudilite.`$path` SET v = 'set' WHERE id <= 'k0002'")
    finally buckets.keys.foreach(name => spark.conf.unset(s"spark.datasource.hudilite.$name"))
    assertEquals(logFiles(path).filterNot(before).flatMap(blocks).map(positions(_)), Seq(Some(Seq(0L, 1L)), absent))
    assertEquals(versions(path), Map("old" -> 98L, "set" -> 3L))
  }

  test("a log compaction keeps what blocks say, and finds what they do not") {
    for (wanted <- Seq(true, false)) {
      val path = bucket()
      upsert(path, these(Seq(1, 2, 10), 20, "new"), "hoodie.write.record.positions" -> wanted.toString)
      write(these(Seq(1, 4, 7), 30, "x"), path, "delete", buckets.toSeq: _*)
      upsert(path, these(Seq(9, 198), 30, "new"), "hoodie.log.compaction.inline" -> "true",
        "hoodie.log.compaction.enable" -> "true", "hoodie.log.compaction.blocks.threshold" -> "2")
      val folded = logFiles(path).flatMap(blocks).filter(_.compactedInstants.nonEmpty)
      assertEquals(
        folded.map(b => (b.kind, positions(b))),
        Seq(BlockKind.AvroData -> known, BlockKind.AvroData -> absent,
          BlockKind.Delete -> Some(Seq(2L)), BlockKind.Delete -> absent))
      assertEquals(versions(path), Map("old" -> 96L, "new" -> 4L))
    }
  }

  for (wanted <- Seq(true, false))
    test(s"a scan of a bucket with known and new keys in its log compares no keys, positions=$wanted") {
      val path = bucket()
      val more = "hoodie.write.record.positions" -> wanted.toString
      upsert(path, these(Seq(1, 2, 10, 11), 20, "new"), more)
      upsert(path, these(Seq(2, 11, 20), 30, "new").withColumn("v", lit("newer")), more)
      write(these(Seq(3, 30), 40, "x"), path, "delete", buckets.toSeq :+ more: _*)
      SpoiltColumn.spoil(files(path, _.endsWith(".parquet")).head, MetaFields.RecordKey)
      def sums(): (Long, Long) = {
        val row = read(path).selectExpr("count(v)", "sum(ts)").first()
        (row.getLong(0), row.getLong(1))
      }
      // 97 old rows less the deleted, and those of the log
      if (wanted) assertEquals(sums(), (101L, 96L * 10 + 2 * 20 + 3 * 30))
      else intercept[Exception](sums())
    }
}
