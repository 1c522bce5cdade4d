package io.hudilite.spark.write

import io.hudilite.spark.{Interpreted, NewestSpark, SharedSession}
import io.hudilite.spark.procedure.{CompactionRun, ServiceCall}

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions.lit

/** Keys whose rows log files have deleted and that come back: each is one row, whatever brings it and finds it. */
class PutBackSuite extends MergeOnReadFixture with Interpreted {

  private val key = 7 until 8 // in partition p1

  private def row(ts: Long, v: String, p: String = "p1") = rows(key, ts, v).withColumn("p", lit(p))

  private def delete(path: String, more: (String, String)*): Unit =
    write(rows(key, 0, "x").select("id", "p"), path, "delete", more: _*)

  private def shown(path: String): Seq[String] = read(path).where("id = 'k0007'").selectExpr("concat(p, ' ', v)")
    .collect().map(_.getString(0)).sorted.toSeq

  private def merge(path: String, ts: Long, v: String, p: String = "p1", on: String = "t.id = s.id AND t.p = s.p",
      matched: String = ""): Unit = {
    val source = row(ts, v, p)
    val marked = read(path).columns.contains("_hoodie_is_deleted")
    (if (marked) source.withColumn("_hoodie_is_deleted", lit(false)) else source).createOrReplaceTempView("back")
    spark.sql(s"MERGE INTO hudilite.`$path` t USING back s ON $on $matched WHEN NOT MATCHED THEN INSERT *")
    ()
  }

  private val putBack = Seq[(String, (String, Long) => Unit)](
    "INSERT INTO" ->
      ((path, ts) =>
        spark.sql(s"INSERT INTO hudilite.`$path` (id, p, ts, v) VALUES ('k0007', 'p1', $ts, 'back')")),
    "insert" -> ((path, ts) => write(row(ts, "back"), path, "insert")),
    "MERGE" -> ((path, ts) => merge(path, ts, "back")),
    "upsert" -> ((path, ts) => write(row(ts, "back"), path, "upsert")))

  for {
    ((how, back), n) <- putBack.zipWithIndex
    (version, index) <- Seq(6 -> "SIMPLE", 9 -> "BLOOM")
  } test(NewestSpark.unless((n % 2 == 0) == (version == 9))(
      s"a row that is deleted, put back by $how and upserted is there once, version $version, $index")) {
    val path = create(version, more = Map("hoodie.compact.inline" -> "false"))
    val options = Seq("hoodie.index.type" -> index, "hoodie.compact.inline" -> "false")
    delete(path, options: _*)
    back(path, 20)
    assertEquals(shown(path), Seq("p1 back"))
    write(row(30, "again"), path, "upsert", options: _*)
    assertEquals(shown(path), Seq("p1 again"))
    write(row(40, "more"), path, "upsert", options: _*)
    assertEquals(shown(path), Seq("p1 more"))
    // Beside a compaction that is planned, too.
    val planned = CompactionRun(ServiceCall(spark, path)).schedule()
    delete(path, options: _*)
    assertEquals(shown(path), Nil)
    write(row(50, "new"), path, "upsert", options: _*)
    assertEquals(shown(path), Seq("p1 new"))
    CompactionRun(ServiceCall(spark, path)).start(planned.flatMap(_.instant)).result()
    write(row(60, "newer"), path, "upsert", options: _*)
    assertEquals(shown(path), Seq("p1 newer"))
    assertEquals(read(path).count(), 100L)
  }

  /** A table in which a key is in two base files of a partition, in one of them under a delete. */
  private def twice(version: Int): String = {
    val path = create(version)
    delete(path)
    write(row(20, "back"), path, "insert")
    path
  }

  for (version <- Seq(6, 9))
    test(s"a key in two files is found where it is by upserts, deletes and statements, version $version") {
      val path = twice(version)
      spark.sql(s"UPDATE hudilite.`$path` SET v = 'set' WHERE id = 'k0007'")
      merge(path, 30, "merged", matched = "WHEN MATCHED THEN UPDATE SET v = concat(t.v, '+')")
      assertEquals(shown(path), Seq("p1 set+"))
      SharedSession.withConf("spark.hudilite.lookup.maxBroadcastKeys" -> "3") {
        write(rows(0 until 20, 40, "many").repartition(3), path, "upsert")
      }
      assertEquals(shown(path), Seq("p1 many"))
      delete(path)
      assertEquals(shown(path), Nil)
      // It is nowhere now and has two places.
      write(row(50, "back again"), path, "upsert")
      assertEquals(shown(path), Seq("p1 back again"))
      assertEquals(read(path).count(), 100L)
    }

  private def spoil(file: Path): Unit = {
    Files.write(file, Array.fill[Byte](Files.size(file).toInt)(7))
    Files.deleteIfExists(file.resolveSibling(s".${file.getFileName}.crc"))
    ()
  }

  test("no log file is opened where no key is found twice, and then only those of its files") {
    val path = twice(9)
    write(rows(20 until 22, 20, "logged"), path, "upsert")
    write(rows(20 until 21, 0, "x").select("id", "p"), path, "delete") // a log file in p0
    logFiles(path).foreach(spoil)
    write(rows(30 until 40, 20, "blind"), path, "upsert")
    write(rows(40 until 45, 20, "blind"), path, "delete")
    intercept[Exception](write(row(30, "again"), path, "upsert"))

    val other = twice(9)
    write(rows(20 until 21, 0, "x").select("id", "p"), other, "delete")
    logFiles(other).filter(_.getParent.endsWith("p0")).foreach(spoil)
    write(row(30, "again"), other, "upsert")
    assertEquals(read(other).where("p = 'p1' AND id = 'k0007'").select("v").collect().map(_.getString(0)).toSeq,
      Seq("again"))
  }

  for {
    version <- Seq(6, 9)
    mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")
    many <- Seq(false, true)
  } test(NewestSpark.unless((version == 9) == (mode.startsWith("EVENT") == many))(
      s"a MERGE puts a row back where its key was, if it is seen there, version $version, $mode, many $many")) {
    val path = create(version, mode)
    def bases = baseFiles(path).map(_.takeWhile(_ != '_')).distinct.size
    val before = bases
    val apart = "hoodie.compact.inline" -> "false"
    val settings = Seq(s"spark.datasource.hudilite.${apart._1}" -> apart._2) ++
      (if (many) Seq("spark.hudilite.lookup.maxBroadcastKeys" -> "0") else Nil)
    def merged(ts: Long, v: String, on: String): Unit = SharedSession.withConf(settings: _*)(
      merge(path, ts, v, on = on, matched = "WHEN MATCHED THEN UPDATE SET *"))
    delete(path, apart)
    merged(20, "back", "t.id = s.id AND t.p = s.p")
    assertEquals((shown(path), bases), (Seq("p1 back"), before))
    merged(25, "matched", "t.id = s.id")
    assertEquals((shown(path), bases), (Seq("p1 matched"), before))
    // A delete with an ordering value.
    write(row(30, "gone").withColumn("_hoodie_is_deleted", lit(true)), path, "upsert", apart)
    assertEquals(shown(path), Nil)
    merged(40, "back", "t.id = s.id")
    assertEquals((shown(path), bases), (Seq("p1 back"), before))
    delete(path, apart)
    // Older than the row in the base file, which would come back otherwise.
    merged(5, "late", "t.id = s.id AND t.p = s.p")
    assertEquals((shown(path), bases), (Seq("p1 late"), if (mode.startsWith("EVENT")) before + 1 else before))
    assertEquals(read(path).count(), 100L)
  }

  test("of several new rows of a key that was deleted a MERGE puts the newest back") {
    for (version <- Seq(6, 9); mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")) {
      val path = create(version, mode)
      delete(path)
      row(20, "b").union(row(30, "newest")).union(row(25, "c")).createOrReplaceTempView("back")
      spark.sql(s"MERGE INTO hudilite.`$path` t USING back s ON t.id = s.id AND t.p = s.p " +
        "WHEN NOT MATCHED THEN INSERT *")
      assertEquals(shown(path), Seq("p1 newest"))
      assertEquals(read(path).count(), 100L)
    }
  }

  test("of new rows of a key, of which one would not win where the key was, a MERGE writes the newest alone") {
    for (version <- Seq(6, 9); mode <- Seq("EVENT_TIME_ORDERING", "COMMIT_TIME_ORDERING")) {
      val path = create(version, mode)
      delete(path)
      row(5, "late").union(row(20, "new")).union(row(6, "later")).coalesce(1).createOrReplaceTempView("back")
      spark.sql(s"MERGE INTO hudilite.`$path` t USING back s ON t.id = s.id AND t.p = s.p " +
        "WHEN NOT MATCHED THEN INSERT *")
      assertEquals(read(path).count(), 100L)
      assertEquals(shown(path), Seq("p1 new"))
    }
  }

  for (version <- Seq(6, 9); index <- Seq("GLOBAL_SIMPLE", "GLOBAL_BLOOM"); follows <- Seq(true, false))
    test(NewestSpark.unless((version == 9) == ((index == "GLOBAL_BLOOM") == follows))(
        s"with a global index a row is put back once, version $version, $index, follows $follows")) {
      val path = create(version)
      val moves = index.stripPrefix("GLOBAL_").toLowerCase
      val options =
        Seq("hoodie.index.type" -> index, s"hoodie.$moves.index.update.partition.path" -> follows.toString)
      delete(path, options: _*)
      write(row(20, "back", "p9"), path, "upsert", options: _*) // elsewhere
      assertEquals(shown(path), Seq("p9 back"))
      write(row(30, "again", "p1"), path, "upsert", options: _*)
      assertEquals(shown(path).size, 1, clue = shown(path))
      delete(path, options: _*)
      assertEquals(shown(path), Nil)
      write(row(40, "there", "p1"), path, "upsert", options: _*)
      assertEquals(shown(path), Seq("p1 there"))
      // An index that is not global finds it, too.
      write(row(50, "plain", "p1"), path, "upsert", "hoodie.index.type" -> "SIMPLE")
      assertEquals(shown(path), Seq("p1 plain"))
      assertEquals(read(path).count(), 100L)
    }

  test("a table that became merge-on-read, with a key twice in its first files") {
    val path = newPath()
    val plain = options(9) + ("hoodie.datasource.write.table.type" -> "COPY_ON_WRITE")
    write(rows(0 until 100, 10, "old"), path, "upsert", plain.toSeq: _*)
    val properties = Path.of(path, ".hoodie", "hoodie.properties")
    val text = new String(Files.readAllBytes(properties), "UTF-8")
      .replace("hoodie.table.type=COPY_ON_WRITE", "hoodie.table.type=MERGE_ON_READ")
    Files.write(properties, text.getBytes("UTF-8"))
    Files.deleteIfExists(properties.resolveSibling(".hoodie.properties.crc"))
    delete(path)
    write(row(20, "back"), path, "insert")
    write(row(30, "again"), path, "upsert")
    assertEquals(shown(path), Seq("p1 again"))
    CompactionRun(ServiceCall(spark, path, Map("hoodie.log.compaction.blocks.threshold" -> "1")),
      io.hudilite.service.compact.CompactionKind.Log).start().result()
    write(row(40, "folded"), path, "upsert")
    assertEquals(shown(path), Seq("p1 folded"))
    assertEquals(read(path).count(), 100L)
  }
}
